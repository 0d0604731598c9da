"""What came of a torture: how often it struck, what was at work, what went wrong."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Tally:
    """The end of one run.

    `strikes` counts what was asked for (kills, full disks), `figures` the work that
    went on meanwhile, by what it is. `faults` has a line for each thing that was lost
    or doubled; without any the run is passed.
    """

    what: str
    strikes: int
    seed: int
    took_s: float
    figures: Mapping[str, int] = field(default_factory=dict)
    faults: tuple[str, ...] = ()

    def __str__(self) -> str:
        work = ", ".join(f"{count:,} {name}" for name, count in self.figures.items())
        end = "; ".join(self.faults) or "nothing lost, nothing doubled"
        return (
            f"{self.strikes} {self.what} in {self.took_s:.0f} s (seed {self.seed})"
            f" — {work} — {end}"
        )
