"""The one form in which every evaluation is written down.

A score without its data, engine and number of unscored rows cannot be traced, so
these travel together.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from bot.research.evaluation.curves import Bars, Curves
from bot.research.evaluation.datasets import DataSet, Unscored
from bot.research.evaluation.grids import Grid
from bot.research.evaluation.metrics import UndefinedMetricError
from bot.research.evaluation.points import Points
from handlers.ports import Verifier

_DIGITS = 4


@runtime_checkable
class KnowsItsData(Protocol):
    """A verifier that can tell which files it was fitted on."""

    def fitted_on(self, sha256: str) -> Mapping[str, Any] | None:
        """Return the figures cross-validated on that file; `None` if never seen."""
        ...


class Fingerprinted(Protocol):
    """What was read from a file, which is known by its hash."""

    @property
    def file(self) -> str:
        """Its name."""
        ...

    @property
    def sha256(self) -> str:
        """Of its bytes."""
        ...

    @property
    def unscored(self) -> tuple[Unscored, ...]:
        """The rows that could not be used."""
        ...

    @property
    def row_count(self) -> int:
        """The number of rows in the file, unusable ones included."""
        ...


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """What was measured, on which data, with which engine.

    `metrics` holds numbers, `None` where a metric is undefined (its reason under
    `notes`), and nested mappings of the same kind.
    """

    benchmark: str
    data: Fingerprinted
    engine: Mapping[str, Any]
    metrics: Mapping[str, Any]
    curves: tuple[Curves, ...] = ()  # what plots are drawn from; not part of the JSON
    about_data: Mapping[str, Any] = field(default_factory=dict)  # beside the file
    bars: tuple[Bars, ...] = ()  # what else is drawn; not part of the JSON
    grids: tuple[Grid, ...] = ()  # tables as a paper prints them; not part of the JSON
    points: tuple[Points, ...] = ()  # what else is drawn; not part of the JSON
    rows: Sequence[Mapping[str, Any]] = ()  # figures of single rows, where they help

    @property
    def unscored(self) -> tuple[Unscored, ...]:
        """Return the rows that were left out, with their lines and reasons."""
        return self.data.unscored

    def to_json(self) -> str:
        """Return the report in the form that all evaluations share."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n"

    def to_dict(self) -> dict[str, Any]:
        """Return what `to_json` writes.

        `data.rows` counts every row of the file, the unscored ones included.
        """
        return {
            "benchmark": self.benchmark,
            "data": {
                "file": self.data.file,
                "sha256": self.data.sha256,
                "rows": self.data.row_count,
                "unscored": len(self.unscored),
                **self.about_data,
            },
            "engine": self.engine,
            "metrics": self.metrics,
            **({"rows": list(self.rows)} if self.rows else {}),
        }


def engine_of(
    verifier: Verifier, data: DataSet, out_of_fold: int = 0
) -> dict[str, Any]:
    """Describe the verifier; where it was fitted on `data`, say so.

    Then the cross-validated figures stand beside. Answers to `out_of_fold` rows come
    from folds; where that is 0, the cross-validated figures are the ones to quote.
    """
    engine: dict[str, Any] = {
        "name": verifier.engine.name,
        "version": verifier.engine.version,
    }
    if not isinstance(verifier, KnowsItsData):
        return engine
    seen = verifier.fitted_on(data.sha256)
    engine["fitted_on_this_data"] = seen is not None
    if out_of_fold:
        engine["rows_answered_out_of_fold"] = out_of_fold
    if seen is not None:
        engine["cross_validated_on_this_data"] = seen
    return engine


class Findings:
    """Collects metrics by name, with their intervals, or the reason for none."""

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}
        self._notes: dict[str, str] = {}

    def add(
        self,
        name: str,
        measure: Callable[[], float],
        interval: Callable[[], tuple[float, float] | None],
    ) -> None:
        """Measure one metric and its 95 % interval (`<name>_ci95`)."""
        try:
            self._values[name] = round(measure(), _DIGITS)
        except UndefinedMetricError as error:
            self.omit(name, str(error))
            return
        found = interval()
        self._values[f"{name}_ci95"] = (
            None if found is None else [round(end, _DIGITS) for end in found]
        )

    def omit(self, name: str, reason: str) -> None:
        """Note why a metric has no value."""
        self._values[name] = None
        self._values[f"{name}_ci95"] = None
        self._notes[name] = reason

    def to_dict(self) -> dict[str, Any]:
        """Return the values, and the notes where there are any."""
        return {**self._values, **({"notes": self._notes} if self._notes else {})}
