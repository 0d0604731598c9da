"""What was measured, with all that a reader needs to weigh it. Pure."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from math import log
from typing import Any, TypeAlias

_FEWEST_SIZES = 2  # that a growth is told of


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

    `formula` tells how a figure was made of what was read off. `left_out` says in a line each what could not be measured, and why. Shares of
    one whole (`is_whole`) are shown with the part that each has of their sum.
    """

    key: str
    title: str
    unit: str
    counted: str
    formula: str
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
        """Return the exponent from the middle size to the largest; linear is 1.

        It is the slope of the line of least squares through the logarithms of all rounds
        at these sizes. Below them, what costs the same at any size would hide the growth.
        """
        points = self.points[(len(self.points) - 1) // 2 :]
        places = [(x, one) for x, rounds in points for one in rounds]
        if len({x for x, _ in places}) < _FEWEST_SIZES or min(chain(*places)) <= 0:
            return None
        line = statistics.linear_regression(
            [log(x) for x, _ in places], [log(one) for _, one in places]
        )
        return line.slope


@dataclass(frozen=True, slots=True)
class Growth:
    """How a cost grows with its input."""

    key: str
    title: str
    across: str
    unit: str
    counted: str
    formula: str
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


def to_json(publication: Made) -> dict[str, Any]:
    """Return all figures; of what a page shows, nothing is left out."""
    return {
        "facts": dict(publication.facts),
        "sections": [_section(one) for one in publication.sections],
    }


def _section(one: Section) -> dict[str, Any]:
    section: dict[str, Any] = {
        "key": one.key,
        "title": one.title,
        "unit": one.unit,
        "n": one.counted,
        "formula": one.formula,
        "left_out": list(one.left_out),
    }
    if isinstance(one, Comparison):
        section["bars"] = [
            {"name": bar.name, "peer": bar.is_peer, "note": bar.note}
            | spread(bar.rounds)
            for bar in one.bars
        ]
        return section
    section["across"] = one.across
    section["curves"] = [
        {
            "name": curve.name,
            "peer": curve.is_peer,
            "exponent": None if curve.growth is None else round(curve.growth, 2),
            "points": [{"at": x} | spread(rounds) for x, rounds in curve.points],
        }
        for curve in one.curves
    ]
    return section


def _short(value: float) -> float:
    return float(f"{value:.4g}")
