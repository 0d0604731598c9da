"""Reads sources for processes that do not read the web themselves: the role `read`.

It can run elsewhere than the rest, as often as wanted; all it needs of the others is
the store. Each source is leased, so that one that its reader died over is read by
another, and one that every reader dies over by none.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial

import structlog

from bot.jobs import LeaseLost
from bot.keeping import kept
from bot.readings import ReadingTurn
from bot.rounds import Looking, rounds
from bot.store import Store
from handlers.ports import PermanentError, SourceReader, TemporaryError


@dataclass(frozen=True, slots=True)
class Fetching:
    """Reads one source after the other, each that has waited longest.

    Several may share one store, in this process and others.
    """

    name: str
    store: Store
    sources: SourceReader
    now: Callable[[], datetime]

    async def run(self, stop: asyncio.Event, *, idle_s: float = 1.0) -> None:
        """Work until `stop` is set; the source in work is read first.

        Raises:
            PermanentError: the store cannot be used; somebody has to act.
        """
        await rounds(stop, Looking(self.work_once, idle_s))

    async def work_once(self) -> bool:
        """Read what waits longest; `False` if nothing can be read now.

        Raises:
            TemporaryError: the store is away; what is in work is read by another.
            PermanentError: the store cannot be used.
        """
        readings = self.store.readings
        if not await asyncio.to_thread(readings.any_waits, self.now()):
            return False
        turn = await asyncio.to_thread(readings.lease, self.name, self.now())
        if turn is None:
            return False
        with structlog.contextvars.bound_contextvars(
            host=turn.request.host, attempt=turn.attempt
        ):
            try:
                renew = partial(self._renew, turn)
                async with kept(renew, readings.rules.lease_s):
                    await self._read(turn)
            except LeaseLost:
                structlog.get_logger().warning("turn lost, reading dropped")
        return True

    async def _read(self, turn: ReadingTurn) -> None:
        readings = self.store.readings
        try:
            reading = await self.sources.read(turn.request.source)
        except asyncio.CancelledError:
            with suppress(LeaseLost, TemporaryError, PermanentError):
                await asyncio.to_thread(readings.put_back, turn, self.now())
            raise
        except (PermanentError, TemporaryError):  # of the store: nothing else raises
            with suppress(TemporaryError, PermanentError):
                await asyncio.to_thread(readings.put_back, turn, self.now())
            raise
        except Exception:  # noqa: BLE001 - no source may stop the reader
            structlog.get_logger().exception("fault while reading a source")
            await asyncio.to_thread(
                lambda: readings.put_back(turn, self.now(), counts=True)
            )
            return
        await asyncio.to_thread(readings.answer, turn, reading, self.now())
        outcome = reading.outcome.value
        structlog.get_logger().debug("source read", outcome=outcome)

    def _renew(self, turn: ReadingTurn) -> None:
        self.store.readings.renew(turn, self.now())
