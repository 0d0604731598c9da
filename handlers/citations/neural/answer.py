"""What the cross-encoder says of one text pair, and what it says word by word. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, log
from typing import TypeAlias

from handlers.citations.neural.pairs import PairText
from handlers.model import Span


@dataclass(frozen=True, slots=True)
class PieceSupport:
    """How likely the evidence bears out one word piece of the claim."""

    span: Span  # in the claim
    likely: float


@dataclass(frozen=True, slots=True)
class PairAnswer:
    """The network's answer: three probabilities, and one for each piece of the claim.

    The three sum to 1; they are the network's own and not calibrated.
    """

    supported: float
    refuted: float
    unmentioned: float
    pieces: tuple[PieceSupport, ...]


# Reads a pair; the same pair gives the same answer.
CrossEncoder: TypeAlias = Callable[[PairText], PairAnswer]

_LEAST = 1e-4


def log_odds(likely: float) -> float:
    """Return log(p / (1 - p)), bounded to some ±9."""
    bounded = min(max(likely, _LEAST), 1 - _LEAST)
    return log(bounded / (1 - bounded))


def sigmoid(value: float) -> float:
    """Return the probability of a logit."""
    return 1 / (1 + exp(-value)) if value >= 0 else 1 - 1 / (1 + exp(value))


def of_word(pieces: Sequence[PieceSupport], start: int, end: int) -> float | None:
    """Return how likely the claim's words in `[start, end)` are borne out.

    The least sure of their pieces decides; `None` where the network saw none of
    them, because the claim is longer than it reads.
    """
    found = [
        piece.likely
        for piece in pieces
        if piece.span.start < end and piece.span.end > start
    ]
    return min(found) if found else None
