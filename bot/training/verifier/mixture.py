"""All examples of all kinds, in an order that the seed fixes."""

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import lru_cache
from multiprocessing import get_context
from pathlib import Path
from random import Random

from bot.evaluation.datasets import Row
from bot.evaluation.progress import Progress
from bot.training.samples import PAGE_SETS
from bot.training.verifier.beside import Table
from bot.training.verifier.labelled import (
    TITLED,
    from_revisions,
    from_rows,
    read_labelled,
)
from bot.training.verifier.pair import TrainingPair
from bot.training.verifier.web_articles import read_articles
from bot.training.verifier.web_pages import PAGES, WebPairs
from handlers.citations.cues.rarity import Rarity
from handlers.citations.cues.reading import read

_REMEMBERED_TEXTS = 20_000
_ROWS_OF_PART = 5_000
# Parts of the articles with draws of their own, so that several cores can make them;
# how many cores there are changes nothing.
_WEB_PARTS = 8
# Of the examples that people labelled, and of the claims with one thing changed, how
# many the second stage sees again; all others it sees in full.
_LABELLED_AGAIN = 0.22
_CHANGED_AGAIN = 0.5


@dataclass(frozen=True, slots=True)
class Mixture:
    """What to train on.

    `untitled` is how many titles are left out where the data has them only as the
    name of a group, so that the network needs none.
    """

    seed: int = 20261121
    untitled: float = 0.6


def build(
    data: Path, mixture: Mixture, rarity: Rarity, progress: Progress
) -> list[TrainingPair]:
    """Make the examples from the data sets in the folder `data`, on all cores.

    The same mixture gives the same examples in the same order.

    Raises:
        PermanentError: a data set is missing or has no usable row.
    """
    rows, _ = read_labelled(data / "verification" / "train.jsonl.gz")
    systems = data / "wiki_live_challenge" / "systems_dev"
    parts = [rows[first : first + _ROWS_OF_PART] for first in _starts(rows)]
    progress.started(_WEB_PARTS + len(parts))
    made: list[TrainingPair] = []
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        jobs = [
            pool.submit(_web, systems, part, mixture, rarity)
            for part in range(_WEB_PARTS)
        ]
        jobs += [pool.submit(_labelled, part, rarity) for part in parts]
        for job in jobs:
            made += job.result()
            progress.advance()
    made += from_revisions(data / "editing" / "vitaminc_revisions_train.jsonl.gz")
    return _drawn(made, mixture)


def again(pairs: Sequence[TrainingPair], seed: int) -> list[int]:
    """Return which of `pairs` the second stage takes: whole pages above all.

    Short evidence comes first and teaches what bears out and what refutes; the pages
    that follow teach how much of a claim may be missing.
    """
    draws = Random(seed)  # noqa: S311 - a choice, no secret
    return [
        at
        for at, pair in enumerate(pairs)
        if draws.random() < _share_again(pair.origin)
    ]


def _share_again(origin: str) -> float:
    if "changed" in origin:
        return _CHANGED_AGAIN
    return 1.0 if origin in PAGES | PAGE_SETS else _LABELLED_AGAIN


def _starts(rows: Sequence[Row]) -> range:
    return range(0, len(rows), _ROWS_OF_PART)


def _labelled(rows: Sequence[Row], rarity: Rarity) -> list[TrainingPair]:
    return list(from_rows(rows, rarity, lru_cache(_REMEMBERED_TEXTS)(read)))


def _web(
    systems: Path, part: int, mixture: Mixture, rarity: Rarity
) -> list[TrainingPair]:
    """Make the weakly labelled examples of every so manieth article."""
    draws = Random(mixture.seed + part)  # noqa: S311 - draws of examples, not secrets
    maker = WebPairs(Table(rarity, lru_cache(_REMEMBERED_TEXTS)(read), draws))
    return [
        pair
        for number, article in enumerate(read_articles(systems))
        if number % _WEB_PARTS == part
        for pair in maker.of(article)
    ]


def _drawn(pairs: Sequence[TrainingPair], mixture: Mixture) -> list[TrainingPair]:
    draws = Random(mixture.seed)  # noqa: S311 - an order, no secret
    order = list(pairs)
    draws.shuffle(order)
    return [_untitled(pair, mixture.untitled, draws.random) for pair in order]


def _untitled(
    pair: TrainingPair, share: float, draw: Callable[[], float]
) -> TrainingPair:
    if pair.origin.startswith(TITLED) and draw() < share:
        return replace(pair, text=replace(pair.text, about=""))
    return pair
