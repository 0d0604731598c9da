"""The benchmarks of citations, and the floors below which no change may push their figures.

A new benchmark is one line here; `sidenote evaluate all` then runs it, and floors can
be pinned for it. A floor names a metric by its path, such as `wice.auroc` or
`verification.sets.vitaminc_real.accuracy_three_way`, and applies whichever engine is
the default.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from bot.models.encoder import Encoder
from bot.research.evaluation.citations import (
    demo,
    ranking,
    recommendations,
    retrieval,
    verification,
)
from bot.research.evaluation.contest import Contest
from bot.research.evaluation.report import EvaluationReport, Progress
from bot.sources.reliability import load_reliability
from handlers.citations.better_sources import Policy
from handlers.ports import PermanentError, Verifier


@dataclass(frozen=True, slots=True)
class Measurement:
    """What all benchmarks of one run share.

    `folder` holds what one benchmark makes and another can use.
    """

    verifier: Verifier
    progress: Progress
    contest: Contest
    folder: Path


Measure: TypeAlias = Callable[[Path, Measurement], EvaluationReport]


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One evaluation; `file` is where its rows are in a folder of data sets.

    Rows that ship are among the program's own data.
    """

    name: str
    file: str
    measure: Measure
    ships: bool = False

    def place(self, data: Path) -> Path:
        return Path(str(files("bot"))) / self.file if self.ships else data / self.file


def _judged(measure: Callable[..., EvaluationReport], **options: str) -> Measure:
    """Return the measure of rows that a verifier judges, beside others."""
    return lambda data, by: measure(
        data, by.verifier, by.progress, by.contest, **options
    )


_POOL = "wikigenbench"  # the index of its pages
_EVENTS = "wikigenbench/events_dev.jsonl.gz"
BENCHMARKS = (
    Benchmark(
        "demo", "demo/judged/judgements.json", _judged(demo.evaluate), ships=True
    ),
    Benchmark(
        "verification", "verification/dev.jsonl.gz", _judged(verification.evaluate)
    ),
    Benchmark(
        "wice", "wice/claim_full_dev.jsonl.gz", _judged(verification.evaluate_wice)
    ),
    Benchmark(
        "unsupported",
        "wice/partial_subclaims_tokens_dev.jsonl.gz",
        lambda data, by: verification.evaluate_words(data, by.verifier, by.progress),
    ),
    Benchmark("ranking", "verification/train.jsonl.gz", _judged(ranking.evaluate)),
    Benchmark(
        "ranking_of_an_article",
        "wiki_live_challenge/sample_citation_judgements.json",
        _judged(ranking.evaluate, name="ranking of an article"),
    ),
    Benchmark(
        "retrieval",
        _EVENTS,
        lambda data, by: retrieval.evaluate(
            data, by.verifier, Encoder(), by.progress, pool=by.folder / _POOL
        ),
    ),
    Benchmark(
        "recommendations",
        _EVENTS,
        lambda data, by: recommendations.evaluate(
            data,
            by.verifier,
            Encoder(),
            by.progress,
            pool=by.folder / _POOL,
            policy=Policy(lists=load_reliability()),
        ),
    ),
)


class Floor(BaseModel):
    """The least or greatest value allowed for a metric, and what was measured when.

    `reason` says why the floor was set there.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    metric: str
    at_least: float | None = None
    at_most: float | None = None
    measured: float
    engine: str
    on: str
    reason: str

    @model_validator(mode="after")
    def _has_one_end(self) -> "Floor":
        if (self.at_least is None) == (self.at_most is None):
            raise ValueError(f"{self.metric} needs either at_least or at_most")
        return self

    @property
    def bound(self) -> str:
        if self.at_least is not None:
            return f"at least {self.at_least:g}"
        return f"at most {self.at_most:g}"

    def holds(self, value: float) -> bool:
        high_enough = self.at_least is None or value >= self.at_least
        return high_enough and (self.at_most is None or value <= self.at_most)


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    floors: tuple[Floor, ...]


def shipped_floors() -> tuple[Floor, ...]:
    return read_floors(Path(str(files("bot.research.evaluation"))) / "floors.json")


def read_floors(path: Path) -> tuple[Floor, ...]:
    try:
        return _File.model_validate_json(path.read_text("utf-8")).floors
    except (OSError, ValidationError, UnicodeDecodeError) as error:
        raise PermanentError(f"{path} cannot be used as floors: {error}") from error


def compared(
    metrics: Mapping[str, Any], floors: Sequence[Floor]
) -> list[tuple[Floor, float | None, bool]]:
    """Return each floor with the value measured and whether it holds.

    It does not hold for a metric that was not measured or is undefined: a floor that
    is never checked protects nothing.
    """
    found = []
    for floor in floors:
        place: Any = metrics
        for part in floor.metric.split("."):
            place = place.get(part) if isinstance(place, Mapping) else None
        value = float(place) if isinstance(place, int | float) else None
        found.append((floor, value, value is not None and floor.holds(value)))
    return found
