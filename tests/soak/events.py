"""A million events through the whole program: what it takes, and whether that grows.

Meanwhile people edit a real wiki, whose changes are among the events, and the clock of
the program is moved on, so that seven weeks go by and retention has something to do.
"""

import time
from dataclasses import dataclass
from pathlib import Path

from bot.app.wiring.store import open_store
from bot.store import Store
from tests.soak.clock import Clock
from tests.soak.firehose import Firehose, Progress, Wished, pouring
from tests.soak.ground import Ground, ground
from tests.soak.growth import judge_growth
from tests.soak.outcome import Outcome, Tell
from tests.soak.program import Program, running
from tests.soak.resting import at_rest, editing, judge, settings_of, warm_up
from tests.soak.sampling import Sample
from tests.soak.watch import Watch
from tests.torture.pipeline.people import People
from tests.torture.pipeline.scene import TITLES

_DAY_S = 86_400.0
# In all. The wiki's own clock is not moved, and after 60 days people would count as away.
_DAYS = 50.0
_MOST_END_S = 15.0  # then Toolforge kills
_REST_S = 240.0


@dataclass(frozen=True, slots=True)
class EventWishes:
    """How many events, where chance begins, and how often people edit.

    The clock is moved `moves` times. Each move ends the leases of all tasks in progress,
    which counts as if their workers had died.
    """

    events: int
    seed: int
    moves: int = 20
    pause_s: float = 1.0
    per_s: float = 0.0
    longest_s: float = 5_400.0


def run(folder: Path, wishes: EventWishes, tell: Tell) -> Outcome:
    """Do it, and say what came of it."""
    outcome = Outcome(f"{wishes.events:,} events")
    with ground(folder, wishes.seed) as stage:
        people = stage.people(wishes.seed)
        people.begin()
        pages = {title: int(people.alice.read(title)[1]) for title in TITLES}
        wished = Wished(
            wishes.seed,
            stage.wiki_link.host,
            pages,
            stage.changes_port,
            per_s=wishes.per_s,
        )
        with pouring(wished) as feed:
            stage.stream_link.upstream = feed.address.split("/")[2]
            _Events(stage, people, feed, wishes, tell).run(outcome)
    return outcome


class _Events:
    def __init__(
        self,
        stage: Ground,
        people: People,
        feed: Firehose,
        wishes: EventWishes,
        tell: Tell,
    ) -> None:
        self.stage, self.people, self.feed = stage, people, feed
        self.wishes, self.tell = wishes, tell
        self.clock = Clock(stage.folder)
        self.progress = Progress(0, 0, 0, 0, 0)

    def run(self, outcome: Outcome) -> None:
        stage = self.stage
        environment = {**stage.environment(), **self.clock.environment()}
        with open_store(settings_of(stage)) as store:
            with running(stage.folder, stage.log, environment) as program:
                watch = self._worked(program, store)
                left = at_rest(store, self.people, self.clock.now, _REST_S)
                outcome.require(not left, left)
                outcome.require(program.is_alive, "the program ended by itself")
                watch.take(with_rows=True)
                end_s = program.end()
            self._add_to(outcome, watch, end_s)
            broken = self.progress.broken
            judge(stage, store, self.people, outcome, broken, aged=True)

    def _worked(self, program: Program, store: Store) -> Watch:
        warm_up(store, self.people)
        self.tell("the opt-ins are read")
        watch = Watch(
            program, self.stage.database, self.clock, lambda: self.progress.sent
        )
        self.began_s = time.monotonic()
        with watch.watching(), editing(self.people, self.wishes.pause_s):
            moves = self.wishes.moves
            for move in range(1, moves + 1):
                self._send(program, self.wishes.events * move // moves)
                self.clock.move(_DAYS / moves * _DAY_S)
                self.feed.move(self.clock.moved_s)
                self.tell(self._progress(watch.samples[-1:]))
            self.sending_s = time.monotonic() - self.began_s
        return watch

    def _send(self, program: Program, until: int) -> None:
        self.feed.send(until)
        while self.progress.sent < until and program.is_alive:
            if time.monotonic() - self.began_s > self.wishes.longest_s:
                raise TimeoutError(
                    f"only {self.progress.sent:,} events were read in time"
                )
            time.sleep(0.1)
            self.progress = self.feed.progress()

    def _progress(self, last: list[Sample]) -> str:
        took_s = time.monotonic() - self.began_s
        taken = "".join(
            f", {one.rss_mb:.0f} MB in {len(one.processes)} processes, {one.files} files,"
            f" database {one.database_mb:.1f} MB"
            for one in last
        )
        return f"{took_s:6.0f} s: {self.progress.sent:,} events{taken}"

    def _add_to(self, outcome: Outcome, watch: Watch, end_s: float) -> None:
        self._tell_of_events(outcome)
        judge_growth(outcome, watch.samples, watch.lags_s, self.wishes.events)
        outcome.add("SIGTERM to the end", f"{end_s:.1f} s")
        outcome.require(end_s < _MOST_END_S, f"SIGTERM took {end_s:.1f} s")

    def _tell_of_events(self, outcome: Outcome) -> None:
        progress = self.progress
        outcome.add("seed", self.wishes.seed)
        outcome.add(
            "events", f"{progress.sent:,} made, {progress.real:,} of the wiki itself"
        )
        outcome.add(
            "of these of watched pages", f"{progress.watched + progress.real:,}"
        )
        outcome.add("that nobody can read", f"{progress.broken:,}")
        outcome.add("connections to the feed", progress.connections)
        outcome.add("events a second", f"{progress.sent / self.sending_s:,.0f}")
        outcome.add("days by the clock of the program", f"{_DAYS:.0f}")
