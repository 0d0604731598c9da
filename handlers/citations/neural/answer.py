"""What the cross-encoder says of one text pair. Pure."""

from collections.abc import Callable
from dataclasses import dataclass
from math import log
from typing import TypeAlias

from handlers.citations.neural.pairs import PairText


@dataclass(frozen=True, slots=True)
class PairAnswer:
    """The network's answer: three probabilities.

    They sum to 1; they are the network's own and not calibrated.
    """

    supported: float
    refuted: float
    unmentioned: float


# Reads a pair; the same pair gives the same answer.
CrossEncoder: TypeAlias = Callable[[PairText], PairAnswer]

_LEAST = 1e-4


def log_odds(likely: float) -> float:
    """Return log(p / (1 - p)), bounded to some ±9."""
    bounded = min(max(likely, _LEAST), 1 - _LEAST)
    return log(bounded / (1 - bounded))
