"""What people ask for while the program works: watches, dismissals, turns, more events.

Each asks until it is done, as a person does who tries again.
"""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from threading import Event, Thread
from typing import TypeAlias

from bot.records.changes import Batch, Position, TopicPosition
from bot.records.jobs import JobReason, PageJob
from bot.records.watches import (
    ActiveWatch,
    IntendedPost,
    PlanKind,
    Rate,
    Surface,
    WatcherKind,
)
from bot.store import Store
from handlers.ports import TemporaryError
from tests.bot.daemon.intake.world import WIKI
from tests.torture.hurry import Clock
from tests.torture.ledger import Ledger, Turn
from tests.torture.pages import Revisions, titles_of

_PATIENCE_S = 90.0  # by a real clock
Chore: TypeAlias = Callable[[random.Random], None]


@dataclass
class People:
    """Those who ask one process."""

    number: int
    store: Store
    ledger: Ledger
    clock: Clock
    revisions: Revisions
    chance: random.Random
    _done: Event = field(default_factory=Event)
    _threads: list[Thread] = field(default_factory=list)

    def begin(self, more: Sequence[Chore]) -> None:
        """Begin what is asked for; `more` are chores of somebody else."""
        for report in range(2):
            self._patiently(lambda at=report: self._watch(at, 0))  # type: ignore[misc]
        for chore in (*self._chores(), *more):
            thread = Thread(target=self._ask, args=(chore,), daemon=True)
            thread.start()
            self._threads.append(thread)

    def end(self) -> None:
        """Ask for nothing more."""
        self._done.set()
        for each in self._threads:
            each.join(_PATIENCE_S)

    def _chores(self) -> tuple[Chore, ...]:
        return self._as_watcher, self._in_turn, self._read_more, self._dismiss

    def _ask(self, chore: Chore) -> None:
        chance = random.Random(self.chance.random())
        while not self._done.is_set():
            self._patiently(lambda: chore(chance))
            time.sleep(chance.uniform(0.02, 0.1))

    def _patiently(self, verb: Callable[[], None]) -> None:
        """Do what a person asks for until it is done."""
        until_s = time.monotonic() + _PATIENCE_S
        while True:
            try:
                verb()
            except TemporaryError as error:
                self.ledger.troubles[str(error)] += 1
                if time.monotonic() > until_s:
                    self.ledger.faults.append(f"it never ended: {error}")
                    return
                time.sleep(0.05)
            except Exception as error:  # noqa: BLE001 - reported at the end
                self.ledger.faults.append(f"{type(error).__name__}: {error}")
                return
            else:
                return

    def _as_watcher(self, chance: random.Random) -> None:
        self._watch(chance.randrange(2), chance.randrange(1, 1_000))

    def _watch(self, report: int, most: int) -> None:
        pages = titles_of(self.number)
        watch = ActiveWatch(
            wiki=WIKI,
            place=f"User:Ada/Watch {self.number}{report}",
            kind=WatcherKind.USER,
            watcher="Ada",
            pages=pages if report else pages[:2],
            surfaces=(Surface.REPORT, Surface.TALK) if report else (Surface.REPORT,),
            report=f"User:Ada/Report {self.number}{report}",
            most=Rate(1 + most),
        )
        now = self.clock()
        jobs = [
            PageJob(WIKI, page, JobReason.OPT_IN, now, now, pause_s=0)
            for page in pages[:1]
        ]
        self.store.watches.keep(watch, jobs, now)
        self.ledger.watches[watch.place] = watch
        self.ledger.jobs += jobs

    def _in_turn(self, chance: random.Random) -> None:
        task, holder = f"task {chance.randrange(2)}", f"process {self.number}"
        begin = self.clock()
        if not self.store.schedule_locks.take(task, holder, begin, 30.0):
            return
        begun = self.clock()
        time.sleep(chance.uniform(0, 0.05))
        end = min(self.clock(), begin + timedelta(seconds=30))
        self.ledger.turns.append(Turn(task, holder, begun, end))
        self.store.schedule_locks.release(task, holder)

    def _read_more(self, chance: random.Random) -> None:
        """Keep a batch of another feed, the same until it is kept, as intake does."""
        now = self.clock()
        topic = TopicPosition("topic", 0, int(now.timestamp() * 1000))
        batch = Batch(now, Position((topic,)))
        title = chance.choice(titles_of(self.number))
        newest = self.revisions.of(title)
        jobs = [PageJob(WIKI, title, JobReason.CHANGE, now, now, newest, pause_s=0)]
        place = f"User:Ada/Watch {self.number}{chance.randrange(2)}"
        intended_posts = [IntendedPost(PlanKind.REPORT, WIKI, place, now)]
        feed = f"another feed {self.number}"
        self._patiently(lambda: self._kept(feed, batch, jobs, intended_posts))

    def _kept(
        self,
        feed: str,
        batch: Batch,
        jobs: list[PageJob],
        intended_posts: list[IntendedPost],
    ) -> None:
        self.store.feeds.keep(feed, batch, jobs, intended_posts)

    def _dismiss(self, chance: random.Random) -> None:
        place = f"User:Ada/Report {self.number}{chance.randrange(2)}"
        notes = self.store.shown_notes.on(WIKI, place)
        if notes and chance.random() < 0.2:
            one = chance.choice(notes).identity
            self.store.shown_notes.dismiss(WIKI, place, [one[:24]], self.clock())
            self.ledger.dismissed.add((place, one))
