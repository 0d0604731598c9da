"""Records now and then that a process runs and how it is doing, for others to see.

A process reports separately for each part that it runs. If the database is unavailable,
it reports later; nothing else waits for it.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TypeAlias

import structlog

from bot import __version__
from bot.daemon import heartbeat_check
from bot.daemon.intake.stream import Health
from bot.records.heartbeat import Heartbeat
from bot.store import Store
from handlers.ports import PermanentError, TemporaryError

_EVERY_S = 15.0


@dataclass(frozen=True, slots=True)
class Vitals:
    """How a part is doing: its problem in words, and figures named with units."""

    problem: str = ""
    figures: Mapping[str, float] = field(default_factory=dict)


ReadVitals: TypeAlias = Callable[[datetime], Vitals]
"""Returns the state of a part at that time; quick, and never raises."""


def only_runs(_now: datetime) -> Vitals:
    """Report only that it runs."""
    return Vitals()


def vitals_of_intake(health: Callable[[], Health]) -> ReadVitals:
    """Return a function that reports how the reading of a feed is doing."""

    def read(now: datetime) -> Vitals:
        feed = health()
        figures: dict[str, float] = {
            "connected": feed.is_connected,
            "events": feed.events,
            "changes": feed.changes,
            "dead_letters": feed.dead_letters,
            "holes": feed.gaps,
            "silences": feed.silences,
        }
        lag_s = feed.lag_s(now)
        if lag_s is not None:
            figures["lag_s"] = lag_s
        return Vitals(feed.problem or "", figures)

    return read


@dataclass(frozen=True, slots=True)
class HeartbeatSender:
    """The heartbeat of this process.

    `parts` names what it does (`bot.daemon.status.situation.ROLES`); `pid` and `host`
    are those of this process.
    """

    store: Store
    parts: Mapping[str, ReadVitals]
    host: str
    pid: int
    now: Callable[[], datetime]
    every_s: float = _EVERY_S

    async def run(self, stop: asyncio.Event) -> None:
        """Send heartbeats until `stop` is set, then report that the process ends."""
        started_at = self.now()
        try:
            while not stop.is_set():
                await self._send(started_at)
                with suppress(TimeoutError):
                    async with asyncio.timeout(self.every_s):
                        await stop.wait()
        finally:
            await self._end(started_at)

    async def _send(self, started_at: datetime) -> None:
        for heartbeat in self._heartbeats(started_at):
            try:
                await asyncio.to_thread(self.store.processes.beat, heartbeat)
            except (PermanentError, TemporaryError) as error:
                structlog.get_logger().warning("heartbeat not saved", why=str(error))
                return

    async def _end(self, started_at: datetime) -> None:
        with suppress(PermanentError, TemporaryError):
            for heartbeat in self._heartbeats(started_at):
                await asyncio.to_thread(self.store.processes.end, heartbeat.name)

    def _heartbeats(self, started_at: datetime) -> list[Heartbeat]:
        now = self.now()
        return [
            Heartbeat(
                name=f"{part}:{self.host}:{self.pid}",
                role=part,
                host=self.host,
                pid=self.pid,
                version=__version__,
                started_at=started_at,
                seen_at=now,
                every_s=self.every_s,
                problem=vitals.problem,
                figures=vitals.figures,
            )
            for part, read in self.parts.items()
            for vitals in (read(now),)
        ]


@dataclass(frozen=True, slots=True)
class HeartbeatFile:
    """The heartbeat of this process on its own machine, a file for each of its `parts`.

    Nothing else can delay it, so it is late only when the process itself hangs; see
    `bot.daemon.heartbeat_check`.
    """

    folder: Path
    parts: Sequence[str]
    every_s: float

    async def run(self, stop: asyncio.Event) -> None:
        """Write the files until `stop` is set, then remove them."""
        try:
            while not stop.is_set():
                self._write()
                with suppress(TimeoutError):
                    async with asyncio.timeout(self.every_s):
                        await stop.wait()
        finally:
            for part in self.parts:
                heartbeat_check.remove(self.folder, part)

    def _write(self) -> None:
        try:
            for part in self.parts:
                heartbeat_check.write(self.folder, part, self.every_s)
        except OSError as error:
            why = error.strerror or "error"
            structlog.get_logger().warning("heartbeat file not written", why=why)
