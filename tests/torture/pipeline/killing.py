"""Lets the daemon live, and kills it where it hurts.

Writes are rare beside all else, so that chance alone would hardly ever kill while one is
unanswered, which is when a post can be lost or doubled. As many lives as are asked for
are therefore kept until a write of theirs is held on the way, and killed then.
"""

import random
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum
from multiprocessing.process import BaseProcess

from tests.torture.pipeline.life import begin
from tests.torture.pipeline.people import People
from tests.torture.pipeline.phases import Phase, phases
from tests.torture.pipeline.stage import Stage
from tests.torture.pipeline.wire import Where, Wire, life_of

_LONGEST_S = 5.0  # that a trigger is waited for
_LONGEST_FOR_A_WRITE_S = 60.0  # there is always one soon; on a busy machine later
_LONGEST_HELD_S = 0.2


class Moment(Enum):
    """When a life ends; the value is how often, beside the others."""

    ANY = 7
    WRITE = 9  # a write reached the proxy
    SOURCE = 4  # a source was asked for, so a page is being looked at
    CHANGE = 3  # a person saved an article
    QUESTION = 6  # the wiki was asked something, by a look, a plan or the gate


@dataclass
class Killer:
    """Kills lives of the daemon one after the other, and counts what they were doing.

    A `share` of them is killed while a write is held on the way; `held` counts where.
    """

    stage: Stage
    wire: Wire
    people: People
    seed: int
    share: float
    kills: int = 0
    held: Counter[Where] = field(default_factory=Counter)
    lived_s: float = 0.0
    hit: Counter[Phase] = field(default_factory=Counter)
    unasked: Counter[int] = field(default_factory=Counter)  # exit codes of own ends

    def __post_init__(self) -> None:
        self._chance = random.Random(self.seed)
        self._moments = list(Moment)

    def kill_one(self) -> None:
        """Let the daemon live for some moments, and kill it."""
        began_s, began_at = time.monotonic(), datetime.now(UTC)
        life = self.live()
        where = self._next_place()
        hold = self.wire.catch(where) if where else None
        if hold is None:
            self._wait(life)
        elif hold.reached.wait(_LONGEST_FOR_A_WRITE_S):
            time.sleep(self._chance.uniform(0, _LONGEST_HELD_S))
        told_at = self.stage.feed.told_at
        if life.exitcode is not None:
            self.unasked[life.exitcode] += 1
        life.kill()
        life.join()
        is_writing = self.wire.life in map(life_of, self.stage.recorder.unanswered())
        if hold is not None and where is not None:
            self.held[where] += is_writing and hold.reached.is_set()
            hold.let_go.set()
        self.kills += 1
        self.lived_s += time.monotonic() - began_s
        database = self.stage.database
        self.hit.update(phases(database, began_at, told_at, is_writing=is_writing))

    @property
    def unanswered(self) -> int:
        """How many were killed while a write of theirs was unanswered."""
        return self.hit[Phase.WRITE]

    def _next_place(self) -> Where | None:
        """Return where a write is to be held; `None` if enough were."""
        if self.held.total() >= self.share * (self.kills + 1):
            return None
        return min(Where, key=lambda where: self.held[where])

    def live(self) -> BaseProcess:
        """Begin a life."""
        self.wire.life += 1
        for event in (
            self.wire.wrote,
            self.wire.asked,
            self.stage.library.asked,
            self.people.edited,
        ):
            event.clear()
        named = {"SIDENOTE_CONTACT": self.wire.name}
        return begin(self.stage.environment() | named, self.stage.log)

    def _wait(self, life: BaseProcess) -> None:
        weights = [each.value for each in self._moments]
        [moment] = self._chance.choices(self._moments, weights)
        trigger = self._trigger(moment)
        if trigger is None:
            life.join(self._chance.uniform(0.02, 2.5))
            return
        event, most, longest_s = trigger
        until_s = time.monotonic() + _LONGEST_S
        for _ in range(self._chance.randint(1, most)):
            event.clear()
            event.wait(max(0.0, until_s - time.monotonic()))
        time.sleep(self._chance.uniform(0, longest_s))

    def _trigger(self, moment: Moment) -> tuple[threading.Event, int, float] | None:
        """Return what is waited for, how often, and how long after it, at most."""
        return {
            Moment.ANY: None,
            Moment.WRITE: (self.wire.wrote, 2, 0.5),
            Moment.SOURCE: (self.stage.library.asked, 4, 0.05),
            Moment.CHANGE: (self.people.edited, 1, 0.2),
            Moment.QUESTION: (self.wire.asked, 25, 0.05),
        }[moment]
