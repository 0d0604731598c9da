"""What the plots of an evaluation are drawn from."""

from dataclasses import dataclass

from bot.research.evaluation.metrics import Scores, Truth


@dataclass(frozen=True, slots=True)
class Curves:
    """One set of rows: which claims fail, and what each scorer said of it.

    `scores` begins with the engine; the higher, the likelier the claim fails.
    `likely` is the engine's probability that it is supported.
    """

    name: str
    fails: Truth
    scores: tuple[tuple[str, Scores], ...]
    likely: Scores

    @property
    def can_be_drawn(self) -> bool:
        """Tell whether precision and recall mean something: both labels occur."""
        return bool(self.fails.any() and not self.fails.all())


@dataclass(frozen=True, slots=True)
class Bars:
    """Shares of several things side by side, one bar of each series for each of them.

    `table` is the name of the group of metrics that the drawing stands beside.
    """

    table: str
    title: str
    across: str  # what the length of a bar means
    labels: tuple[str, ...]
    series: tuple[tuple[str, tuple[float, ...]], ...]  # a value for each label
    has_means: bool = True
