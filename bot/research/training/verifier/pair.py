"""One example for the cross-encoder: a text pair, what it should say, and where."""

from dataclasses import dataclass

from handlers.citations.network_input import PairText

SUPPORTED = (1.0, 0.0, 0.0)
REFUTED = (0.0, 1.0, 0.0)
UNMENTIONED = (0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Mark:
    """Whether the evidence bears out the claim's characters from `start` to `end`."""

    start: int
    end: int
    supported: bool


@dataclass(frozen=True, slots=True)
class TrainingPair:
    """A text pair with its target.

    `target` holds the shares of supported, refuted and not enough information.
    Later `marks` override earlier ones; words under none of them teach nothing.
    `origin` names the kind of example, for the ablation table.
    """

    text: PairText
    target: tuple[float, float, float]
    marks: tuple[Mark, ...]
    origin: str


def whole(claim: str, *, supported: bool) -> Mark:
    """Return a mark over all of `claim`."""
    return Mark(0, len(claim), supported)
