"""What reads a stream of events in the benchmark, each in a process of its own.

Every client is imported and set up first; what is measured runs from before it
connects until it has read, and ours has committed, the last event.
"""

import asyncio
import gc
import json
import os
import random
import resource
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from bot.daemon.intake.event_stream import EventStreams, StreamSettings
from bot.daemon.intake.harvest import ChangeSelection
from bot.daemon.intake.queue import (
    ActiveWatches,
    QueueSink,
    Router,
    RouteRules,
)
from bot.daemon.intake.stream import Intake, IntakeLimits, Surroundings
from bot.records.changes import Batch, ChangeKind, Position
from bot.records.tasks import TaskState
from bot.records.watches import ActiveWatch, Surface, WatcherKind
from bot.store import open_store
from tests.benchmarks.stream_server import WIKI, wanted_by_hand, watched_titles

_KIB = 1024
WANTED = ChangeSelection(
    frozenset({WIKI}), frozenset({0}), frozenset({ChangeKind.EDIT}), bots=False
)
ALL_OF_A_WIKI = ChangeSelection(
    frozenset({WIKI}),
    kinds=frozenset(ChangeKind) - {ChangeKind.CATEGORY, ChangeKind.OTHER},
)


@dataclass(frozen=True)
class Figures:
    """What one client took for how many events."""

    events: int
    wanted: int
    wall_s: float
    cpu_s: float
    peak_mib: float
    commits: int = 0
    jobs: int = 0  # pages that wait in the store afterwards
    grown_mib: tuple[float, float] = (0, 0)  # since a tenth of the events, and half

    @property
    def cpu_us(self) -> float:
        """CPU time of one event."""
        return self.cpu_s / self.events * 1e6

    @property
    def per_s(self) -> float:
        """Events in a second of the clock on the wall."""
        return self.events / self.wall_s


class _Watch:
    """Takes the time from its making on."""

    def __init__(self) -> None:
        self._wall_s, self._cpu_s = time.perf_counter(), time.process_time()

    def figures(self, events: int, wanted: int, **more: Any) -> Figures:
        wall_s = time.perf_counter() - self._wall_s
        cpu_s = time.process_time() - self._cpu_s
        return Figures(events, wanted, wall_s, cpu_s, _peak_mib(), **more)


def _peak_mib() -> float:
    # Not ru_maxrss, which a process inherits from the one that started it.
    status = Path("/proc/self/status").read_text("ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / _KIB


def _resident_mib() -> float:
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * resource.getpagesize() / _KIB**2


@dataclass
class _Counted:
    """The sink of the program, with what went through it."""

    sink: QueueSink
    changes: int = 0
    resident_mib: list[float] = field(default_factory=list)  # after each commit

    async def position(self) -> Position | None:
        return await self.sink.position()

    async def commit(self, batch: Batch) -> None:
        await self.sink.commit(batch)
        self.changes += len(batch.changes)
        self.resident_mib.append(_resident_mib())


def ours(address: str, path: str, count: int) -> Figures:
    """Read with intake and its peers' filter; one edit in ten is of a watched page."""
    return _ours(address, path, count, WANTED)


def ours_unfiltered(address: str, path: str, count: int) -> Figures:
    """Read with what the program wants: it looks for answers on talk pages, too."""
    return _ours(address, path, count, ALL_OF_A_WIKI)


def _ours(address: str, path: str, count: int, wanted: ChangeSelection) -> Figures:
    with (
        tempfile.TemporaryDirectory() as folder,
        open_store(f"sqlite:///{folder}/sidenote.sqlite") as store,
    ):
        active_watch = ActiveWatch(
            WIKI,
            "User:Example/Watch",
            WatcherKind.USER,
            "Example",
            watched_titles(),
            surfaces=(Surface.REPORT, Surface.TALK),
            report="User:Example/Report",
        )
        store.watches.keep(active_watch, [], datetime.now(UTC))
        watches = ActiveWatches(store)
        watches.refresh()
        rules = RouteRules(frozenset({WIKI}), "ExampleBot", "User:ExampleBot/Rules")
        sink = _Counted(QueueSink("bench", store, watches, router=Router(rules)))
        watch = _Watch()
        events = asyncio.run(_follow(address, path, sink, wanted))
        late = sink.resident_mib
        figures = watch.figures(
            events,
            sink.changes,
            commits=len(late),
            jobs=store.jobs.state().counts[TaskState.WAITING],
            grown_mib=(
                late[-1] - late[len(late) // 10],
                late[-1] - late[len(late) // 2],
            ),
        )
        assert events == count, f"{events:,} of {count:,} events came"
        return figures


async def _follow(
    address: str, path: str, sink: _Counted, wanted: ChangeSelection
) -> int:
    """Read until the server has sent all of it and all of it is kept."""
    ended = asyncio.Event()

    async def rest(_: float) -> None:
        ended.set()  # intake rests after a connection, and commits before
        await asyncio.Event().wait()

    around = Surroundings(lambda: datetime.now(UTC), rest, random.random)
    settings = StreamSettings(address, (path,), "Sidenote/bench (mail@example.org)")
    async with EventStreams(settings) as feed:
        intake = Intake(feed, sink, wanted, limits=IntakeLimits(), surroundings=around)
        task = asyncio.create_task(intake.run())
        ending = asyncio.create_task(ended.wait())
        await asyncio.wait({task, ending}, return_when=asyncio.FIRST_COMPLETED)
        ending.cancel()
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
    return intake.health.events


class _EnoughError(Exception):
    """As many events came as were asked for."""


def pywikibot(address: str, path: str, count: int) -> Figures:
    """Read with pywikibot's EventStreams and its filter."""
    os.environ["PYWIKIBOT_NO_USER_CONFIG"] = "2"
    import pywikibot as library  # noqa: PLC0415 - in its own process
    from pywikibot.comms.eventstreams import EventStreams  # noqa: PLC0415

    library.config.user_agent_format = "bench"  # its own asks the network
    site = library.site.BaseSite("en", "wikipedia")  # so does APISite
    watch = _Watch()
    stream = EventStreams(site=site, url=f"{address}{path}")
    events = found = 0

    def counted(_: dict[str, Any]) -> bool:
        nonlocal events
        events += 1
        if events > count - 1:
            raise _EnoughError
        return True

    stream.register_filter(counted)
    stream.register_filter(wanted_by_hand)
    with suppress(_EnoughError):
        for _ in stream:
            found += 1
    return watch.figures(events, found)


def sseclient(address: str, path: str, count: int) -> Figures:
    """Read with sseclient alone."""
    from sseclient import SSEClient  # noqa: PLC0415 - in its own process

    watch = _Watch()
    events = found = 0
    for event in SSEClient(f"{address}{path}"):
        if not event.data:
            continue
        events += 1
        found += wanted_by_hand(json.loads(event.data))
        if events >= count:
            break
    return watch.figures(events, found)


OURS = "ours, the same filter"
PROGRAM = "ours, the program's filter"
PYWIKIBOT = "pywikibot EventStreams"
CLIENTS: dict[str, Callable[[str, str, int], Figures]] = {
    OURS: ours,
    PROGRAM: ours_unfiltered,
    PYWIKIBOT: pywikibot,
    "sseclient": sseclient,
}


def client(pipe: Connection, name: str, address: str, path: str, count: int) -> None:
    """Run one client; tell `pipe` its figures, or in words why there are none."""
    gc.freeze()  # as the daemon does; the peers have it, too
    try:
        pipe.send(CLIENTS[name](address, path, count))
    except ImportError as error:
        pipe.send(str(error))
