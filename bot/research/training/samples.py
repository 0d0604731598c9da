"""Rows of data sets as the lexical model measures them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bot.models.lexical import CLASSES
from bot.research.evaluation.datasets import Row, case
from bot.research.evaluation.report import Progress
from handlers.citations.annotation import read
from handlers.citations.comparison import context, gather, prepare
from handlers.citations.features import measure
from handlers.citations.network_input import (
    FEW_WORDS,
    MOST_WORDS,
    CrossEncoder,
    ask_network,
    pair,
)
from handlers.citations.values import measure_roles
from handlers.citations.words import Rarity
from handlers.model import Verdict

PAGE_SETS = frozenset({"wice", "wice_oracle_chunk", "wice_partial_tokens"})
_CLASS_OF = {
    Verdict.SUPPORTED: CLASSES.index("supported"),
    Verdict.PARTIALLY_SUPPORTED: CLASSES.index("partially_supported"),
    Verdict.NOT_SUPPORTED: CLASSES.index("not_supported"),
    Verdict.CONTRADICTED: CLASSES.index("contradicted"),
}


@dataclass(frozen=True, slots=True)
class Sample:
    row: Row
    measured: Mapping[str, float]
    word_count: int

    @property
    def label(self) -> int:
        return _CLASS_OF[self.row.label.verdict]


def sample(row: Row, rarity: Rarity, network: CrossEncoder | None = None) -> Sample:
    """Measure one row as a run would, with what `network` says of it if there is one."""
    given = case(row)
    claimed = prepare(given.claim, row.title, rarity, read)
    about = context(row.title, given.claim)
    stated = gather(claimed, about, given.passages, read)
    measured = measure(claimed, stated)
    if network is not None:
        measured |= measure_roles(claimed, stated)
        measured |= ask_network(
            network,
            lambda words: pair(row.title, given.claim, claimed, stated, words),
            (FEW_WORDS, MOST_WORDS),
        )
    return Sample(row, measured, stated.word_count)


def measured_of(
    rows: Iterable[Row],
    rarity: Rarity,
    progress: Progress,
    network: CrossEncoder | None = None,
) -> list[Sample]:
    samples = []
    for row in rows:
        samples.append(sample(row, rarity, network))
        progress.advance()
    return samples
