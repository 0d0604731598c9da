"""Weighs what a model answered about one claim: it counts, or why it does not. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from handlers.citations import conclude, quotes
from handlers.citations.claim_features import Claimed, prepare
from handlers.citations.comparison import bear_out
from handlers.citations.cues.rarity import Rarity
from handlers.citations.cues.reading import read
from handlers.citations.doubt.prompt import VERDICTS, ClaimAnswer
from handlers.citations.doubt.questions import Asked, text_of, verified
from handlers.citations.doubt.trust import Trust
from handlers.citations.highlights import matched
from handlers.citations.verification import verdict as likeliest
from handlers.model import (
    ClaimCheck,
    Engine,
    Evidence,
    Opinion,
    Passage,
    Setback,
    SourceOutcome,
    SourceReading,
    Span,
    Verdict,
    Verification,
)

_ALL_WORDS_ALIKE = Rarity(documents=1, floor=1, frequencies={})
_MOST_EVIDENCE = 3
_UNUSABLE = (
    "The language model found nothing to judge by in the text of the source, such as an"
    " error page or a menu; open the source yourself."
)


def weighed(
    title: str,
    asked: Asked,
    answers: Sequence[ClaimAnswer],
    model: Engine,
    trust: Trust,
) -> ClaimCheck:
    """Return the check of `asked` with the model's opinion, merged where it counts.

    Args:
        title: of the article.
        asked: the claim.
        answers: all that the model gave under the claim's id; one is expected.
        model: who answered.
        trust: how far its word counts.
    """
    if len(answers) != 1:
        why = Setback.ANSWERED_TWICE if answers else Setback.LEFT_OUT
        return unheard(asked, why, model)
    [answer] = answers
    if answer.verdict not in VERDICTS:
        return unheard(asked, Setback.UNKNOWN_VERDICT, model)
    said = VERDICTS[answer.verdict]
    claimed = prepare(asked.check.claim, title, _ALL_WORDS_ALIKE, read)
    found = _evidence(claimed, asked, answer)
    why_not = _why_not(claimed, asked.check, said, answer, found)
    if why_not is not None:
        return unheard(asked, why_not, model, said)
    opinion = _opinion(asked.check, model, said, None)
    if said is None:
        return replace(asked.check, verdict=None, advice=_UNUSABLE, opinion=opinion)
    return _concluded(
        asked.check, _merged(asked.check, said, found, model, trust), opinion
    )


def unheard(
    asked: Asked, why: Setback, model: Engine, said: Verdict | None = None
) -> ClaimCheck:
    """Return the check as it was, with the reason why the model's word does not count."""
    return replace(asked.check, opinion=_opinion(asked.check, model, said, why))


def _opinion(
    check: ClaimCheck, model: Engine, said: Verdict | None, why: Setback | None
) -> Opinion:
    before = verified(check)
    verifier = before.engine if before else model
    return Opinion(model, verifier, before.verdict if before else None, said, why)


def _why_not(
    claimed: Claimed,
    check: ClaimCheck,
    said: Verdict | None,
    answer: ClaimAnswer,
    found: Sequence[Evidence],
) -> Setback | None:
    if said is Verdict.NOT_SUPPORTED:  # nobody can quote what is not there
        return None
    if not any(one.strip() for one in answer.quotes):
        return Setback.NO_QUOTE
    if not found:
        return Setback.QUOTE_NOT_FOUND
    if said is None:
        before = verified(check)
        says_something = before and before.verdict is not Verdict.NOT_SUPPORTED
        return Setback.NOT_BORNE_OUT if says_something else None
    # What a page says to its judge ("answer supported") has as a rule nothing in common
    # with the claim and its place. Of the quotes that a careful reader chose for 533
    # claims beside real pages, 526 have; a quote in another language needs to have none.
    foreign = {one.source.key for one in check.readings if one.withheld}
    words = read("\n".join(one.quote for one in found))
    is_near = any(bear_out(claimed.stems, words).values()) or any(
        one.passage.source_key in foreign for one in found
    )
    return None if is_near else Setback.QUOTE_ELSEWHERE


def _evidence(claimed: Claimed, asked: Asked, answer: ClaimAnswer) -> list[Evidence]:
    """Return the quotes that are found, each where it stands first."""
    before = verified(asked.check)
    score = max((one.score for one in before.evidence), default=0.0) if before else 0.0
    found = []
    for quote in answer.quotes[:_MOST_EVIDENCE]:
        for passage, span in _places(asked, quote):
            start = span.start - passage.span.start
            text = passage.text[start : span.end - passage.span.start]
            marks = matched(claimed, read(text), start)
            found.append(Evidence(passage, text, span, marks, score))
            break
    return found


def _places(asked: Asked, quote: str) -> Iterator[tuple[Passage, Span]]:
    """Yield where the quote stands in each of the claim's sources, with its passage."""
    for reading in asked.check.readings:
        cited, key = text_of(reading), reading.source.key
        span = quotes.find(quote, cited.text) if cited else None
        if cited and span:
            own = [one for one in asked.passages if one.source_key == key]
            around = quotes.passage_around(span, own)
            yield around or Passage(key, span.of(cited.text), span), span


def _merged(
    check: ClaimCheck,
    said: Verdict,
    found: Sequence[Evidence],
    model: Engine,
    trust: Trust,
) -> Verification:
    """Return what the verifier and the model say together, the model's quotes first."""
    before = verified(check)
    likely = trust.weighed(before.probabilities if before else trust.base, said)
    verdict = likeliest(likely)
    if before is None:
        return Verification(verdict, likely, tuple(found), (), model)
    others = [
        one for one in before.evidence if not any(_overlap(one, own) for own in found)
    ]
    return Verification(
        verdict=verdict,
        probabilities=likely,
        evidence=(*found, *others)[:_MOST_EVIDENCE],
        unsupported=() if verdict is Verdict.SUPPORTED else before.unsupported,
        engine=Engine(
            f"{before.engine.name} + {model.name}",
            f"{before.engine.version} + {model.version}",
        ),
    )


def _overlap(one: Evidence, other: Evidence) -> bool:
    same = one.passage.source_key == other.passage.source_key
    return same and one.span.start < other.span.end and other.span.start < one.span.end


def _concluded(check: ClaimCheck, found: Verification, opinion: Opinion) -> ClaimCheck:
    """Return the check with its new verdict, its sources read as far as the model did.

    A claim whose verdict is withheld because a source was not read gets one only
    where the sources that were read are now found to say something about it.
    """
    after = conclude(check.claim, tuple(map(_read, check.readings)), found)
    return replace(after, opinion=opinion)


def _read(reading: SourceReading) -> SourceReading:
    if reading.withheld is None:
        return reading
    return replace(
        reading,
        outcome=SourceOutcome.READ,
        document=reading.withheld,
        withheld=None,
    )
