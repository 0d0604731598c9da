"""The time of day jumps by an hour, either way, while the program works."""

import random
from dataclasses import dataclass
from pathlib import Path

from tests.soak.outcome import Outcome, Tell
from tests.soak.play import playing

_HOUR_S = 3_600.0
_EDIT_S = 6.0


@dataclass(frozen=True, slots=True)
class JumpWishes:
    """How often, and how far each time at most."""

    seed: int
    jumps: int = 6
    by_s: float = _HOUR_S


def run(folder: Path, wishes: JumpWishes, tell: Tell) -> Outcome:
    """Do it, and say what came of it."""
    outcome = Outcome(f"{wishes.jumps} jumps of the clock")
    ways = [1.0, -1.0] * (wishes.jumps // 2)
    random.Random(wishes.seed).shuffle(ways)
    with playing(
        folder, outcome, wishes.seed, tell, moves_clock=True, aged=True
    ) as play:
        assert play.clock is not None
        play.edits(_EDIT_S)
        play.deliver("nothing, to begin with")
        for number, way in enumerate(ways, start=1):
            play.edits(_EDIT_S / 2)
            play.clock.move(way * wishes.by_s)
            play.feed.move(play.clock.moved_s)
            play.edits(_EDIT_S)
            direction = "forward" if way > 0 else "back"
            play.deliver(f"jump {number}, {wishes.by_s / 60:.0f} minutes {direction}")
    return outcome
