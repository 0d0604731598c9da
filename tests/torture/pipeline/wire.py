"""The way to the wiki: replies are lost and late, and what was asked is noted in order."""

import random
import re
import threading
import time
from dataclasses import dataclass, field
from enum import Enum

from tests.rig.wiki.recorder import Fate, Hold, Loss, Plan, Request, at_random

_STOP = re.compile(r"/Run/([a-z-]+)")
_LIFE = re.compile(r"\blife (\d+)\b")
_LONGEST_S = 0.15
_LATEST_S = 1.5  # after the end of its sender, so that the next one may look before


class Sent(Enum):
    """What the gate sends."""

    LOOK = "look"  # at the page, its stop page and the account
    WRITE = "write"


class Where(Enum):
    """Where a write is held while its sender is killed."""

    LOST = "before the wiki did it, and it never does"
    LATE = "before the wiki did it, and it does soon after"
    DONE = "after the wiki did it"


@dataclass(frozen=True, slots=True)
class Step:
    """A request of the gate, when it came to the proxy."""

    what: Sent
    task: str
    at_s: float
    life: int


@dataclass
class Wire:
    """A plan of the recorder's. `life` counts the lives of the daemon, which say theirs.

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
        self._chance = random.Random(self.seed + 2)
        self._caught: dict[int, Fate] = {}

    @property
    def name(self) -> str:
        """What the life says of itself with each request."""
        return f"life {self.life}"

    def catch(self, where: Where) -> Hold:
        """Hold the next write of this life."""
        hold = Hold(is_done=where is Where.DONE)
        loss = Loss.REQUEST if where is Where.LOST else Loss.NONE
        before_s = self._chance.uniform(0, _LATEST_S) if where is Where.LATE else 0.0
        self._caught = {self.life: Fate(loss, before_s, hold=hold)}
        return hold

    def plan(self) -> Plan:
        return self._fate

    def _fate(self, request: Request) -> Fate:
        self.asked.set()
        form = request.given
        life = life_of(request)
        if request.is_write:
            self._note(Sent.WRITE, form.get("summary", ""), life)
            self.wrote.set()
            return self._caught.pop(life, None) or self._of_writes(request)
        self._note(Sent.LOOK, form.get("titles", ""), life)
        return self._of_questions(request)

    def _note(self, what: Sent, where: str, life: int) -> None:
        found = _STOP.search(where)
        if found:
            self.steps.append(Step(what, found[1], time.monotonic(), life))

    def is_busy(self, task: str) -> bool:
        """Tell whether the gate works on a task right now."""
        since_s = time.monotonic() - 0.5
        last = self.steps[-5:]
        return any(each.task == task and each.at_s > since_s for each in last)


def life_of(request: Request) -> int:
    """Return which life of the daemon sent a request; 0 if none did."""
    found = _LIFE.search(request.agent)
    return int(found[1]) if found else 0
