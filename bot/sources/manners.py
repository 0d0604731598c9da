"""Asks hosts politely: one request at a time for each, with pauses.

Also says how long to wait before another try: as the server says, or longer each time.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from random import random
from typing import Protocol, TypeVar

import structlog

from bot.records.fetches import HostBusy, HostSlot
from bot.sources.settings import Politeness
from handlers.ports import PermanentError, TemporaryError

_DAY_S = 86_400.0


def retry_after_s(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return what `Retry-After` asks for, in seconds or as a date, at most a day.

    `None` if it is missing or makes no sense.
    """
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.isdecimal():
        return min(float(value[:10]), _DAY_S)
    try:
        then = parsedate_to_datetime(value)
    except (ValueError, TypeError, OverflowError):
        return None
    if then.tzinfo is None:
        then = then.replace(tzinfo=UTC)
    return min(max((then - now).total_seconds(), 0.0), _DAY_S)


def backoff_s(first_s: float, tries: int, chance: float) -> float:
    """Return the wait after `tries` failures: doubled each time, half of it random.

    Args:
        first_s: the wait after the first failure, at most.
        tries: failures so far, from 1.
        chance: from 0 to 1, so that many programs do not come back at once.
    """
    longest: float = first_s * 2 ** (tries - 1)
    return longest * (0.5 + chance / 2)


_Result = TypeVar("_Result")


async def undisturbed(work: Awaitable[_Result]) -> _Result:
    """Return what `work` returns; a cancellation takes effect once it has ended.

    If the caller was cancelled, a future holds the result of the work.

    A thread cannot be cancelled. A caller that stops waiting for it would neither have
    what it acquired nor know that it must be released.

    Raises:
        Exception: what `work` raises, unless we were cancelled.
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():
            with suppress(asyncio.CancelledError):  # one is enough
                await asyncio.wait({task})
        if not task.cancelled():
            task.exception()  # otherwise asyncio complains that it was never retrieved
        raise


_SPREAD_S = 0.2  # waits vary by this much, so that processes do not ask in step
_BELIEVED_S = 60.0  # that a host counts as throttling
_MOST_HOSTS = 2_000  # that are remembered beyond those in use


class SharedSlots(Protocol):
    """Turns that all processes share, as `bot.store.fetches.Hosts` does; blocking."""

    def take(self, host: str, delay_s: float, for_s: float) -> HostSlot | HostBusy:
        """Take a turn if it is free and the host has been left alone for `delay_s`."""
        ...

    def end(self, slot: HostSlot, *, throttle_s: float = 0.0) -> None:
        """End a turn; with `throttle_s` the host is left alone for that long."""
        ...


@dataclass(slots=True)
class Slot:
    """The right to ask a host now.

    With `is_throttling` it said recently that we ask too often: it should be left
    alone. A caller that is told so now calls `throttled`.
    """

    is_throttling: bool = False
    was_throttled: bool = False

    def throttled(self) -> None:
        """Note that the host says that we send too many requests."""
        self.was_throttled = True


@dataclass(slots=True)
class _Known:
    """A host: when it was last asked, and how many wait for it in this process."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    users: int = 0
    free_at: float | None = None
    throttled_until: float | None = None


class Manners:
    """Hands out turns.

    Each host gets one request at a time, with pauses, and the number of hosts asked at
    once is limited. A host that is waiting for its pause to end does not use up a
    place. With several processes, a turn is also taken from shared state, so that all
    of them together are as polite as one.

    Args:
        clock: monotonic, in seconds.
        sleep: waits so many seconds of that clock.
        shared: turns of all processes; without them, only those of this process.
        slot_s: how long a turn may take before another process considers it dead.
    """

    def __init__(
        self,
        politeness: Politeness,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
        *,
        shared: SharedSlots | None = None,
        slot_s: float = 60.0,
    ) -> None:
        self._politeness = politeness
        self._clock = clock
        self._sleep = sleep
        self._shared = shared
        self._slot_s = slot_s
        self._places = asyncio.Semaphore(politeness.parallel_hosts)
        self._known: dict[str, _Known] = {}

    @asynccontextmanager
    async def slot(self, host: str, crawl_delay_s: float = 0.0) -> AsyncIterator[Slot]:
        """Wait until `host` may be asked, and hold its turn for the block.

        `crawl_delay_s` is the host's own wish; it counts up to a maximum, and only if
        it is longer than our usual pause.

        Raises:
            PermanentError, TemporaryError: the shared state is unavailable.
        """
        wished_s = min(crawl_delay_s, self._politeness.max_crawl_delay_s)
        delay_s = max(self._politeness.host_delay_s, wished_s)
        known = self._known.setdefault(host, _Known())
        known.users += 1
        try:
            async with known.lock:
                if self._is_throttling(known):
                    # It is not asked, so nobody need wait.
                    yield Slot(is_throttling=True)
                    return
                if known.free_at is not None:
                    await self._wait_until(known.free_at + delay_s)
                async with self._in_place(host, delay_s, known) as slot:
                    yield slot
        finally:
            known.users -= 1
            self._forget()

    @asynccontextmanager
    async def _in_place(
        self, host: str, delay_s: float, known: _Known
    ) -> AsyncIterator[Slot]:
        """Hold a place among the hosts asked at once, and the shared turn."""
        while True:
            async with self._places:
                taken = await self._take(host, delay_s, known)
                if isinstance(taken, HostSlot):
                    slot = Slot(taken.is_throttling)
                    if slot.is_throttling:
                        known.throttled_until = self._clock() + _BELIEVED_S
                    try:
                        yield slot
                    finally:
                        await self._end(taken, slot, known)
                    return
            await self._sleep(taken.wait_s + _SPREAD_S * random())  # noqa: S311 - no secret

    async def _take(
        self, host: str, delay_s: float, known: _Known
    ) -> HostSlot | HostBusy:
        """Take the shared turn; if cancelled meanwhile, give it back."""
        if self._shared is None:
            return HostSlot(host, 0)
        taking = asyncio.ensure_future(
            asyncio.to_thread(self._shared.take, host, delay_s, self._slot_s)
        )
        try:
            return await undisturbed(taking)
        except asyncio.CancelledError:
            taken = None if taking.exception() else taking.result()
            if isinstance(taken, HostSlot):
                await self._end(taken, Slot(), known)
            raise

    async def _end(self, taken: HostSlot, slot: Slot, known: _Known) -> None:
        throttle_s = self._politeness.throttle_s if slot.was_throttled else 0.0
        known.free_at = self._clock()
        if slot.was_throttled:
            known.throttled_until = known.free_at + throttle_s
        if self._shared is None:
            return
        try:
            ending = asyncio.to_thread(self._shared.end, taken, throttle_s=throttle_s)
            await undisturbed(ending)
        except (PermanentError, TemporaryError) as error:
            # The turn expires by itself; the result is worth more.
            why = str(error)
            structlog.get_logger().warning("turn at a host not ended", why=why)

    def _is_throttling(self, known: _Known) -> bool:
        return (
            known.throttled_until is not None and self._clock() < known.throttled_until
        )

    async def _wait_until(self, moment_s: float) -> None:
        left_s = moment_s - self._clock()
        if left_s > 0:
            await self._sleep(left_s)

    def _forget(self) -> None:
        """Drop hosts not asked for a long time: a daemon meets ever more of them."""
        if len(self._known) <= _MOST_HOSTS:
            return
        politeness = self._politeness
        pause_s = max(politeness.host_delay_s, politeness.max_crawl_delay_s)
        before = self._clock() - pause_s
        self._known = {
            host: known
            for host, known in self._known.items()
            if known.users
            or self._is_throttling(known)
            or (known.free_at or 0.0) > before
        }
