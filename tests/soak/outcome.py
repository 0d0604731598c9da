"""What came of one part: figures in the order in which they are shown, and what is wrong."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

Tell: TypeAlias = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Curve:
    """Points of a plot, by what they show; `unit` is that of the second value."""

    name: str
    unit: str
    points: Sequence[tuple[float, float]]


@dataclass(slots=True)
class Outcome:
    """The end of one part. Without anything `wrong` it is passed."""

    part: str
    lines: list[tuple[str, str]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    curves: list[Curve] = field(default_factory=list)
    across: str = "events"  # what the curves run over

    def add(self, name: str, value: object) -> None:
        """Tell one figure."""
        self.lines.append((name, str(value)))

    def require(self, holds: bool, what: str) -> None:
        """Call it wrong unless it holds."""
        if not holds:
            self.wrong.append(what)

    def text(self) -> str:
        """Return it as a table."""
        width = max((len(name) for name, _ in self.lines), default=0)
        lines = [f"  {name:<{width}}  {value}" for name, value in self.lines]
        faults = [f"  WRONG: {each}" for each in self.wrong]
        return "\n".join([f"{self.part}:", *lines, *(faults or ["  nothing is wrong"])])
