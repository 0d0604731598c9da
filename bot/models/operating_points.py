"""Thresholds and counts that ship with the models, as JSON that a person can read.

Operating points are listed under the name and version of the engine that each threshold
was chosen for. How far a language model's answer counts is listed with the data on
which it was counted.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from handlers.citations.flags import (
    ANY_WIKI,
    LEAST_THRESHOLD,
    ConfirmedShares,
    ConfirmingPoint,
    EnginePoints,
    Measured,
    OperatingPoint,
)
from handlers.citations.model_judge import Trust
from handlers.model import CITATION_CHECKS, CheckKind, Engine, Verdict
from handlers.ports import PermanentError

FORMAT = 2
NAME = "operating_points.json"
_DIGITS = 4
_MAX_BYTES = 1_000_000


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Measured(_Strict):
    files: dict[str, Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]]
    sets: tuple[str, ...]
    rows: int = Field(ge=1)
    flagged: int = Field(ge=0)
    base_rate: float = Field(ge=0, le=1)
    precision: float = Field(ge=0, le=1)
    precision_ci95: tuple[float, float] | None
    recall: float = Field(ge=0, le=1)
    recall_ci95: tuple[float, float] | None
    false_alarms: float = Field(ge=0, le=1)


class _Point(_Strict):
    kind: CheckKind
    threshold: float | None = Field(ge=LEAST_THRESHOLD, le=1)
    measured: _Measured


class _Shares(_Strict):
    file: str
    set: str
    rows: int = Field(ge=1)
    supported: float = Field(ge=0, le=1)
    supported_ci95: tuple[float, float] | None
    others: float = Field(ge=0, le=1)
    others_ci95: tuple[float, float] | None


class _Confirming(_Strict):
    threshold: float = Field(ge=0, le=1)
    chosen: str
    measured: tuple[_Shares, ...]


class _Engine(_Strict):
    name: str = Field(min_length=1)
    version: str = Field(min_length=1)
    languages: tuple[str, ...]
    chosen: str = ""
    confirming: _Confirming | None = None
    wikis: dict[str, tuple[_Point, ...]]

    @model_validator(mode="after")
    def _is_whole(self) -> "_Engine":
        if ANY_WIKI not in self.wikis:
            raise ValueError(f"{self.name} {self.version} has no points for {ANY_WIKI}")
        for wiki, points in self.wikis.items():
            kinds = sorted(one.kind.name for one in points)
            if kinds != sorted(kind.name for kind in CITATION_CHECKS):
                raise ValueError(f"{wiki} needs one point of each kind")
        return self


class _File(_Strict):
    format: int
    engines: tuple[_Engine, ...]


def to_json(engines: Iterable[EnginePoints]) -> str:
    """Return the text of a file of points."""
    content = {
        "format": FORMAT,
        "engines": [_engine_to_json(one) for one in engines],
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def from_json(text: str) -> tuple[EnginePoints, ...]:
    """Read what `to_json` wrote.

    Raises:
        ValueError: the text is not a file of points, or a point is out of range.
    """
    try:
        file = _File.model_validate_json(text)
    except ValidationError as error:
        raise ValueError(f"not a file of operating points: {error}") from error
    if file.format != FORMAT:
        raise ValueError(f"format {file.format} of operating points is not {FORMAT}")
    return tuple(_engine(one) for one in file.engines)


def read_points(path: Path) -> tuple[EnginePoints, ...]:
    """Read a file of points; a missing file has none.

    Raises:
        PermanentError: it cannot be read, or is not such a file.
    """
    try:
        if path.stat().st_size > _MAX_BYTES:
            raise ValueError(f"it is larger than {_MAX_BYTES:,} bytes")
        return from_json(path.read_text("utf-8"))
    except FileNotFoundError:
        return ()
    except (OSError, ValueError) as error:
        raise PermanentError(
            f"{path} cannot be used as operating points: {error}"
        ) from error


def shipped_points() -> tuple[EnginePoints, ...]:
    """Read the points from the package's data."""
    file = files("bot.models").joinpath("files", NAME)
    return from_json(file.read_text("utf-8"))


def merged(
    known: Sequence[EnginePoints], new: EnginePoints
) -> tuple[EnginePoints, ...]:
    """Return the points with those of one engine replaced, in a stable order."""
    others = [one for one in known if one.engine != new.engine]
    return tuple(
        sorted([*others, new], key=lambda one: (one.engine.name, one.engine.version))
    )


def _engine(read: _Engine) -> EnginePoints:
    return EnginePoints(
        engine=Engine(read.name, read.version),
        languages=frozenset(read.languages),
        chosen=read.chosen,
        confirming=_confirming(read.confirming) if read.confirming else None,
        by_wiki={
            wiki: tuple(
                OperatingPoint(
                    one.kind, one.threshold, Measured(**one.measured.model_dump())
                )
                for one in points
            )
            for wiki, points in read.wikis.items()
        },
    )


def _confirming(read: _Confirming) -> ConfirmingPoint:
    shares = tuple(ConfirmedShares(**one.model_dump()) for one in read.measured)
    return ConfirmingPoint(read.threshold, read.chosen, shares)


def _engine_to_json(points: EnginePoints) -> dict[str, Any]:
    return {
        "name": points.engine.name,
        "version": points.engine.version,
        "languages": sorted(points.languages),
        "chosen": points.chosen,
        "confirming": asdict(points.confirming) if points.confirming else None,
        "wikis": {
            wiki: [_point_to_json(one) for one in chosen]
            for wiki, chosen in points.by_wiki.items()
        },
    }


def _point_to_json(point: OperatingPoint) -> dict[str, Any]:
    if point.measured is None:
        raise ValueError("only a point that was measured is written down")
    one = point.measured
    return {
        "kind": point.kind.value,
        "threshold": point.threshold,
        "measured": {
            "files": dict(one.files),
            "sets": list(one.sets),
            "rows": one.rows,
            "flagged": one.flagged,
            "base_rate": _short(one.base_rate),
            "precision": _short(one.precision),
            "precision_ci95": _ends(one.precision_ci95),
            "recall": _short(one.recall),
            "recall_ci95": _ends(one.recall_ci95),
            "false_alarms": _short(one.false_alarms),
        },
    }


def _short(value: float) -> float:
    return round(value, _DIGITS)


def _ends(interval: tuple[float, float] | None) -> list[float] | None:
    return None if interval is None else [_short(end) for end in interval]


class Counted(BaseModel):
    """On which data answers were counted, of which model, and how many."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    file: str
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    model: str
    answers: int = Field(ge=0)


class TrustFile(BaseModel):
    """The file: `answers[true][said]` counts answers with a quote that was found."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: int = Field(1, ge=1, le=1)
    provenance: tuple[Counted, ...]
    verifier_weight: float = Field(ge=0, le=1)
    answers: dict[Verdict, dict[Verdict, int]]


def shipped_trust() -> Trust:
    """Read the counts from the package's data.

    They say how far a language model's answer counts, as counted on judged claims.
    """
    file = files("bot.models").joinpath("files", "model_trust.json")
    read = TrustFile.model_validate_json(file.read_text("utf-8"))
    return Trust(read.answers, read.verifier_weight)
