"""The program on its ground, with people who edit and a feed that never falls silent."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from bot.app.wiring.store import open_store
from bot.records.posts import PostState
from bot.store import Store
from tests.soak.clock import Clock
from tests.soak.firehose import Firehose, Wished, pouring
from tests.soak.ground import Ground, ground
from tests.soak.outcome import Outcome, Tell
from tests.soak.program import Program, running
from tests.soak.resting import at_rest, editing, judge, settings_of, warm_up
from tests.torture.pipeline.people import People
from tests.torture.pipeline.scene import TITLES

_PER_S = 40.0  # events of other wikis
_FOR_LONG = 10_000_000
_PAUSE_S = 1.0
_POLL_S = 2.5  # that `at_rest` takes where nothing is left
_GIVEN_UP_S = 240.0
_CROSSED_S = 60.0
MOST_S = 60.0  # from the end of a fault until all is delivered
_MOST_END_S = 15.0  # then Toolforge kills


@dataclass
class Play:
    """All that takes part. `delivered_s` has how long it took after each fault."""

    stage: Ground
    people: People
    feed: Firehose
    store: Store
    program: Program
    tell: Tell
    clock: Clock | None
    delivered_s: dict[str, float] = field(default_factory=dict)
    outcome: Outcome = field(default_factory=lambda: Outcome(""))
    _refused_before: int = 0

    def now(self) -> datetime:
        """Return the time that the program sees."""
        return self.clock.now() if self.clock else datetime.now(UTC)

    def edits(self, for_s: float) -> None:
        """Let people edit for a while."""
        with editing(self.people, _PAUSE_S):
            time.sleep(for_s)

    def deliver(self, after: str) -> float:
        """Wait until all is delivered that people have changed; note how long it took.

        Where somebody wrote between plan and post, the program leaves that page alone
        for a minute, and that is no fault of the link.
        """
        began_s, before = time.monotonic(), self._refused()
        left = at_rest(self.store, self.people, self.now, _GIVEN_UP_S)
        took_s = max(0.0, time.monotonic() - began_s - _POLL_S)
        crossed = self._refused() > min(before, self._refused_before)
        self._refused_before = self._refused()
        self.note(after, took_s, crossed=crossed)
        self.outcome.require(not left, f"{after}: {left}")
        return took_s

    def _refused(self) -> int:
        return self.store.outbox.counts()[PostState.REFUSED]

    def note(self, after: str, took_s: float, *, crossed: bool = False) -> None:
        """Note how long it took until something works again."""
        name = f"{after} (a person's edit crossed ours)" if crossed else after
        self.delivered_s[name] = took_s
        self.tell(f"{took_s:6.1f} s after {name}")
        most_s = MOST_S + (_CROSSED_S if crossed else 0.0)
        self.outcome.require(took_s < most_s, f"{after}: it took {took_s:.0f} s")
        self.outcome.require(self.program.is_alive, f"{after}: the program ended")


@contextmanager
def playing(
    folder: Path,
    outcome: Outcome,
    seed: int,
    tell: Tell,
    *,
    settings: Mapping[str, str] | None = None,
    our_settings: Mapping[str, str] | None = None,
    environment: Mapping[str, str] | None = None,
    moves_clock: bool = False,
    aged: bool = False,
) -> Iterator[Play]:
    """Begin the program, and judge at the end what came of it all.

    Args:
        folder: for all that is kept.
        outcome: takes the figures and what is wrong.
        seed: where chance begins.
        tell: shows how it goes.
        settings: of the program, beside those of the stage.
        our_settings: in which our view of the store differs from the program's.
        environment: of the program, beside its settings.
        moves_clock: whether its clock will be moved.
        aged: whether posts may have become too old by that.
    """
    outcome.add("seed", seed)
    with ground(folder, seed, settings) as stage:
        people = stage.people(seed)
        people.begin()
        pages = {title: int(people.alice.read(title)[1]) for title in TITLES}
        wished = Wished(
            seed, stage.wiki_link.host, pages, stage.changes_port, per_s=_PER_S
        )
        clock = Clock(folder) if moves_clock else None
        whole_environment = {
            **stage.environment(),
            **(environment or {}),
            **(clock.environment() if clock else {}),
        }
        ours = settings_of(stage, our_settings)
        with (
            pouring(wished) as feed,
            open_store(ours) as store,
            running(folder, stage.log, whole_environment) as program,
        ):
            stage.stream_link.upstream = feed.address.split("/")[2]
            feed.send(_FOR_LONG)
            play = Play(stage, people, feed, store, program, tell, clock)
            play.outcome = outcome
            warm_up(store, people)
            tell("the opt-ins are read")
            yield play
            left = at_rest(store, people, play.now, _GIVEN_UP_S)
            outcome.require(not left, left)
            outcome.require(program.is_alive, "the program ended by itself")
            end_s = program.end()
            outcome.add("SIGTERM to the end", f"{end_s:.1f} s")
            outcome.require(end_s < _MOST_END_S, f"SIGTERM took {end_s:.1f} s")
            for name, took_s in play.delivered_s.items():
                outcome.add(f"delivered again after {name}", f"{took_s:.1f} s")
            judge(stage, store, people, outcome, feed.progress().broken, aged=aged)
