"""Turns a model's answer into a verdict with its proof.

The verdict is the likeliest one, so what a reader sees as its probability is never
less than another's. Every quote is cut out of the source by its place, so it stands
there character for character. Pure.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

from handlers.citations import roles
from handlers.citations.claimed import Claimed, prepare
from handlers.citations.comparison import (
    Reader,
    Sentence,
    Stated,
    context,
    gather,
)
from handlers.citations.features import measure
from handlers.citations.lexical import LexicalModel, judge
from handlers.citations.marks import matched, unsupported
from handlers.citations.neural.answer import CrossEncoder
from handlers.citations.neural.cues import ask, evidence_words
from handlers.citations.neural.pairs import pair
from handlers.model import (
    Claim,
    Engine,
    Evidence,
    Passage,
    Probabilities,
    Span,
    Verdict,
    Verification,
)

_MOST_EVIDENCE = 3
_WORTH_QUOTING = 0.5  # of the best quote's recall


def verify(
    title: str,
    claim: Claim,
    passages: Sequence[Passage],
    *,
    model: LexicalModel,
    engine: Engine,
    read: Reader,
    network: CrossEncoder | None = None,
) -> Verification:
    """Judge `claim` of the article `title` by all `passages`, at least one.

    With a `network`, `model` must weigh its cues; without one, none of them.
    """
    claimed = prepare(claim, title, model.rarity, read)
    stated = gather(claimed, context(title, claim), passages, read)
    measured = measure(claimed, stated)
    weighed = (*model.short.features, *model.page.features)
    if not roles.FEATURES.isdisjoint(weighed):
        measured |= roles.measure(claimed, stated)
    if network is not None:
        measured |= ask(
            network,
            lambda words: pair(title, claim, claimed, stated, words),
            evidence_words(weighed),
        )
    likely = judge(model, measured, stated.word_count)
    return Verification(
        verdict=verdict(likely),
        probabilities=likely,
        evidence=tuple(islice(_evidence(claimed, stated), _MOST_EVIDENCE)),
        unsupported=unsupported(claimed, stated),
        engine=engine,
    )


def verdict(likely: Probabilities) -> Verdict:
    """Return the likeliest verdict; of equal ones, the milder."""
    return max(Verdict, key=likely.of)


def _evidence(claim: Claimed, stated: Stated) -> Iterator[Evidence]:
    """Yield quotes, best first, none overlapping, none far worse than the first.

    The first one always comes: a reader can then see how far off the source is.
    """
    quoted: list[tuple[str, Span]] = []
    for sentence in stated.sentences:
        if quoted and sentence.score <= stated.best.score * _WORTH_QUOTING:
            return
        place = _place(sentence)
        if not any(_overlap(place, other) for other in quoted):
            quoted.append(place)
            yield _quoted(claim, sentence, place[1])


def _place(sentence: Sentence) -> tuple[str, Span]:
    """Return its source and its place there."""
    start = sentence.passage.span.start
    span = Span(start + sentence.span.start, start + sentence.span.end)
    return sentence.passage.source_key, span


def _overlap(one: tuple[str, Span], other: tuple[str, Span]) -> bool:
    same_source = one[0] == other[0]
    return same_source and one[1].start < other[1].end and other[1].start < one[1].end


def _quoted(claim: Claimed, sentence: Sentence, span: Span) -> Evidence:
    return Evidence(
        passage=sentence.passage,
        quote=sentence.span.of(sentence.passage.text),
        span=span,
        matched=matched(claim, sentence.reading, sentence.span.start),
        score=sentence.score,
    )
