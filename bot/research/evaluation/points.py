"""What a scatter plot of an evaluation is drawn from."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Points:
    """Values over a length or the like, one point of each series for each `x`.

    `table` is the name of the group of metrics that the drawing stands beside.
    """

    table: str
    title: str
    across: str
    up: str
    x: tuple[float, ...]
    series: tuple[tuple[str, tuple[float, ...]], ...]
