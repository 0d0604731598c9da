"""Examples that people labelled: the verification rows and Wikipedia's revisions.

VitaminC's revisions are the sharpest: the same claim beside a sentence before and
after one fact in it changed.
"""

import gzip
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

from bot.research.evaluation.datasets import Label, Row, case, read_rows
from bot.research.training.verifier.pair import (
    REFUTED,
    SUPPORTED,
    UNMENTIONED,
    Mark,
    TrainingPair,
    whole,
)
from handlers.citations.comparison import Reader, context, gather, prepare
from handlers.citations.network_input import PairText, pair
from handlers.citations.words import Rarity

_TARGETS = {
    Label.SUPPORTED: SUPPORTED,
    Label.REFUTED: REFUTED,
    Label.NOT_ENOUGH_INFORMATION: UNMENTIONED,
    Label.PARTIALLY_SUPPORTED: UNMENTIONED,
    Label.NOT_SUPPORTED: (0.0, 0.15, 0.85),
}
# What the fold of an article is told by; the rows of one in `FOLDS` train nothing and
# serve to weigh the finished model's answers.
FOLDS = 12
# Sets whose rows are grouped by the title of a Wikipedia article.
TITLED = ("vitaminc", "revision", "feverous", "foolmetwice")
_NATIVE = {"refuted": REFUTED, "nei": UNMENTIONED, "supported": SUPPORTED}


def is_held_out(group: str) -> bool:
    """Tell whether the rows of this article are kept from the network."""
    return Random(f"held out {group}").randrange(FOLDS) == 0  # noqa: S311 - no secret


def from_rows(
    rows: Sequence[Row], rarity: Rarity, read: Reader
) -> Iterator[TrainingPair]:
    """Yield one example for each row of labelled claim and evidence."""
    for row in rows:
        given = case(row)
        claimed = prepare(given.claim, row.title, rarity, read)
        stated = gather(claimed, context(row.title, given.claim), given.passages, read)
        text = pair(row.title or _title(row), given.claim, claimed, stated)
        yield TrainingPair(text, _TARGETS[row.label], _marks(row), row.set)


def _title(row: Row) -> str:
    """Return the article's title where the data gives it as the group."""
    titled = row.set.startswith(TITLED)
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
