"""The one form in which every evaluation is recorded.

A score without its data, engine and number of unscored rows cannot be traced, so these
are kept together, along with the data behind plots and tables.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

from bot.research.evaluation.datasets import Data, DataSet, FileRows, Unscored
from bot.research.evaluation.metrics import (
    Measure,
    Scores,
    Truth,
    UndefinedMetricError,
    interval95,
)
from bot.surfaces.feedback import wilson95
from handlers.model import Engine
from handlers.ports import Verifier

_DIGITS = 4
RESAMPLES = 500  # for an interval


@runtime_checkable
class KnowsItsData(Protocol):
    """A verifier that knows which files it was fitted on."""

    def fitted_on(self, sha256: str) -> Mapping[str, Any] | None:
        """Return the figures cross-validated on that file; `None` if never seen."""
        ...


@dataclass(frozen=True, slots=True)
class Curves:
    """One set of rows: which claims fail (some do), and how each scorer scored them.

    `scores` begins with the engine; the higher, the likelier the claim fails.
    `likely` is the engine's probability that the claim is supported.
    """

    table: str
    fails: Truth
    scores: tuple[tuple[str, Scores], ...]
    likely: Scores


@dataclass(frozen=True, slots=True)
class Bars:
    """Shares of several items side by side, one bar of each series for each item."""

    table: str
    title: str
    across: str  # what the length of a bar means
    labels: tuple[str, ...]
    series: tuple[tuple[str, tuple[float, ...]], ...]  # a value for each label
    has_means: bool = True


@dataclass(frozen=True, slots=True)
class GridRow:
    """A row; rows of one `group` follow its name."""

    label: str
    cells: tuple[str, ...]
    group: str = ""
    is_ours: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """A whole table with a line that describes it; named `remarks` follow below.

    The cells of one `in_words` are texts.
    """

    title: str
    note: str
    columns: tuple[str, ...]
    rows: tuple[GridRow, ...]
    remarks: tuple[tuple[str, str], ...] = ()
    in_words: bool = False


@dataclass(frozen=True, slots=True)
class FactMap:
    """Which of the same facts, in order, each system covers (1) or contradicts (2)."""

    table: str
    title: str
    systems: tuple[str, ...]
    rows: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Points:
    """Values over a length or a similar scale, one point of each series for each `x`."""

    table: str
    title: str
    across: str
    up: str
    x: tuple[float, ...]
    series: tuple[tuple[str, tuple[float, ...]], ...]


# What is drawn in the group of metrics that its `table` names.
Plot: TypeAlias = Curves | Bars | Points | FactMap


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """What was measured, on which data, with which engine.

    `metrics` holds numbers, `None` where a metric is undefined (its reason under
    `notes`), and nested mappings of the same kind.
    """

    benchmark: str
    data: FileRows[Any] | Data
    engine: Mapping[str, Any]
    metrics: Mapping[str, Any]
    plots: tuple[Plot, ...] = ()  # their data; not part of the JSON
    about_data: Mapping[str, Any] = field(default_factory=dict)  # besides the file
    grids: tuple[Grid, ...] = ()  # tables as a paper prints them; not part of the JSON
    rows: Sequence[Mapping[str, Any]] = ()  # figures of single rows, if they help

    @property
    def unscored(self) -> tuple[Unscored, ...]:
        return self.data.unscored

    def to_json(self) -> str:
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n"

    def to_dict(self) -> dict[str, Any]:
        """Return what `to_json` writes.

        `data.rows` counts every row of the file, including unscored ones.
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


def named(engine: Engine, **more: Any) -> dict[str, Any]:
    """Return an engine as reports name it, and what else contributed to the figures."""
    return {"name": engine.name, "version": engine.version, **more}


def engine_of(
    verifier: Verifier, data: DataSet, out_of_fold: int = 0
) -> dict[str, Any]:
    """Describe the verifier; if it was fitted on `data`, say so.

    In that case the cross-validated figures are included. Answers to `out_of_fold` rows
    come from folds; if that is 0, the cross-validated figures are the ones to quote.
    """
    engine = named(verifier.engine)
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
    """Collects metrics by name, with their intervals, or the reason for having none."""

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}
        self._notes: dict[str, str] = {}

    def put(
        self, name: str, value: float, ends: tuple[float, float] | None = None
    ) -> None:
        """Record a metric and the ends of its 95 % interval (`<name>_ci95`)."""
        self._values[name] = round(value, _DIGITS)
        self._values[f"{name}_ci95"] = (
            None if ends is None else [round(end, _DIGITS) for end in ends]
        )

    def add_measured(
        self,
        name: str,
        groups: Sequence[str],
        measure: Measure,
        *,
        resamples: int | None = None,
    ) -> None:
        """Add the metric of all rows, with its interval over groups of rows.

        `measure` gets the indices of the rows to measure. A difference of two metrics
        is measured on the same rows in each draw, so that what makes a draw easy or
        hard cancels out: an interval above zero means that the first is better here.
        """
        try:
            value = measure(np.arange(len(groups)))
        except UndefinedMetricError as error:
            self.omit(name, str(error))
            return
        ends = interval95(measure, groups, resamples=resamples or RESAMPLES)
        self.put(name, value, ends)

    def add_mean(
        self,
        name: str,
        groups: Sequence[str],
        values: Iterable[float | None],
        without: str = "nothing to take a mean of",
    ) -> None:
        """Add the mean of the rows with a value; `without` is the reason for none."""
        numbers = np.array(
            [np.nan if one is None else one for one in values], dtype=np.float64
        )

        def mean(at: npt.NDArray[np.int64]) -> float:
            chosen = numbers[at]
            chosen = chosen[~np.isnan(chosen)]
            if not len(chosen):
                raise UndefinedMetricError(without)
            return float(chosen.mean())

        self.add_measured(name, groups, mean)

    def add_share(
        self, name: str, hits: int, tries: int, *, things: int | None = None
    ) -> None:
        """Add a share of tries, with Wilson's interval.

        Tries at the same item are not independent, so the interval is as wide as if
        each of the `things` had been tried once. With few items, a bootstrap would be
        overconfident.
        """
        if not tries:
            self.omit(name, "no row")
            return
        share = hits / tries
        width = tries if things is None else things
        self.put(name, share, wilson95(share * width, width))

    def omit(self, name: str, reason: str) -> None:
        self._values[name] = None
        self._values[f"{name}_ci95"] = None
        self._notes[name] = reason

    def to_dict(self) -> dict[str, Any]:
        return {**self._values, **({"notes": self._notes} if self._notes else {})}


class Progress(Protocol):
    """Counts the steps of one run."""

    def started(self, total: int, /) -> None: ...

    def advance(self) -> None: ...
