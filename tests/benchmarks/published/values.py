"""What was measured, with all that a reader needs to weigh it. Pure."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Bar:
    """One contender: what it took in each round."""

    name: str
    rounds: tuple[float, ...]
    is_peer: bool = False
    note: str = ""

    @property
    def median(self) -> float:
        """What stands in the plot."""
        return statistics.median(self.rounds)


@dataclass(frozen=True, slots=True)
class Comparison:
    """Contenders over the same input; `counted` tells how much of what that was.

    `left_out` says in a line each what could not be measured, and why. Shares of
    one whole (`is_whole`) are shown with the part that each has of their sum.
    """

    key: str
    title: str
    unit: str
    counted: str
    bars: tuple[Bar, ...]
    left_out: tuple[str, ...] = ()
    is_whole: bool = False


@dataclass(frozen=True, slots=True)
class Curve:
    """One contender as the input grows: what it took in each round at each size."""

    name: str
    points: tuple[tuple[float, tuple[float, ...]], ...]
    is_peer: bool = False

    @property
    def growth(self) -> float | None:
        """Return the exponent between the middle and the largest size; linear is 1."""
        if not self.points:
            return None
        half = len(self.points) // 2
        (x, low), (most, high) = self.points[half], self.points[-1]
        before, after = statistics.median(low), statistics.median(high)
        if most <= x or not before or not after:
            return None
        return log(after / before) / log(most / x)


@dataclass(frozen=True, slots=True)
class Growth:
    """How a cost grows with its input."""

    key: str
    title: str
    across: str
    unit: str
    counted: str
    curves: tuple[Curve, ...]
    left_out: tuple[str, ...] = ()


Section: TypeAlias = Comparison | Growth


@dataclass(frozen=True, slots=True)
class Made:
    """A whole run; `facts` are of the machine, the versions and the command."""

    facts: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]


def spread(rounds: Sequence[float]) -> dict[str, Any]:
    """Return what is told of the rounds of one figure."""
    return {
        "median": _short(statistics.median(rounds)),
        "least": _short(min(rounds)),
        "most": _short(max(rounds)),
        "rounds": len(rounds),
    }


def to_json(made: Made) -> dict[str, Any]:
    """Return all figures; of what a page shows, nothing is left out."""
    return {
        "facts": dict(made.facts),
        "sections": [_section(one) for one in made.sections],
    }


def _section(one: Section) -> dict[str, Any]:
    told: dict[str, Any] = {
        "key": one.key,
        "title": one.title,
        "unit": one.unit,
        "n": one.counted,
        "left_out": list(one.left_out),
    }
    if isinstance(one, Comparison):
        told["bars"] = [
            {"name": bar.name, "peer": bar.is_peer, "note": bar.note}
            | spread(bar.rounds)
            for bar in one.bars
        ]
        return told
    told["across"] = one.across
    told["curves"] = [
        {
            "name": curve.name,
            "peer": curve.is_peer,
            "exponent": None if curve.growth is None else round(curve.growth, 2),
            "points": [{"at": x} | spread(rounds) for x, rounds in curve.points],
        }
        for curve in one.curves
    ]
    return told


def _short(value: float) -> float:
    return float(f"{value:.4g}")
