"""Joins the word of a language model to the verifier's own probabilities. Pure."""

from collections.abc import Sequence
from dataclasses import replace

from handlers.citations.claimed import Claimed
from handlers.citations.cues.reading import read
from handlers.citations.marks import matched
from handlers.citations.verification import verdict as likeliest
from handlers.model import (
    Engine,
    Evidence,
    Passage,
    Probabilities,
    Span,
    Verdict,
    Verification,
)

# How often a model's verdict with a found quote is taken to be right. On WiCE, whole
# pages, published accuracies of open models are 78.9 % (Qwen3-32B) and 84.4 %
# (gpt-oss-20b), supported against the rest.
RELIABILITY = 0.8
# How far the verifier is followed in how it parts what speaks against a claim; the
# rest is parted evenly. It tells little of that where it is in doubt (the lexical one
# calls nearly nothing contradicted), and a quote tells much.
_TRUSTED_PARTING = 0.5
_MOST_EVIDENCE = 3


def merged(before: Verification, said: Verdict, model: Engine) -> Verification:
    """Return `before` after the model's word, which counts as that of one witness.

    Bayes' rule: a witness who is right four times in five, and otherwise names any
    other verdict alike. So one word settles what was doubtful and cannot turn what
    was all but sure. The verdict is the likeliest one, as always.
    """
    likely = _weighed(before.probabilities, said)
    verdict = likeliest(likely)
    return replace(
        before,
        verdict=verdict,
        probabilities=likely,
        unsupported=() if verdict is Verdict.SUPPORTED else before.unsupported,
        engine=both(before.engine, model),
    )


def both(one: Engine, other: Engine) -> Engine:
    """Return the name under which two engines that decided together are stored."""
    return Engine(f"{one.name} + {other.name}", f"{one.version} + {other.version}")


def with_quote(
    found: Verification, claim: Claimed, quote: Span, passage: Passage
) -> Verification:
    """Return `found` with the words at `quote` of a source as its first evidence.

    Args:
        found: whose other evidence stays, as far as it is elsewhere.
        claim: tells which words of the quote to mark.
        quote: its place in the text of its source.
        passage: of that source; the quote lies inside.
    """
    place = Span(quote.start - passage.span.start, quote.end - passage.span.start)
    text = place.of(passage.text)
    first = Evidence(
        passage=passage,
        quote=text,
        span=quote,
        matched=matched(claim, read(text), place.start),
        score=max((one.score for one in found.evidence), default=0.0),
    )
    others = [one for one in found.evidence if not _overlap(one, first)]
    return replace(found, evidence=(first, *others)[:_MOST_EVIDENCE])


def passage_around(quote: Span, passages: Sequence[Passage]) -> Passage | None:
    """Return the passage that shows most around `quote` on both sides, if any holds it."""
    holding = [
        one
        for one in passages
        if one.span.start <= quote.start and quote.end <= one.span.end
    ]
    return max(
        holding,
        key=lambda one: min(quote.start - one.span.start, one.span.end - quote.end),
        default=None,
    )


def _weighed(before: Probabilities, said: Verdict) -> Probabilities:
    otherwise = (1 - RELIABILITY) / (len(Verdict) - 1)
    even = (1 - before.supported) / (len(Verdict) - 1)
    first = {
        one: _TRUSTED_PARTING * before.of(one) + (1 - _TRUSTED_PARTING) * even
        for one in Verdict
    }
    first[Verdict.SUPPORTED] = before.supported
    odds = {
        one: share * (RELIABILITY if one is said else otherwise)
        for one, share in first.items()
    }
    total = sum(odds.values())
    return Probabilities(
        supported=odds[Verdict.SUPPORTED] / total,
        partially_supported=odds[Verdict.PARTIALLY_SUPPORTED] / total,
        not_supported=odds[Verdict.NOT_SUPPORTED] / total,
        contradicted=odds[Verdict.CONTRADICTED] / total,
    )


def _overlap(one: Evidence, other: Evidence) -> bool:
    same = one.passage.source_key == other.passage.source_key
    return same and one.span.start < other.span.end and other.span.start < one.span.end
