"""What the network is trained on: labelled claims, revisions, and contrasts.

If wrong claims are written differently from right ones, a network learns the style, not
what the page says. So an example has its counterpart wherever the data has one, and
both are in one batch (a unit): a claim and the same claim corrected; a claim with its
page and with that page minus the sentences that decide; a value and another one that
the page gives for something else; and, sharpest of all, VitaminC's revisions: the same
claim with a sentence before and after one fact in it changed.
"""

import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

from bot.research.evaluation.datasets import Label, Row, case, read_rows
from bot.research.evaluation.report import Progress
from handlers.citations.comparison import context, gather, prepare
from handlers.citations.corpus import Analyser, read_corpus
from handlers.citations.network_input import (
    MOST_WORDS,
    PairText,
    Segment,
    Tag,
    pair,
    tags,
)
from handlers.text.analysis import analyse
from handlers.text.words import Rarity

SUPPORTED = (1.0, 0.0, 0.0)
REFUTED = (0.0, 1.0, 0.0)
UNMENTIONED = (0.0, 0.0, 1.0)
WORDS_ALONE = (0.0, 0.0, 0.0)  # of a pair that only teaches words


@dataclass(frozen=True, slots=True)
class Mark:
    """Whether the evidence supports the claim's characters from `start` to `end`."""

    start: int
    end: int
    supported: bool


@dataclass(frozen=True, slots=True)
class TrainingPair:
    """A text pair with its target.

    `target` holds the shares of supported, refuted and not enough information.
    Later `marks` override earlier ones; words without a mark teach nothing.
    `origin` names the kind of example, for the ablation table.
    """

    text: PairText
    target: tuple[float, float, float]
    marks: tuple[Mark, ...]
    origin: str


def whole(claim: str, *, supported: bool) -> Mark:
    """Return a mark over all of `claim`."""
    return Mark(0, len(claim), supported)


_TARGETS = {
    Label.SUPPORTED: SUPPORTED,
    Label.REFUTED: REFUTED,
    Label.NOT_ENOUGH_INFORMATION: UNMENTIONED,
    Label.PARTIALLY_SUPPORTED: UNMENTIONED,
    Label.NOT_SUPPORTED: (0.0, 0.15, 0.85),
}
# The number of folds that articles fall into. Rows of one fold are not used for
# training; the finished model's answers to them are used to weigh it.
_FOLDS = 12
# Sets whose rows are grouped by the title of a Wikipedia article.
_TITLED = ("vitaminc", "revision", "feverous", "foolmetwice")
_REAL, _SYNTHETIC = "vitaminc_real", "vitaminc_synthetic"
# Claims of WiCE with marked words: none is supported, so a network takes WiCE's style
# for a lack of support (its AUROC on WiCE dev fell from .69 to .56).
_ALL_LACKING = "wice_partial_tokens"
_NATIVE = {"refuted": REFUTED, "nei": UNMENTIONED, "supported": SUPPORTED}


def is_held_out(group: str) -> bool:
    """Return whether the network must not see the rows of this article."""
    return Random(f"held out {group}").randrange(_FOLDS) == 0  # noqa: S311 - no secret


def from_rows(
    rows: Sequence[Row], rarity: Rarity, analyse: Analyser
) -> Iterator[TrainingPair]:
    """Yield one example for each row of labelled claim and evidence."""
    for row in rows:
        text = _pair_text(row, row.title or _title(row), rarity, analyse)
        target = WORDS_ALONE if row.set == _ALL_LACKING else _TARGETS[row.label]
        yield TrainingPair(text, target, _marks(row), row.set)


def _pair_text(
    row: Row, title: str, rarity: Rarity, analyse: Analyser, words: int = MOST_WORDS
) -> PairText:
    given = case(row)
    claimed = prepare(given.claim, row.title, rarity, analyse)
    corpus = read_corpus(given.passages, analyse)
    stated = gather(claimed, context(row.title, given.claim), corpus, analyse)
    return pair(title, given.claim, claimed, stated, words)


def _title(row: Row) -> str:
    """Return the article's title if the data uses it as the group."""
    titled = row.set.startswith(_TITLED)
    return row.group.replace("-LRB-", "(").replace("-RRB-", ")") if titled else ""


def _marks(row: Row) -> tuple[Mark, ...]:
    if row.unsupported_words:
        return tuple(_word_marks(row))
    return (whole(row.claim, supported=True),) if row.label is Label.SUPPORTED else ()


def _word_marks(row: Row) -> Iterator[Mark]:
    at = 0
    for word, unsupported in row.unsupported_words:
        found = row.claim.find(word, at)
        if found < 0:
            return
        at = found + len(word)
        yield Mark(found, at, not unsupported)


def from_revisions(path: Path) -> Iterator[TrainingPair]:
    """Yield two examples for each revision: its claim after and before the edit."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            fields = json.loads(line)
            if not is_held_out(fields["page"]):
                yield from _revision(fields)


def _revision(fields: dict[str, Any]) -> Iterator[TrainingPair]:
    claim = _clean(fields["update_claim"])
    title = _clean(fields["page"])
    yield TrainingPair(
        PairText(claim, title, _clean(fields["target"])),
        SUPPORTED,
        (whole(claim, supported=True),),
        "revision after",
    )
    yield TrainingPair(
        PairText(claim, title, _clean(fields["original"])),
        _NATIVE[fields["original_label"]],
        (),
        "revision before",
    )


def _clean(text: str) -> str:
    return text.replace("-LRB-", "(").replace("-RRB-", ")")


def read_labelled(path: Path) -> tuple[Sequence[Row], Sequence[Row]]:
    """Return the openly licensed rows to train on, and those held out."""
    rows = [row for row in read_rows(path).rows if row.openly_licensed]
    held = [row for row in rows if is_held_out(row.group)]
    return [row for row in rows if not is_held_out(row.group)], held


# Examples that are learned from together, in one batch.
Unit: TypeAlias = tuple[TrainingPair, ...]

# Words of evidence: what one sentence decides is learned faster with few words.
_FEW_WORDS, _SOME_WORDS, _MANY_WORDS = 40, 90, 160
_NOT_STATED_SHARE = 0.2  # of claims written to be absent: their style gives them away
_OF_CONTRAST = {**_TARGETS, Label.NOT_SUPPORTED: UNMENTIONED}
_WRITTEN = frozenset({"judged_prose", "judged_cells"})


class Contrasts:
    """Makes units, with one model of rarity, one reader and one seed."""

    def __init__(self, rarity: Rarity, analyse: Analyser, draws: Random) -> None:
        self._rarity = rarity
        self._read = analyse
        self._draws = draws

    def mended(self, rows: Sequence[Row]) -> Iterator[Unit]:
        """Yield each wrong claim and the corrected one, both with the same evidence."""
        by_pair: dict[str, list[Row]] = {}
        for row in rows:
            by_pair.setdefault(row.pair, []).append(row)
        for sides in by_pair.values():
            few = self._draws.choice((_FEW_WORDS, _FEW_WORDS, _SOME_WORDS))
            yield tuple(self._pair(row, few) for row in sides)

    def beside_other_pages(self, rows: Sequence[Row]) -> Iterator[Unit]:
        """Yield judged claims; true ones also with evidence that lacks what decides."""
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
        """Yield supported claims of `units`, each with a copy with a wrong value."""
        for unit in units:
            for right in unit:
                if right.target == SUPPORTED:
                    wrong = self._other_value(right)
                    if wrong is not None:
                        yield (right, wrong)

    def _pair(self, row: Row, words: int) -> TrainingPair:
        text = _pair_text(row, row.title, self._rarity, self._read, words)
        target = _OF_CONTRAST[row.label]
        return TrainingPair(text, target, _marked(row, text.claim), row.set)

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
        """Return `was` with its digits changed a little, in the same format."""
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
    """Return what two values must share if one is to replace the other."""
    digits = sum(sign.isdigit() for sign in value)
    letters = any(sign.isalpha() for sign in value)
    return (digits if digits >= len("1998") else 1), letters, "%" in value


def _without_deciding(row: Row) -> tuple[str, ...] | None:
    deciding = {at for group in row.supporting for at in group}
    left = tuple(text for at, text in enumerate(row.evidence) if at not in deciding)
    return left if deciding and left else None


def _marked(row: Row, claim: str) -> tuple[Mark, ...]:
    if row.label is Label.SUPPORTED:
        return (whole(claim, supported=True),)
    found = []
    for words in row.marked:
        at = claim.rfind(words)
        if at >= 0:
            found.append(Mark(at, at + len(words), supported=False))
    return (whole(claim, supported=True), *found) if found else ()


@dataclass(frozen=True, slots=True)
class Amount:
    """How many units of a kind are used; all if not given."""

    revisions: int | None = None
    claims: int | None = None  # of VitaminC, each with all its evidence
    synthetic: int | None = None
    others: int | None = None  # of the other labelled sets


# As much of each as two cores read in an hour: about four million word pieces.
SOME = Amount(revisions=7000, claims=7000, synthetic=0, others=4500)
ALL = Amount()
_REMEMBERED_TEXTS = 20_000
_MOST_EVIDENCE = 6
# Written claims seen more often teach their style: pairs of values kept improving, but
# AUROC on WiCE dev fell from .755 to .694, on real citations from .750 to .742.
_VIEWS = 3


@dataclass(frozen=True, slots=True)
class Shown:
    """All that a network is trained on."""

    written: Sequence[Sequence[Unit]]  # a view per pass, with other evidence
    others: Sequence[Unit]  # the same in each pass


def build(
    data: Path,
    rarity: Rarity,
    progress: Progress,
    *,
    seed: int,
    amount: Amount,
    passes: int,
) -> Shown:
    """Make the units from the data sets in the folder `data`.

    Raises:
        PermanentError: a data set is missing or has no usable row.
    """
    draws = Random(seed)  # noqa: S311 - draws of examples, no secret
    reader = lru_cache(_REMEMBERED_TEXTS)(analyse)
    contrasts = Contrasts(rarity, reader, draws)
    judged = data / "judged_claims"
    pairs = read_rows(judged / "pairs_train.jsonl.gz").rows
    claims = read_rows(judged / "train.jsonl.gz").rows
    labelled, _ = read_labelled(data / "verification" / "train.jsonl.gz")
    progress.started(_VIEWS + 2)

    def contrasted(units: list[Unit]) -> list[Unit]:
        progress.advance()
        return units + list(contrasts.other_values(units))

    written = [row for row in claims if row.set in _WRITTEN]
    views = [
        contrasted([*contrasts.mended(pairs), *contrasts.beside_other_pages(written)])
        for _ in range(min(passes, _VIEWS))
    ]
    natural = [row for row in claims if row.set not in _WRITTEN]
    others = contrasted(
        [
            *contrasts.beside_other_pages(natural),
            *(
                tuple(from_rows(rows, rarity, reader))
                for rows in _claims(labelled, draws)[: amount.claims]
            ),
        ]
    )
    revisions = list(
        from_revisions(data / "editing" / "vitaminc_revisions_train.jsonl.gz")
    )
    revised: list[Unit] = list(zip(revisions[::2], revisions[1::2], strict=True))
    draws.shuffle(revised)
    others += revised[: amount.revisions]
    others += [
        (one,) for one in from_rows(_others(labelled, draws, amount), rarity, reader)
    ]
    progress.advance()
    return Shown(views, others)


def _claims(rows: Sequence[Row], draws: Random) -> list[list[Row]]:
    """Return VitaminC's rows by claim: most claims have evidence for and against."""
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if row.set.startswith(_REAL):
            found.setdefault((row.group, row.claim), []).append(row)
    claims = [rows[:_MOST_EVIDENCE] for rows in found.values()]
    draws.shuffle(claims)
    return claims


def _others(rows: Sequence[Row], draws: Random, amount: Amount) -> list[Row]:
    synthetic = [row for row in rows if row.set.startswith(_SYNTHETIC)]
    others = [row for row in rows if not row.set.startswith((_REAL, _SYNTHETIC))]
    draws.shuffle(synthetic)
    draws.shuffle(others)
    return synthetic[: amount.synthetic] + others[: amount.others]
