"""What an engine says of rows it was fitted on, had it not been.

Where nothing else of the kind exists, an engine may be calibrated or stacked on the
very file it is measured on. Its answers to those rows then come from folds: each
from an engine fitted without any row of the same article. Only such answers may
choose a threshold or be reported as a figure.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from bot.research.evaluation.datasets import DataSet
from bot.research.evaluation.judging import Judged
from bot.research.evaluation.progress import Progress
from handlers.model import Engine, Probabilities, Verdict
from handlers.ports import Verifier


class OutOfFold(Protocol):
    """An engine that can be fitted again without the rows it is asked about."""

    @property
    def engine(self) -> Engine:
        """The engine as it ships; its answers to unseen rows need no folds."""
        ...

    def answers(self, data: DataSet, progress: Progress) -> Mapping[int, Probabilities]:
        """Return the answers to the rows of `data` that the engine has seen.

        The key is the row's index in `data.rows`. Rows that are missing were not
        fitted on, in whatever part of the engine. All that was fitted on these rows
        (weights, calibration, stack) is fitted anew for each fold; folds keep
        `Row.group` together and are drawn from a fixed seed.
        """
        ...


class FindsFolds(Protocol):
    """Knows how each engine is fitted again."""

    def __call__(self, verifier: Verifier, /) -> OutOfFold | None:
        """Return the folds of `verifier`; `None` if it never saw data it may meet."""
        ...


def no_folds(_: Verifier) -> OutOfFold | None:
    """Take every engine for one that was not fitted on what it is measured on."""
    return None


def unseen(
    judged: Sequence[Judged], answers: Mapping[int, Probabilities]
) -> list[Judged]:
    """Return `judged` with the answers of folds in place of those to seen rows.

    The verdict is the likeliest one, as everywhere.
    """
    return [
        _answered(one, answers[at]) if at in answers else one
        for at, one in enumerate(judged)
    ]


def _answered(judged: Judged, likely: Probabilities) -> Judged:
    verdict = max(Verdict, key=likely.of)
    return replace(
        judged,
        verification=replace(
            judged.verification, probabilities=likely, verdict=verdict
        ),
    )
