"""Marks the values of a claim and of its evidence, so that a network sees which agree.

A word-piece encoder of this size cannot tell 1,998 from 1,999 by itself, nor that
"12.6 thousand" is 12,600. Reading numbers, dates and times is arithmetic, so it is
done here; what a value counts, and of whom, is what the network has learned. Pure.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from handlers.citations.cues import clock
from handlers.citations.cues import dates as of_dates
from handlers.citations.cues import numbers as of_numbers
from handlers.citations.cues.agreement import Agreement
from handlers.citations.cues.clock import Time
from handlers.citations.cues.dates import Date
from handlers.citations.cues.numbers import Bound, Quantity
from handlers.citations.cues.reading import Reading, number_stem, read


class Segment(IntEnum):
    """What a word piece belongs to: the token types of the network's input."""

    CLAIM = 0
    EVIDENCE = 1
    VALUE_STATED = 2  # of the claim, and the evidence has it
    VALUE_MISSING = 3  # of the claim, and the evidence has it nowhere
    WORD_MISSING = 4  # of the claim, and the evidence has no form of it
    VALUE_CLAIMED = 5  # of the evidence, and the claim has it
    VALUE_OTHER = 6  # of the evidence, and the claim has it nowhere
    VALUE_RIVAL = 7  # of the evidence: another value of what one of the claim counts


@dataclass(frozen=True, slots=True)
class Tag:
    """The characters from `start` to `end` of a text belong to `segment`."""

    start: int
    end: int
    segment: Segment


@dataclass(frozen=True, slots=True)
class Score:
    """Two or more numbers that a dash or colon joins, such as a result of "3–1"."""

    values: tuple[float, ...]
    first_word: int
    last_word: int


Value = Quantity | Date | Time | Score
_JOINTS = frozenset("-–—\u2212:")  # the last but one is a minus sign
_BORNE = 0.5  # of a word's stem, from which a text holds a form of it


def tags(
    claim: str, evidence: str, reader: Callable[[str], Reading] = read
) -> tuple[tuple[Tag, ...], tuple[Tag, ...]]:
    """Return the tags of the claim, and those of the evidence."""
    mine, theirs = reader(claim), reader(evidence)
    claimed, stated = tuple(values_of(mine)), tuple(values_of(theirs))
    missing = tuple(value for value in claimed if not _is_stated(value, stated))
    return (
        (
            *_missing_words(mine, theirs),
            *(_tag(mine, one, _of_claimed(one, missing)) for one in claimed),
        ),
        tuple(_tag(theirs, one, _of_stated(one, claimed)) for one in stated),
    )


def values_of(text: Reading) -> Iterator[Value]:
    """Yield the values of a text; numbers that a dash joins are one."""
    yield from text.dates
    yield from text.times
    for group in _joined(text):
        if len(group) == 1:
            yield group[0]
        else:
            values = tuple(one.value for one in group)
            yield Score(values, group[0].first_word, group[-1].last_word)


def _joined(text: Reading) -> Iterator[list[Quantity]]:
    """Yield runs of numbers that nothing but a dash or a colon parts."""
    group: list[Quantity] = []
    for one in text.quantities:
        if group:
            end = text.words[group[-1].last_word].end
            between = text.text[end : text.words[one.first_word].start]
            if between.strip() not in _JOINTS:
                yield group
                group = []
        group.append(one)
    if group:
        yield group


def _is_stated(claimed: Value, stated: Sequence[Value]) -> bool:
    return any(same(claimed, other) for other in stated)


def same(claimed: Value, stated: Value) -> bool:
    """Tell whether a value of the evidence bears the claimed one out."""
    match claimed, stated:
        case Quantity(), Quantity():
            return of_numbers.agree(claimed, stated)
        case Date(), Date():
            return of_dates.agreement(claimed, [stated]) is Agreement.STATED
        case Time(), Time():
            return clock.agreement(claimed, [stated]) is Agreement.STATED
        case Score(), Score():
            # The other side of a match is told the other way round.
            return stated.values in (claimed.values, claimed.values[::-1])
    return False


def _rivals(claimed: Value, stated: Value) -> bool:
    match claimed, stated:
        case Quantity(), Quantity():
            exact = Bound.EXACT in (claimed.bound, stated.bound)
            found = of_numbers.agreement(claimed, [stated])
            return exact and found is Agreement.DIFFERENT
        case Date(), Date():
            return of_dates.agreement(claimed, [stated]) is Agreement.DIFFERENT
        case (Time(), Time()) | (Score(), Score()):
            return not same(claimed, stated)
    return False


def _of_claimed(value: Value, missing: Sequence[Value]) -> Segment:
    return Segment.VALUE_MISSING if value in missing else Segment.VALUE_STATED


def _of_stated(value: Value, claimed: Sequence[Value]) -> Segment:
    if any(same(one, value) for one in claimed):
        return Segment.VALUE_CLAIMED
    rival = any(_rivals(one, value) for one in claimed)
    return Segment.VALUE_RIVAL if rival else Segment.VALUE_OTHER


def _missing_words(claim: Reading, evidence: Reading) -> Iterator[Tag]:
    numbers = {number_stem(one.value) for one in claim.quantities}
    for word in claim.content:
        borne = evidence.index.support(word.stem)
        if borne < _BORNE and word.stem not in numbers:
            yield Tag(word.start, word.end, Segment.WORD_MISSING)


def _tag(text: Reading, value: Value, segment: Segment) -> Tag:
    first, last = text.words[value.first_word], text.words[value.last_word]
    return Tag(first.start, last.end, segment)
