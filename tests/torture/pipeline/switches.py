"""Flips the stop pages of tasks while they are posted, and judges what was written then.

The gate's look for a post is held on its way while the page is flipped, so that each
flip comes while a post is under way, and the look finds it stopped.
"""

import random
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.torture.pipeline.editor import Editor
from tests.torture.pipeline.wire import Sent, Step, Wire

TASKS = ("report", "talk", "opt-in")
_WORDS = ("stop", "Please wait.", "run.", "", "Run", "no")


@dataclass(frozen=True, slots=True)
class Stop:
    """A time in which a task had to stand still, from answer to question."""

    task: str
    from_s: float  # the wiki had answered that it is saved
    to_s: float  # it was about to be asked to let the task run again

    def forbids(self, write: Step, poll_s: float) -> bool:
        """Tell whether a write came within it, and so did the look before."""
        is_within = self.from_s <= poll_s <= write.at_s < self.to_s
        return write.task == self.task and is_within


@dataclass
class Switches:
    """Flips `wanted` times, each time while a task posts."""

    editor: Editor
    bot: str
    wire: Wire
    seed: int
    wanted: int = 0
    stops: list[Stop] = field(default_factory=list)

    def flip_until(self, end: threading.Event) -> None:
        chance = random.Random(self.seed)
        while not end.wait(0.05):
            if len(self.stops) < self.wanted:
                self._flip(chance, end)

    def _flip(self, chance: random.Random, end: threading.Event) -> None:
        caught = self.wire.catch_look(TASKS[:2])
        try:
            while not caught.hold.reached.wait(0.02):
                if end.is_set():
                    return
            title = f"User:{self.bot}/Run/{caught.task}"
            self.editor.save(title, chance.choice(_WORDS) or " ")
            from_s = time.monotonic()
        finally:
            self.wire.let_go(caught)
        time.sleep(chance.uniform(0.5, 2.0))
        to_s = time.monotonic()
        self.stops.append(Stop(caught.task, from_s, to_s))
        self.editor.save(title, "run")


def disobedient(steps: Sequence[Step], stops: Sequence[Stop]) -> list[str]:
    """Return the writes that should not have been sent.

    A write needs a look before it, in the same life of the daemon. Where that look
    came after a stop was saved, and the write before it was taken back, the look has
    seen the stop.
    """
    found = []
    read_at: dict[tuple[str, int], float] = {}
    for step in sorted(steps, key=lambda each: each.at_s):
        if step.what is Sent.LOOK:
            read_at[step.task, step.life] = step.at_s
            continue
        poll_s = read_at.pop((step.task, step.life), None)
        if poll_s is None:
            found.append(f"a write of {step.task} without a look before it")
        elif any(each.forbids(step, poll_s) for each in stops):
            found.append(f"a write of {step.task} after a look that saw it stopped")
    return found
