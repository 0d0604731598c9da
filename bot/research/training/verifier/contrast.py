"""Claims beside the same page with one thing right and wrong: what only it can tell.

A network that sees wrong claims and right ones of different making learns how they are
written, not what the page says. So each example here has its other side, and both
stand in one batch: a claim and the same claim mended, a claim beside its page and
beside that page without the sentences that decide, a value and another one that the
page gives for something else.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import TypeAlias

from bot.research.evaluation.datasets import Label, Row, case
from bot.research.training.verifier.pair import (
    REFUTED,
    SUPPORTED,
    UNMENTIONED,
    Mark,
    TrainingPair,
    whole,
)
from handlers.citations.comparison import Reader, context, gather, prepare
from handlers.citations.network_input import (
    PairText,
    Segment,
    Tag,
    about,
    assemble,
    sentence,
    tags,
)
from handlers.citations.words import Rarity

# Examples that are learned from together, in one batch.
Unit: TypeAlias = tuple[TrainingPair, ...]

# Words of evidence: what is decided in a sentence is learned faster from few.
_FEW_WORDS, _SOME_WORDS, _MANY_WORDS = 40, 90, 160
_NOT_STATED_SHARE = 0.2  # of claims written to be absent: their style gives them away
_TARGETS = {
    Label.SUPPORTED: SUPPORTED,
    Label.REFUTED: REFUTED,
    Label.PARTIALLY_SUPPORTED: UNMENTIONED,
    Label.NOT_SUPPORTED: UNMENTIONED,
    Label.NOT_ENOUGH_INFORMATION: UNMENTIONED,
}
_WRITTEN = frozenset({"judged_prose", "judged_cells"})


class Contrasts:
    """Makes units, with one model of rarity, one reader and one seed."""

    def __init__(self, rarity: Rarity, read: Reader, draws: Random) -> None:
        self._rarity = rarity
        self._read = read
        self._draws = draws

    def mended(self, rows: Sequence[Row]) -> Iterator[Unit]:
        """Yield each wrong claim with the same claim mended, beside the same words."""
        by_pair: dict[str, list[Row]] = {}
        for row in rows:
            by_pair.setdefault(row.pair, []).append(row)
        for sides in by_pair.values():
            few = self._draws.choice((_FEW_WORDS, _FEW_WORDS, _SOME_WORDS))
            yield tuple(self._pair(row, few) for row in sides)

    def beside_other_pages(self, rows: Sequence[Row]) -> Iterator[Unit]:
        """Yield judged claims; true ones also where what decides is missing."""
        for row, neighbour in zip(rows, (*rows[7:], *rows[:7]), strict=True):
            written = row.set in _WRITTEN
            if row.label is not Label.SUPPORTED:
                absent = row.label is Label.NOT_SUPPORTED
                if not written or (absent and self._draws.random() < _NOT_STATED_SHARE):
                    yield (self._pair(row, _MANY_WORDS),)
                continue
            words = self._draws.choice((_SOME_WORDS, _MANY_WORDS))
            without = _without_deciding(row)
            if without is None or self._draws.random() < _NOT_STATED_SHARE:
                other = neighbour.evidence
            else:
                other = without
            lacking = replace(row, evidence=other, label=Label.NOT_SUPPORTED)
            yield (self._pair(row, words), self._pair(lacking, words))

    def other_values(self, units: Sequence[Unit]) -> Iterator[Unit]:
        """Yield supported claims of `units`, and each with one value made wrong."""
        for unit in units:
            for pair in unit:
                wrong = self._other_value(pair) if pair.target == SUPPORTED else None
                if wrong is not None:
                    yield (pair, wrong)

    def _pair(self, row: Row, words: int) -> TrainingPair:
        given = case(row)
        claimed = prepare(given.claim, row.title, self._rarity, self._read)
        stated = gather(
            claimed, context(row.title, given.claim), given.passages, self._read
        )
        text = PairText(
            sentence(given.claim),
            about(row.title, given.claim),
            assemble(claimed, stated, most_words=words),
        )
        return TrainingPair(text, _TARGETS[row.label], _marks(row, text.claim), row.set)

    def _other_value(self, pair: TrainingPair) -> TrainingPair | None:
        of_claim, of_evidence = tags(pair.text.claim, pair.text.evidence, self._read)
        mine = [tag for tag in of_claim if tag.segment is Segment.VALUE_STATED]
        if not mine:
            return None
        value = self._draws.choice(mine)
        was = _text(pair.text.claim, value)
        others = [
            _text(pair.text.evidence, tag)
            for tag in of_evidence
            if tag.segment in {Segment.VALUE_OTHER, Segment.VALUE_RIVAL}
        ]
        alike = [one for one in others if _shape(one) == _shape(was)]
        near = self._near(was)
        if alike and (near is None or self._draws.random() < 1 / 2):
            now = self._draws.choice(alike)
        elif near is not None:
            now = near
        else:
            return None
        claim = pair.text.claim[: value.start] + now + pair.text.claim[value.end :]
        marks = (
            whole(claim, supported=True),
            Mark(value.start, value.start + len(now), supported=False),
        )
        text = replace(pair.text, claim=claim)
        return TrainingPair(text, REFUTED, marks, f"{pair.origin}, other value")

    def _near(self, was: str) -> str | None:
        """Return `was` with its digits changed a little, written alike."""
        digits = [at for at, sign in enumerate(was) if sign.isdigit()]
        if not digits:
            return None
        at = self._draws.choice(digits[-2:])
        first = at == digits[0] and len(digits) > 1
        choices = [one for one in "123456789" if one != was[at]]
        other = self._draws.choice(choices if first else [*choices, "0"])
        return None if other == was[at] else was[:at] + other + was[at + 1 :]


def _text(text: str, tag: Tag) -> str:
    return text[tag.start : tag.end]


def _shape(value: str) -> tuple[int, bool, bool]:
    """Return what two values must share to stand in each other's place."""
    digits = sum(sign.isdigit() for sign in value)
    letters = any(sign.isalpha() for sign in value)
    return (digits if digits >= len("1998") else 1), letters, "%" in value


def _without_deciding(row: Row) -> tuple[str, ...] | None:
    deciding = {at for group in row.supporting for at in group}
    left = tuple(text for at, text in enumerate(row.evidence) if at not in deciding)
    return left if deciding and left else None


def _marks(row: Row, claim: str) -> tuple[Mark, ...]:
    if row.label is Label.SUPPORTED:
        return (whole(claim, supported=True),)
    found = []
    for words in row.marked:
        at = claim.rfind(words)
        if at >= 0:
            found.append(Mark(at, at + len(words), supported=False))
    return (whole(claim, supported=True), *found) if found else ()
