"""Turns a model's answer into a verdict with its proof.

The verdict follows from probabilities and thresholds, except that "contradicted"
needs an explicit difference as well: a number or date that the sentence nearest to
the claim states instead. Every quote is cut out of the source by its
place, so it stands there character for character. Pure.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from handlers.citations.comparison import (
    Claimed,
    Reader,
    Sentence,
    Stated,
    context,
    gather,
    prepare,
    recall,
)
from handlers.citations.features import measure
from handlers.citations.lexical import Judgement, LexicalModel, judge
from handlers.citations.marks import matched, unsupported
from handlers.model import (
    Claim,
    Engine,
    Evidence,
    Passage,
    Span,
    Verdict,
    Verification,
)

_MOST_EVIDENCE = 3
_WORTH_QUOTING = 0.5  # of the best quote's recall
_ALIGNED = 0.6  # recall from which a sentence speaks of the same thing as the claim
_CONTRADICTED_FROM = 0.5
# Opposites and negation are too often mere wording to rest a verdict on: on the
# verification dev split half of the claims they pointed at were refuted, of those
# with a differing number nine in ten, with a differing date eight.
_DIFFERENCES = ("number differs in sentence", "date differs in sentence")


def verify(
    title: str,
    claim: Claim,
    passages: Sequence[Passage],
    *,
    model: LexicalModel,
    engine: Engine,
    read: Reader,
) -> Verification:
    """Judge `claim` of the article `title` by all `passages`, at least one."""
    claimed = prepare(claim.text, title, model.rarity, read)
    stated = gather(claimed, context(title, claim.section), passages, read)
    measured = measure(claimed, stated)
    judgement = judge(model, measured, stated.word_count)
    return Verification(
        verdict=verdict(judgement, measured),
        probabilities=judgement.probabilities,
        evidence=tuple(islice(_evidence(claimed, stated), _MOST_EVIDENCE)),
        unsupported=unsupported(claimed, stated),
        engine=engine,
    )


def verdict(judgement: Judgement, measured: Mapping[str, float]) -> Verdict:
    """Return the verdict that the probabilities and the explicit differences allow."""
    likely = judgement.probabilities
    if likely.supported >= judgement.supported_from:
        return Verdict.SUPPORTED
    if likely.contradicted >= _CONTRADICTED_FROM and _differs(measured):
        return Verdict.CONTRADICTED
    rest = 1 - likely.supported
    if likely.partially_supported >= judgement.partial_from * rest:
        return Verdict.PARTIALLY_SUPPORTED
    return Verdict.NOT_SUPPORTED


def _differs(measured: Mapping[str, float]) -> bool:
    aligned = measured["sentence recall"] >= _ALIGNED
    return aligned and any(measured[name] > 0 for name in _DIFFERENCES)


def _evidence(claim: Claimed, stated: Stated) -> Iterator[Evidence]:
    """Yield quotes, best first, none overlapping, none far worse than the first."""
    scored = sorted(
        ((_score(claim, sentence), sentence) for sentence in stated.sentences),
        key=lambda each: -each[0],
    )
    best = scored[0][0]
    for score, sentence in scored:
        if not score or score < best * _WORTH_QUOTING:
            return
        yield _quoted(claim, sentence, score)


def _score(claim: Claimed, sentence: Sentence) -> float:
    return recall(claim.all_weights, sentence.reading.stems)


def _quoted(claim: Claimed, sentence: Sentence, score: float) -> Evidence:
    passage = sentence.passage
    start = passage.span.start
    return Evidence(
        passage=passage,
        quote=sentence.span.of(passage.text),
        span=Span(start + sentence.span.start, start + sentence.span.end),
        matched=matched(claim, sentence.reading, sentence.span.start),
        score=score,
    )
