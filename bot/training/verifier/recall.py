"""What the network alone says of rows kept from training, class by class.

A loss that falls tells little: VitaminC's fell while four refuted claims in five were
called supported. So the log has the recall of each class for each set.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from random import Random

import numpy as np
import numpy.typing as npt
import torch
from tokenizers import Tokenizer

from bot.evaluation.datasets import Row, read_rows
from bot.evaluation.metrics import auroc
from bot.training.verifier.batches import Example, batch, examples
from bot.training.verifier.labelled import from_rows
from bot.training.verifier.network import CLASSES, PairNetwork
from handlers.citations.cues.rarity import Rarity
from handlers.citations.cues.reading import read

_FILES = (
    "verification/dev.jsonl.gz",
    "judged_claims/pairs_dev.jsonl.gz",
    "judged_claims/dev.jsonl.gz",
    "wice/claim_full_dev.jsonl.gz",
    "real_citations/dev.jsonl.gz",
)
_SETS = frozenset({"vitaminc_real", "judged_natural"})  # of the files with several
_ALL_OF = frozenset({"pairs_dev.jsonl.gz", "claim_full_dev.jsonl.gz"})
_MOST_ROWS = 240
_TOGETHER = 16
_REMEMBERED_TEXTS = 20_000


def recalls(
    data: Path, rarity: Rarity, tokenizer: Tokenizer
) -> Callable[[PairNetwork], dict[str, float]]:
    """Read some rows of each dev set; return what measures a network on them.

    Raises:
        PermanentError: a data set is missing or has no usable row.
    """
    reader = lru_cache(_REMEMBERED_TEXTS)(read)
    sets = {
        name: examples(list(from_rows(rows, rarity, reader)), tokenizer)
        for name, rows in _sets(data).items()
    }

    def measure(network: PairNetwork) -> dict[str, float]:
        figures: dict[str, float] = {}
        for name, found in sets.items():
            figures |= _figures(name, found, _likely(network, found))
        return figures

    return measure


def _sets(data: Path) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for path in _FILES:
        for row in read_rows(data / path).rows:
            file = Path(path)
            if (
                row.set in _SETS
                or file.name in _ALL_OF
                or file.parent.name == "real_citations"
            ):
                found.setdefault(
                    row.set if row.set != "unnamed" else file.parent.name, []
                ).append(row)
    for rows in found.values():
        Random(1).shuffle(rows)  # noqa: S311 - a choice of rows, no secret
    return {name: rows[:_MOST_ROWS] for name, rows in found.items()}


def _likely(network: PairNetwork, found: Sequence[Example]) -> npt.NDArray[np.float64]:
    order = sorted(range(len(found)), key=lambda at: len(found[at].laid_out.pieces))
    likely = np.zeros((len(found), len(CLASSES)))
    for first in range(0, len(order), _TOGETHER):
        part = order[first : first + _TOGETHER]
        longest = max(len(found[at].laid_out.pieces) for at in part)
        one = batch([found[at] for at in part], longest)
        logits, _ = network(one.pieces, one.attention, one.segments)
        likely[part] = torch.softmax(logits.float(), dim=-1).numpy()
    return likely


def _figures(
    name: str, found: Sequence[Example], likely: npt.NDArray[np.float64]
) -> dict[str, float]:
    truth = np.array([int(np.argmax(one.target)) for one in found])
    called = likely.argmax(axis=1)
    figures = {f"{name} auroc": auroc(truth == 0, likely[:, 0])}
    for at, label in enumerate(CLASSES):
        if (truth == at).any():
            recall = float((called[truth == at] == at).mean())
            figures[f"{name} recall of {label}"] = recall
    return figures
