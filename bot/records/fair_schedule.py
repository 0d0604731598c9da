"""How the work is shared between wikis, and between those who asked within one. Pure.

Start-time fair queueing (Goyal, Vin and Cheng, 1996), once among wikis and once among
the parties of a wiki. A share has a clock of its own that goes on by one for each page,
or by less where it has more weight; whoever's clock is behind is served next. One that
had nothing waiting gains nothing by it: it begins again at the clock of those who are
served. So whatever others put, a share with pages that are due waits for at most one
page of each other share of its wiki, and that wiki for as many of each other wiki as
its weight is less than theirs.

Of four turns one is patient, else those who ask for urgent things all day would keep
the others out: the fourth of all turns goes to whoever's turn it is even where somebody
else waits for an answer, and the fourth of each share to its page that waits longest.
"""

from dataclasses import dataclass, replace

PATIENT_EVERY = 4


@dataclass(frozen=True, slots=True)
class Share:
    """How much somebody had.

    `ends` is when the last turn ended, on the clock of all shares of the same level;
    `clock` is that of those below, as of their last turn. `served` counts turns.
    """

    ends: float = 0.0
    clock: float = 0.0
    served: int = 0

    @property
    def is_patient(self) -> bool:
        """Whether its next turn goes to who waits longest, not to what is urgent."""
        return self.served % PATIENT_EVERY == PATIENT_EVERY - 1


def after_a_turn(above: Share, mine: Share, weight: float = 1.0) -> tuple[Share, Share]:
    """Return two shares once a turn went to `mine`, which is one of those in `above`.

    `weight` is how much of the work it is due, others having 1.
    """
    began = max(mine.ends, above.clock)
    served = replace(mine, ends=began + 1.0 / weight, served=mine.served + 1)
    return replace(above, clock=began), served
