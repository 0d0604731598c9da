"""Weighs what a model answered about one claim: it counts, or why it does not. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from handlers.citations.claimed import prepare
from handlers.citations.cues.rarity import Rarity
from handlers.citations.cues.reading import read
from handlers.citations.doubt import quotes
from handlers.citations.doubt.batches import Asked
from handlers.citations.doubt.merging import merged, passage_around, with_quote
from handlers.citations.doubt.prompt import VERDICTS, ClaimAnswer
from handlers.model import (
    ClaimCheck,
    Engine,
    Opinion,
    Passage,
    Setback,
    Span,
    Verdict,
    Verification,
)

_ALL_WORDS_ALIKE = Rarity(documents=1, floor=1, frequencies={})


def weighed(
    title: str, asked: Asked, answers: Sequence[ClaimAnswer], model: Engine
) -> ClaimCheck:
    """Return the check of `asked` with the model's opinion, merged where it counts.

    Args:
        title: of the article.
        asked: the claim.
        answers: all that the model gave under the claim's id; one is expected.
        model: who answered.
    """
    if len(answers) != 1:
        why = Setback.ANSWERED_TWICE if answers else Setback.LEFT_OUT
        return unheard(asked, why, model)
    [answer] = answers
    verdict = VERDICTS.get(answer.verdict)
    if verdict is None:
        return unheard(asked, Setback.UNKNOWN_VERDICT, model)
    found = _weighed(title, asked, verdict, answer.quote, model)
    if isinstance(found, Setback):
        return unheard(asked, found, model, verdict)
    return _concluded(asked.check, found, _opinion(asked, model, verdict, None))


def unheard(
    asked: Asked, why: Setback, model: Engine, verdict: Verdict | None = None
) -> ClaimCheck:
    """Return the check as it was, with the reason why the model's word does not count."""
    return replace(asked.check, opinion=_opinion(asked, model, verdict, why))


def _opinion(
    asked: Asked, model: Engine, verdict: Verdict | None, why: Setback | None
) -> Opinion:
    before = asked.check.verification
    assert before is not None  # noqa: S101 - narrows the type
    return Opinion(model, before.engine, before.verdict, verdict, why)


def _weighed(
    title: str, asked: Asked, verdict: Verdict, quote: str, model: Engine
) -> Verification | Setback:
    before = asked.check.verification
    assert before is not None  # noqa: S101 - narrows the type
    if verdict is Verdict.NOT_SUPPORTED:  # nobody can quote what is not there
        return merged(before, verdict, model)
    if not quote.strip():
        return Setback.NO_QUOTE
    claimed = prepare(asked.check.claim, title, _ALL_WORDS_ALIKE, read)
    why = Setback.QUOTE_NOT_FOUND
    for passage, span in _places(asked, quote):
        trouble = quotes.setback(verdict, claimed, _cut_out(passage, span))
        if trouble is None:
            told = merged(before, verdict, model)
            return with_quote(told, claimed, span, passage)
        why = trouble
    return why


def _places(asked: Asked, quote: str) -> Iterator[tuple[Passage, Span]]:
    """Yield where the quote stands in each of the claim's sources, with its passage."""
    for reading in asked.check.readings:
        if reading.document is None:
            continue
        text, key = reading.document.text, reading.source.key
        span = quotes.find(quote, text)
        if span is not None:
            own = [one for one in asked.passages if one.source_key == key]
            around = passage_around(span, own)
            yield around or Passage(key, span.of(text), span), span


def _cut_out(passage: Passage, span: Span) -> str:
    start = passage.span.start
    return passage.text[span.start - start : span.end - start]


def _concluded(check: ClaimCheck, found: Verification, opinion: Opinion) -> ClaimCheck:
    """Return the check with its new verdict.

    A claim whose verdict is withheld because a source was not read gets one only
    where the sources that were read are now found to say something about it.
    """
    withheld = check.verdict is None and found.verdict is Verdict.NOT_SUPPORTED
    return replace(
        check,
        verdict=None if withheld else found.verdict,
        verification=found,
        advice=check.advice if withheld else None,
        opinion=opinion,
    )
