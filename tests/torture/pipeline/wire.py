"""The way to the wiki: replies are lost and late, and what was asked is noted in order."""

import random
import re
import threading
import time
from collections.abc import Collection
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


@dataclass(eq=False)
class Caught:
    """Something of the bot's that is to be held on its way, before the wiki has it.

    `task`, `title` and `life` say what is held, once `hold` was reached.
    """

    hold: Hold = field(default_factory=lambda: Hold(is_done=False))
    task: str = ""
    title: str = ""
    life: int = 0


@dataclass
class Wire:
    """A plan of the recorder's. `life` counts the lives of the daemon, which say theirs.

    Questions are lost less often than writes: it is those that can be doubled.
    """

    seed: int
    questions: float = 0.04
    writes: float = 0.3
    life: int = 0
    lost: int = 0  # writes that are lost, cut or late, and not held
    steps: list[Step] = field(default_factory=list)
    wrote: threading.Event = field(default_factory=threading.Event)
    asked: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self._of_questions = at_random(self.seed, self.questions, longest_s=_LONGEST_S)
        self._of_writes = at_random(self.seed + 1, self.writes, longest_s=_LONGEST_S)
        self._chance = random.Random(self.seed + 2)
        self._caught: dict[int, Fate] = {}
        self._looks: list[tuple[Collection[str], int, Caught]] = []
        self._rivals: list[tuple[Collection[str], Caught]] = []

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

    def catch_write(self) -> Hold:
        """Hold the next write of this life, and let it through afterwards."""
        hold = Hold(is_done=False)
        self._caught[self.life] = Fate(hold=hold)
        return hold

    def catch_look(self, tasks: Collection[str], life: int = 0) -> Caught:
        """Hold the gate's next look for one of these tasks; of any life, if it is 0."""
        caught = Caught()
        self._looks.append((tasks, life, caught))
        return caught

    def catch_rival(self, titles: Collection[str]) -> Caught:
        """Hold the next write that replaces text of one of these pages, of any life."""
        caught = Caught()
        self._rivals.append((titles, caught))
        return caught

    def let_go(self, caught: Caught) -> None:
        """Hold it no longer. A look counts as made now: it finds what is there now."""
        self._looks = [each for each in self._looks if each[-1] is not caught]
        self._rivals = [each for each in self._rivals if each[-1] is not caught]
        if caught.task:
            now_s = time.monotonic()
            self.steps.append(Step(Sent.LOOK, caught.task, now_s, caught.life))
        caught.hold.let_go.set()

    def plan(self) -> Plan:
        return self._fate

    def _fate(self, request: Request) -> Fate:
        self.asked.set()
        form = request.given
        life = life_of(request)
        if request.is_write:
            self._note(Sent.WRITE, form.get("summary", ""), life)
            self.wrote.set()
            return (
                self._caught.pop(life, None)
                or self._of_rivals(form.get("title", "") if "text" in form else "")
                or self._lost(self._of_writes(request))
            )
        task = self._note(Sent.LOOK, form.get("titles", ""), life)
        return self._of_looks(task, life) or self._of_questions(request)

    def _lost(self, fate: Fate) -> Fate:
        self.lost += fate.loss is not Loss.NONE
        return fate

    def _note(self, what: Sent, where: str, life: int) -> str:
        found = _STOP.search(where)
        if found:
            self.steps.append(Step(what, found[1], time.monotonic(), life))
        return found[1] if found else ""

    def _of_looks(self, task: str, life: int) -> Fate | None:
        for each in self._looks:
            tasks, whose, caught = each
            if task in tasks and whose in {0, life}:
                self._looks = [one for one in self._looks if one is not each]
                caught.task, caught.life = task, life
                return Fate(hold=caught.hold)
        return None

    def _of_rivals(self, title: str) -> Fate | None:
        for each in self._rivals:
            titles, caught = each
            if title in titles:
                self._rivals = [one for one in self._rivals if one is not each]
                caught.title = title
                return Fate(hold=caught.hold)
        return None

    def is_busy(self, task: str) -> bool:
        """Tell whether the gate works on a task right now."""
        since_s = time.monotonic() - 0.5
        last = self.steps[-5:]
        return any(each.task == task and each.at_s > since_s for each in last)


def life_of(request: Request) -> int:
    """Return which life of the daemon sent a request; 0 if none did."""
    found = _LIFE.search(request.agent)
    return int(found[1]) if found else 0
