"""Figures that no change may let fall: pinned in a file, compared after each run.

A floor names a metric by its path, such as `wice.auroc` or
`verification.sets.vitaminc_real.accuracy_three_way`, and holds whichever engine is
the default.
"""

from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from handlers.ports import PermanentError


class Floor(BaseModel):
    """What a metric must at least be, or at most, and when what was measured.

    `reason` says why the floor stands where it does.
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
        """Return the floor in words."""
        if self.at_least is not None:
            return f"at least {self.at_least:g}"
        return f"at most {self.at_most:g}"

    def holds(self, value: float) -> bool:
        """Tell whether `value` is good enough."""
        high_enough = self.at_least is None or value >= self.at_least
        return high_enough and (self.at_most is None or value <= self.at_most)


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    floors: tuple[Floor, ...]


def shipped_floors() -> tuple[Floor, ...]:
    """Read the floors that are pinned for the program's own engine."""
    text = files("bot.research.evaluation").joinpath("floors.json").read_text("utf-8")
    return _File.model_validate_json(text).floors


def read_floors(path: Path) -> tuple[Floor, ...]:
    """Read floors from a file of the same form.

    Raises:
        PermanentError: it cannot be read or is not such a file.
    """
    try:
        return _File.model_validate_json(path.read_text("utf-8")).floors
    except (OSError, ValidationError, UnicodeDecodeError) as error:
        raise PermanentError(f"{path} cannot be used as floors: {error}") from error


def compared(
    metrics: Mapping[str, Any], floors: Sequence[Floor]
) -> list[tuple[Floor, float | None, bool]]:
    """Return each floor with the value measured and whether it holds.

    A metric that was not measured, or is undefined, does not hold: a floor that
    nobody looks at protects nothing.
    """
    found = []
    for floor in floors:
        value = _at(metrics, floor.metric)
        found.append((floor, value, value is not None and floor.holds(value)))
    return found


def _at(metrics: Mapping[str, Any], path: str) -> float | None:
    value: Any = metrics
    for part in path.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return float(value) if isinstance(value, int | float) else None
