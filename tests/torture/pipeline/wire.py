"""The way to the wiki: replies are lost and late, and what was asked is noted in order."""

import re
import threading
import time
from dataclasses import dataclass, field
from enum import Enum

from tests.rig.wiki.recorder import Fate, Plan, Request, at_random

_STOP = re.compile(r"/Run/([a-z-]+)")
_LONGEST_S = 0.15


class Sent(Enum):
    """What the gate sends."""

    LOOK = "look"  # at the page, its stop page and the account
    WRITE = "write"


@dataclass(frozen=True, slots=True)
class Step:
    """A request of the gate, when it came to the proxy."""

    what: Sent
    task: str
    at_s: float
    life: int


@dataclass
class Wire:
    """A plan of the recorder's. `life` counts the lives of the daemon.

    Questions are lost less often than writes: it is those that can be doubled.
    """

    seed: int
    questions: float = 0.04
    writes: float = 0.3
    life: int = 0
    steps: list[Step] = field(default_factory=list)
    wrote: threading.Event = field(default_factory=threading.Event)
    asked: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self._of_questions = at_random(self.seed, self.questions, longest_s=_LONGEST_S)
        self._of_writes = at_random(self.seed + 1, self.writes, longest_s=_LONGEST_S)

    def plan(self) -> Plan:
        return self._fate

    def _fate(self, request: Request) -> Fate:
        self.asked.set()
        given = request.given
        if request.is_write:
            self._note(Sent.WRITE, given.get("summary", ""))
            self.wrote.set()
            return self._of_writes(request)
        self._note(Sent.LOOK, given.get("titles", ""))
        return self._of_questions(request)

    def _note(self, what: Sent, where: str) -> None:
        found = _STOP.search(where)
        if found:
            at_s = time.monotonic()
            self.steps.append(Step(what, found[1], at_s, self.life))

    def writes_of(self, life: int) -> int:
        """Count the writes of a life, as far as they came to the proxy."""
        return sum(
            step.what is Sent.WRITE and step.life == life for step in self.steps[-100:]
        )

    def is_busy(self, task: str) -> bool:
        """Tell whether the gate works on a task right now."""
        since_s = time.monotonic() - 0.5
        last = self.steps[-5:]
        return any(each.task == task and each.at_s > since_s for each in last)
