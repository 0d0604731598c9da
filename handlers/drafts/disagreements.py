"""Finds sentences of a draft that cannot both hold: other figures of one thing.

The verification model takes any other figure for a contradiction, and old beside new
ones, too. So a pair is put to it only where both count the same thing once, in much the
same words, and not for different days. Precise rather than many. Pure; it awaits the
encoder and the verifier.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from statistics import fmean

from handlers.citations.cues.numbers import Bound, Quantity, agree
from handlers.citations.cues.reading import Reading, read
from handlers.citations.cues.words import content_stems, words
from handlers.drafts.roles import Cast
from handlers.model import Disagreement, DraftSection, DraftSentence, Topic
from handlers.updates.entailing import refutes

_ALIKE = 0.6  # cosine
_SHARED = 0.34  # of the shorter sentence's content words
_LIKELY = 0.4  # mean of both directions; the other bounds keep out what is merely alike
_MOST_PAIRS = 400
_MOST_ASKED = 40
_MOST_SHOWN = 12


async def disagreements(
    topic: Topic, sections: Sequence[DraftSection], cast: Cast
) -> tuple[Disagreement, ...]:
    """Return the pairs of sentences whose figures cannot both hold, the surest first.

    Only those of different documents: one that counts on tells of different times.
    """
    found = [one for section in sections for one in section.sentences]
    pairs = list(_pairs(found))[:_MOST_PAIRS]
    if not pairs:
        return ()
    texts = list(dict.fromkeys(one.text for pair in pairs for one in pair[:2]))
    likeness = await cast.encoder.likeness(texts, texts)
    at = {text: number for number, text in enumerate(texts)}
    shown = []
    near = (
        (one, other, unit)
        for one, other, unit in pairs
        if likeness[at[one.text]][at[other.text]] >= _ALIKE
    )
    for _, (one, other, unit) in zip(range(_MOST_ASKED), near, strict=False):
        likely = fmean(
            (
                await refutes(cast.verifier, topic.title, one.text, [other.text]),
                await refutes(cast.verifier, topic.title, other.text, [one.text]),
            )
        )
        if likely >= _LIKELY:
            shown.append(Disagreement(one, other, likely, unit))
    return tuple(sorted(shown, key=lambda one: -one.probability)[:_MOST_SHOWN])


def _pairs(
    found: Sequence[DraftSentence],
) -> Iterator[tuple[DraftSentence, DraftSentence, str]]:
    readings = [read(one.text) for one in found]
    counted = [_counted_once(one) for one in readings]
    for first, second in combinations(range(len(found)), 2):
        one, other = found[first], found[second]
        if one.cites[0].chunk.document == other.cites[0].chunk.document:
            continue
        unit = _differing(counted[first], counted[second])
        if (
            unit
            and _share(one, other) >= _SHARED
            and not _of_other_days(readings[first], readings[second])
        ):
            yield one, other, unit


def _counted_once(found: Reading) -> dict[str, Quantity]:
    """Return what is counted once, by what is counted; twice is of two parts."""
    units: dict[str, list[Quantity]] = {}
    for quantity in found.quantities:
        if quantity.unit:
            units.setdefault(quantity.unit, []).append(quantity)
    return {unit: each[0] for unit, each in units.items() if len(each) == 1}


def _differing(one: dict[str, Quantity], other: dict[str, Quantity]) -> str:
    for unit in sorted(one.keys() & other.keys()):
        mine, theirs = one[unit], other[unit]
        exact = mine.bound is Bound.EXACT and theirs.bound is Bound.EXACT
        if exact and not agree(mine, theirs):
            return unit
    return ""


def _share(one: DraftSentence, other: DraftSentence) -> float:
    mine, theirs = content_stems(words(one.text)), content_stems(words(other.text))
    return len(mine & theirs) / max(1, min(len(mine), len(theirs)))


def _of_other_days(one: Reading, other: Reading) -> bool:
    """Tell whether both name days, and not the same ones."""
    mine = {(day.year, day.month, day.day) for day in one.dates}
    theirs = {(day.year, day.month, day.day) for day in other.dates}
    return bool(mine and theirs) and not mine & theirs
