"""Events as Wikimedia sends them, a sink in memory, and intake between the two."""

import asyncio
import contextlib
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Iterable,
    Iterator,
    Sequence,
)
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from bot.daemon.intake.event_stream import EventStreams, StreamSettings
from bot.daemon.intake.harvest import ChangeSelection
from bot.daemon.intake.stream import Intake, IntakeLimits, Surroundings
from bot.demo.loopback.event_server import EventServer, Habits
from bot.records.changes import Batch, Change, ChangeSink, DeadLetter, Position
from tests.bot.daemon.intake.proxy import Proxy, Script, proxying

WIKI = "en.wikipedia.org"
STREAMS = ("mediawiki.recentchange",)
QUICK = IntakeLimits(
    first_wait_s=0.01, between_tries_s=0, commit_s=0.01, position_s=0.02
)
ALL_FROM = datetime(2023, 7, 29, tzinfo=UTC)  # before the first `edit`
_PATIENCE_S = 120.0
_BEGAN = 1_690_632_000  # 2023-07-29T12:00:00Z


def edit(number: int = 1, **fields: Any) -> dict[str, Any]:
    """An edit; three in a row happen in the same second."""
    at = _BEGAN + number // 3
    dt = datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    meta = {
        "uri": "https://en.wikipedia.org/wiki/Clock",
        "request_id": f"request-{number}",
        "id": f"event-{number}",
        "dt": dt,
        "domain": WIKI,
        "stream": "mediawiki.recentchange",
        **fields.pop("meta", {}),
    }
    return {
        "$schema": "/mediawiki/recentchange/1.0.0",
        "meta": meta,
        "id": 1_000 + number,
        "type": "edit",
        "namespace": 0,
        "title": f"Clock {number}",
        "title_url": "https://en.wikipedia.org/wiki/Clock",
        "comment": "repaired",
        "timestamp": at,
        "user": "Ada Penrose",
        "bot": False,
        "notify_url": "https://en.wikipedia.org/w/index.php?diff=2&oldid=1",
        "minor": False,
        "length": {"old": 100, "new": 130},
        "revision": {"old": number, "new": 10_000 + number},
        "server_url": "https://en.wikipedia.org",
        "server_name": WIKI,
        "server_script_path": "/w",
        "wiki": "enwiki",
        "parsedcomment": "repaired",
        **fields,
    }


def ids(numbers: Sequence[int]) -> list[str]:
    """Return the ids of the events that `edit` makes of these numbers."""
    return [f"event-{number}" for number in numbers]


@dataclass
class MemorySink:
    """Keeps batches; raises what `troubles` holds instead, one for each commit."""

    batches: list[Batch] = field(default_factory=list)
    troubles: list[Exception] = field(default_factory=list)
    kept: Position | None = None
    on_commit: Callable[[], Awaitable[None]] | None = None

    async def position(self) -> Position | None:
        return self.kept

    async def commit(self, batch: Batch) -> None:
        if self.troubles:
            raise self.troubles.pop(0)
        if self.on_commit is not None:
            await self.on_commit()
        self.batches.append(batch)
        self.kept = batch.position

    @property
    def changes(self) -> list[Change]:
        return [change for batch in self.batches for change in batch.changes]

    @property
    def ids(self) -> list[str]:
        return [change.event_id for change in self.changes]

    @property
    def dead_letters(self) -> list[DeadLetter]:
        return [letter for batch in self.batches for letter in batch.dead_letters]


@dataclass
class Run:
    """Intake at work, with how long it wanted to wait."""

    intake: Intake
    task: asyncio.Task[None]
    waits_s: list[float]

    async def until(self, happened: Callable[[], bool]) -> None:
        """Wait for something, or fail with what ended intake."""
        async with asyncio.timeout(_PATIENCE_S):
            while not happened():
                if self.task.done():
                    self.task.result()
                    raise AssertionError("intake has ended")
                await asyncio.sleep(0.005)


@contextlib.asynccontextmanager
async def following(
    address: str,
    sink: ChangeSink,
    *,
    wanted: ChangeSelection | None = None,
    limits: IntakeLimits = QUICK,
    streams: tuple[str, ...] = STREAMS,
    since: datetime | None = None,
    chances: Iterator[float] | None = None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> AsyncIterator[Run]:
    waits: list[float] = []

    async def sleep(wait_s: float) -> None:
        waits.append(wait_s)
        await asyncio.sleep(min(wait_s, 0.01))

    around = Surroundings(
        now=now,
        sleep=sleep,
        chance=lambda: next(chances) if chances else 1.0,
    )
    settings = StreamSettings(
        address, streams, "Sidenote/test (mail@example.org)", settle_s=0.005
    )
    async with EventStreams(settings) as feed:
        intake = Intake(
            feed,
            sink,
            wanted or ChangeSelection(),
            limits=limits,
            surroundings=around,
            our_names=["SidenoteBot"],
        )
        task = asyncio.create_task(intake.run(since))
        try:
            yield Run(intake, task, waits)
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await task


@contextlib.asynccontextmanager
async def served(
    sink: ChangeSink,
    habits: Habits = Habits(),  # noqa: B008 - frozen
    *,
    since: datetime | None = ALL_FROM,
    **more: Any,
) -> AsyncIterator[tuple[EventServer, Run]]:
    """Serve a feed, and follow it."""
    async with (
        EventServer(habits) as server,
        following(server.address, sink, since=since, **more) as run,
    ):
        yield server, run


@contextlib.asynccontextmanager
async def proxied(
    sink: ChangeSink,
    habits: Habits = Habits(),  # noqa: B008 - frozen
    *,
    piece_bytes: int = 16_384,
    cuts: Iterable[int] = (),
    scripts: Sequence[Script] = (),
    since: datetime | None = ALL_FROM,
    **more: Any,
) -> AsyncIterator[tuple[EventServer, Proxy, Run]]:
    """Serve a feed, and follow it through a proxy."""
    async with EventServer(habits) as server:
        proxy = Proxy(server.address, piece_bytes, iter(cuts), list(scripts))
        async with (
            proxying(proxy),
            following(proxy.address, sink, since=since, **more) as run,
        ):
            yield server, proxy, run


def publish(server: EventServer, numbers: Iterable[int]) -> None:
    for number in numbers:
        server.publish(edit(number))


def patient(**limits: Any) -> IntakeLimits:
    return replace(QUICK, **limits)
