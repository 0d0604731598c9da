"""Reads sources for processes that do not read the web themselves: the role `read`.

It can run elsewhere than the rest, as often as wanted; all it needs of the others is
the store. Each source is leased, so that one that its reader died over is read by
another, and one that every reader dies over by none. However many are read at the same
time, one question asks for the next.
"""

import asyncio
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime

import structlog

from bot.daemon.lease_renewal import kept
from bot.records.fetches import ReadingTurn
from bot.records.rounds import Looking, rounds
from bot.records.tasks import LeaseLost
from bot.store import Store
from handlers.model import SourceOutcome, SourceReading
from handlers.ports import PermanentError, SourceReader, TemporaryError

_SOON = 0.25  # of the rest of who finds nothing: what waits is read by others just now
_AGAIN_S, _AGAIN_MOST_S = 1.0, 10.0  # between tries to hand an answer on
_UNKEPT = "it was read, and its text could not be handed on"


@dataclass(frozen=True, slots=True)
class Fetching:
    """Reads what has waited longest, `at_once` sources at the same time.

    Several may share one store, each in a process of its own.
    """

    name: str
    store: Store
    sources: SourceReader
    now: Callable[[], datetime]
    at_once: int = 8
    busy: set[asyncio.Task[None]] = field(
        default_factory=set, init=False, compare=False
    )

    async def run(self, stop: asyncio.Event, *, idle_s: float = 1.0) -> None:
        """Work until `stop` is set; the sources in work are read first.

        Raises:
            PermanentError: the store cannot be used; somebody has to act.
        """
        looking = Looking(self.work_once, idle_s)

        async def once() -> float:
            rest_s = await looking()
            return min(rest_s, _SOON * idle_s) if self.busy else rest_s

        try:
            await rounds(stop, once)
            if self.busy:
                await asyncio.wait(self.busy)
            self._reap()
        finally:
            for task in self.busy:
                task.cancel()
            await asyncio.gather(*self.busy, return_exceptions=True)

    async def work_once(self) -> bool:
        """Begin to read what waits longest; `False` if nothing can be read now.

        Raises:
            TemporaryError: the store is away; what is in work is read by another.
            PermanentError: the store cannot be used.
        """
        self._reap()
        if len(self.busy) >= self.at_once:
            await asyncio.wait(self.busy, return_when=asyncio.FIRST_COMPLETED)
            self._reap()
        readings = self.store.readings
        if not await asyncio.to_thread(readings.any_waits, self.now()):
            return False
        turn = await asyncio.to_thread(readings.lease, self.name, self.now())
        if turn is None:
            return False
        reading = asyncio.create_task(self._read(turn, after=set(self.busy)))
        self.busy.add(reading)
        if turn.attempt > 1:
            await asyncio.wait({reading})
        return True

    def _reap(self) -> None:
        """Forget the sources that are read; raise what reading one raised."""
        for task in [one for one in self.busy if one.done()]:
            self.busy.discard(task)
            task.result()

    async def _read(
        self, turn: ReadingTurn, after: Collection[asyncio.Task[None]]
    ) -> None:
        """Read a source; alone, if one that read it before died, perhaps over it.

        Else the sources beside it would be given up with it.
        """
        readings = self.store.readings
        with structlog.contextvars.bound_contextvars(
            host=turn.request.host, attempt=turn.attempt
        ):
            try:
                async with kept(
                    lambda: readings.renew(turn, self.now()), readings.rules.lease_s
                ):
                    await self._answer(turn, after if turn.attempt > 1 else ())
            except LeaseLost:
                structlog.get_logger().warning("turn lost, reading dropped")
            except TemporaryError as error:
                structlog.get_logger().warning("store is away", why=str(error))

    async def _answer(
        self, turn: ReadingTurn, after: Collection[asyncio.Task[None]]
    ) -> None:
        readings = self.store.readings
        try:
            if after:
                await asyncio.wait(after)
            reading = await self.sources.read(turn.request.source)
        except asyncio.CancelledError:
            with suppress(LeaseLost, TemporaryError, PermanentError):
                await asyncio.to_thread(readings.put_back, turn, self.now())
            raise
        except TemporaryError:  # of the store, that turns at hosts are taken from
            with suppress(TemporaryError):
                await asyncio.to_thread(readings.put_back, turn, self.now())
            raise
        except PermanentError:
            raise
        except Exception:  # noqa: BLE001 - no source may stop the reader
            structlog.get_logger().exception("fault while reading a source")
            await asyncio.to_thread(
                lambda: readings.put_back(turn, self.now(), counts=True)
            )
            return
        try:
            await self._hand_on(turn, reading)
        except PermanentError as error:  # of the store, or of this one answer
            structlog.get_logger().warning("answer not kept", why=str(error))
            told = SourceReading(turn.request.source, SourceOutcome.INCOMPLETE, _UNKEPT)
            await self._hand_on(turn, told)
        outcome = reading.outcome.value
        structlog.get_logger().debug("source read", outcome=outcome)

    async def _hand_on(self, turn: ReadingTurn, reading: SourceReading) -> None:
        """Keep an answer; for as long as a lease, also where the store is away.

        What was read is not asked of its host again for that, nor does it count as what
        its reader died over.
        """
        readings, loop = self.store.readings, asyncio.get_running_loop()
        until_s = loop.time() + readings.rules.lease_s
        while True:
            try:
                await asyncio.to_thread(readings.answer, turn, reading, self.now())
            except TemporaryError as error:
                wait_s = min(max(error.retry_in_s, _AGAIN_S), _AGAIN_MOST_S)
                if loop.time() + wait_s > until_s:
                    raise
                await asyncio.sleep(wait_s)
            else:
                return
