"""Lets the daemon live, and kills it where it hurts.

Writes are rare beside all else, so that chance alone would hardly ever kill while one is
unanswered, which is when a post can be lost or doubled. As many lives as are asked for
are therefore kept until a write of theirs is held on the way, and killed then.

Some lives are not killed at first but stopped, as a machine that swaps is, until another
life has taken what they had in hand. Then they wake up beside it.
"""

import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum
from functools import partial
from multiprocessing.process import BaseProcess

from tests.torture.pipeline.haste import LEASE_S
from tests.torture.pipeline.life import begin
from tests.torture.pipeline.people import People
from tests.torture.pipeline.phases import Phase, phases
from tests.torture.pipeline.stage import Stage
from tests.torture.pipeline.switches import TASKS
from tests.torture.pipeline.wire import Where, Wire, life_of

_LONGEST_S = 5.0  # that a trigger is waited for
_LONGEST_FOR_A_WRITE_S = 60.0  # there is always one soon; on a busy machine later
_LONGEST_HELD_S = 0.2
_TAKEN_OVER_S = LEASE_S + 2.0  # after which another life has what a stopped one had
_LONGEST_BESIDE_S = 12.0  # until the other life posts what the stopped one had
_BESIDE_S = 1.5  # that both live


class Hand(Enum):
    """What a life has in hand when it is stopped."""

    LOOK = "a post that it looks for"
    PAGE = "a page"
    WRITE = "a post that it sends"
    PLAN = "a plan, say"


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
    settings: Mapping[str, str] = field(default_factory=dict)  # besides the stage's
    kills: int = 0
    held: Counter[Where] = field(default_factory=Counter)
    lived_s: float = 0.0
    hit: Counter[Phase] = field(default_factory=Counter)
    unasked: Counter[int] = field(default_factory=Counter)  # exit codes of own ends
    pairs: Counter[Hand] = field(default_factory=Counter)

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

    def pair_up(self) -> None:
        """Stop a life with something in hand until another has it; let both live then."""
        began_s = time.monotonic()
        hand = min(Hand, key=lambda each: self.pairs[each])
        first = self.live()
        let_go = self._when_in_hand(hand)
        pid = first.pid or 0
        if first.exitcode is None:
            os.kill(pid, signal.SIGSTOP)
        second = self.live()
        held = None
        if hand in {Hand.LOOK, Hand.WRITE}:
            held = self.wire.catch_write()
            held.reached.wait(_LONGEST_BESIDE_S)
        else:
            time.sleep(_TAKEN_OVER_S)
        if first.exitcode is None:
            os.kill(pid, signal.SIGCONT)
        let_go()
        time.sleep(_BESIDE_S)
        if held is not None:
            held.let_go.set()
            time.sleep(_BESIDE_S)
        for life in (first, second):
            if life.exitcode is not None:
                self.unasked[life.exitcode] += 1
            life.kill()
            life.join()
        self.pairs[hand] += 1
        self.kills += 2
        self.lived_s += 2 * (time.monotonic() - began_s)

    def _when_in_hand(self, hand: Hand) -> Callable[[], None]:
        """Wait until a life has something in hand; return what lets it on its way."""
        wire = self.wire
        if hand is Hand.LOOK:
            caught = wire.catch_look(TASKS, wire.life)
            caught.hold.reached.wait(_LONGEST_FOR_A_WRITE_S)
            return partial(wire.let_go, caught)
        if hand is Hand.WRITE:
            hold = wire.catch_write()
            hold.reached.wait(_LONGEST_FOR_A_WRITE_S)
            return hold.let_go.set
        event = self.stage.library.asked if hand is Hand.PAGE else wire.asked
        event.wait(_LONGEST_S)
        time.sleep(self._chance.uniform(0, 0.02))
        return lambda: None

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
        named = {"SIDENOTE_CONTACT": self.wire.name, **self.settings}
        stage = self.stage
        return begin(stage.environment() | named, stage.log, stage.holdings)

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
