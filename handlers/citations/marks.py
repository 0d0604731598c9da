"""Marks words: those of a source that bear a claim out, those of a claim left over.

Pure.
"""

from collections.abc import Iterator, Sequence

from handlers.citations.claimed import Claimed
from handlers.citations.comparison import Stated, bear_out, recall, together
from handlers.citations.cues import clock, dates, numbers
from handlers.citations.cues.agreement import Agreement
from handlers.citations.cues.clock import Time
from handlers.citations.cues.dates import Date
from handlers.citations.cues.numbers import Quantity
from handlers.citations.cues.reading import Reading
from handlers.model import Span

_NEAR = 2  # passages that a reader would put together to bear out one claim
_HALF = 0.5


def matched(claim: Claimed, sentence: Reading, offset: int) -> tuple[Span, ...]:
    """Return the content words of `sentence` that also stand in the claim.

    Args:
        claim: the claim.
        sentence: part of a passage.
        offset: where the sentence starts in the text that the spans point into.
    """
    return tuple(
        Span(offset + word.start, offset + word.end)
        for word in sentence.content
        if word.stem in claim.reading.stems
    )


def unsupported(claim: Claimed, stated: Stated) -> tuple[Span, ...]:
    """Return the stretches of the claim that the best two passages do not bear out.

    The subject of the article needs no proof. Words such as "of" and "the" have
    none of their own: they go with the unsupported words around them. On WiCE's
    marked subclaims, which measured this choice, one passage did as well and five
    did worse.
    """
    near = sorted(
        stated.passages,
        key=lambda each: -recall(claim.all_weights, bear_out(claim.all_weights, each)),
    )[:_NEAR]
    return tuple(_stretches(claim.reading, _left_over(claim, near)))


def _left_over(claim: Claimed, near: Sequence[Reading]) -> list[bool]:
    """Tell for each word of the claim whether it found no support."""
    borne = together([bear_out(claim.stems, each) for each in near])
    agreed = _agreed(claim.reading, near)
    return [
        bool(stem)
        and at not in agreed
        and stem not in claim.title
        and borne[stem] < _HALF
        for at, stem in enumerate(claim.asked)
    ]


def _agreed(claim: Reading, near: Sequence[Reading]) -> frozenset[int]:
    """Return the indices of words in numbers, dates and times written otherwise."""
    stated_numbers = [one for each in near for one in each.quantities]
    stated_dates = [one for each in near for one in each.dates]
    stated_times = [one for each in near for one in each.times]
    compared: list[tuple[Quantity | Date | Time, Agreement]] = [
        *((one, numbers.agreement(one, stated_numbers)) for one in claim.quantities),
        *((one, dates.agreement(one, stated_dates)) for one in claim.dates),
        *((one, clock.agreement(one, stated_times)) for one in claim.times),
    ]
    return frozenset(
        at
        for one, found in compared
        for at in range(one.first_word, one.last_word + 1)
        if found is Agreement.STATED
    )


def _stretches(claim: Reading, left_over: Sequence[bool]) -> Iterator[Span]:
    """Yield runs of unsupported words, bridged by words without content."""
    start = end = -1
    for word, alone in zip(claim.words, left_over, strict=True):
        if alone:
            start = word.start if start < 0 else start
            end = word.end
        elif word.is_content and start >= 0:
            yield Span(start, end)
            start = -1
    if start >= 0:
        yield Span(start, end)
