"""Sources that another process reads: requests go through the store.

Policy or the network may forbid reading publishers from where the rest of the program
runs; then this replaces the reader of the web. One query every second or so asks for
everything that this process waits for. Politeness, robots.txt, archives and non-text
files are handled by the reader, whose answers come through unchanged.
"""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from types import TracebackType
from typing import Protocol, Self

from bot.records.fetches import NoReaderError, Request, request_of
from bot.sources.cache import Remembered
from bot.sources.copies import nowhere, route
from bot.sources.settings import ReaderSettings
from handlers.model import Source, SourceFetch, SourceOutcome

_MOST_CHARS = 30_000_000  # of text that is remembered
_LEAST_WEIGHT = 2_000
_RETRY_S = 60.0
_TOO_LONG = "the address is too long"


class Fetches(Protocol):
    """The queue of sources to read for others, as in `bot.store.fetches`; blocking."""

    def ask(
        self, requests: Sequence[Request], now: datetime, wanted_until: datetime
    ) -> None:
        """Request sources."""
        ...

    def answers(self, requests: Collection[Request]) -> Mapping[str, SourceFetch]:
        """Return the answers, by the keys of the requests."""
        ...


@dataclass(frozen=True, slots=True)
class WaitingRules:
    """How long to wait for an answer.

    A source whose reading takes longer than `most_s` counts as not read. If no reading
    process sent a heartbeat for `grace_s`, waiting ends. The store is asked after
    `poll_s`, and up to four times less often while nothing comes.
    """

    most_s: float = 900.0
    grace_s: float = 60.0
    poll_s: float = 0.5


@dataclass(slots=True)
class _Waiting:
    request: Request
    until_s: float
    answer: asyncio.Future[SourceFetch] = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )


class _TooLate(Exception):  # noqa: N818 - not an error of the source
    """An answer did not come in time."""


class SourcesElsewhere:
    """Fulfils `handlers.ports.SourceReader`; use it as an async context manager.

    `read` raises NoReaderError if no process reads, and what the store raises.

    Args:
        fetches: where sources are requested.
        is_read: returns whether a reading process sent a heartbeat lately; blocking.
        now: the time.
        draw: random numbers from 0 to 1.
    """

    def __init__(
        self,
        fetches: Fetches,
        is_read: Callable[[], bool],
        settings: ReaderSettings,
        rules: WaitingRules,
        *,
        now: Callable[[], datetime],
        draw: Callable[[], float],
    ) -> None:
        self._fetches = fetches
        self._is_read = is_read
        self._settings = settings
        self._rules = rules
        self._now = now
        self._draw = draw
        self._room = asyncio.Semaphore(settings.limits.max_sources)
        self._waiting: dict[str, _Waiting] = {}
        self._polling: asyncio.Task[None] | None = None
        self._reader_seen_s: float | None = None
        loop = asyncio.get_running_loop()
        self._clock = loop.time
        self._known = Remembered[SourceFetch](
            self._clock,
            keep_s=settings.remember_s,
            most_weight=_MOST_CHARS,
            weigh=_weight,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._known.close()
        if self._polling is not None:
            self._polling.cancel()
            await asyncio.gather(self._polling, return_exceptions=True)

    async def read(self, source: Source) -> SourceFetch:
        """Return the reading process's result for `source`.

        Raises:
            NoReaderError: no process reads.
            PermanentError, TemporaryError: the store cannot be used, or is unavailable.
        """
        settings = self._settings
        if not route(source, settings.services, settings.ask_wayback):
            return nowhere(source)
        request = request_of(source)
        if request is None:
            return SourceFetch(source, SourceOutcome.FORBIDDEN_ADDRESS, _TOO_LONG)
        try:
            answer = await self._known.of(request.key, lambda: self._ask(request))
        except _TooLate:  # raised, so that the next caller waits again
            return self._too_late(source)
        return replace(answer, source=source)

    async def _ask(self, request: Request) -> SourceFetch:
        async with self._room:
            now, most_s = self._now(), self._rules.most_s
            until = now + timedelta(seconds=most_s)
            await asyncio.to_thread(self._fetches.ask, [request], now, until)
            waiting = _Waiting(request, self._clock() + most_s)
            self._waiting[request.key] = waiting
            if self._polling is None or self._polling.done():
                self._reader_seen_s = None
                self._polling = asyncio.create_task(self._poll())
            try:
                return await waiting.answer
            finally:
                self._waiting.pop(request.key, None)

    async def _poll(self) -> None:
        """Ask the store repeatedly, as long as anything is pending."""
        pause_s = self._rules.poll_s
        while self._waiting:
            await asyncio.sleep(pause_s * (0.75 + self._draw() / 2))
            try:
                found = await self._answered()
            except Exception as error:  # noqa: BLE001 - raised where it is waited for
                self._end(error)
                return
            pause_s = self._rules.poll_s if found else min(pause_s * 1.5, self._most_s)

    @property
    def _most_s(self) -> float:
        return 4 * self._rules.poll_s

    async def _answered(self) -> bool:
        """Pass on answers; return whether there were any.

        Raises:
            NoReaderError: no process has sent a heartbeat for too long.
        """
        requests = [one.request for one in self._waiting.values()]
        answers = await asyncio.to_thread(self._fetches.answers, requests)
        for key, fetch in answers.items():
            self._settle(key, fetch)
        for key, one in self._waiting.items():
            is_late = key not in answers and one.until_s <= self._clock()
            if is_late and not one.answer.done():
                one.answer.set_exception(_TooLate())
        await self._require_reader()
        return bool(answers)

    def _settle(self, key: str, fetch: SourceFetch) -> None:
        waiting = self._waiting.get(key)
        if waiting is not None and not waiting.answer.done():
            waiting.answer.set_result(fetch)

    def _too_late(self, source: Source) -> SourceFetch:
        detail = f"could not check: it was not read within {self._rules.most_s:.0f} s"
        return SourceFetch(source, SourceOutcome.UNREACHABLE, detail)

    async def _require_reader(self) -> None:
        now_s, grace_s = self._clock(), self._rules.grace_s
        if self._reader_seen_s is None:
            # A process may be starting just now.
            self._reader_seen_s = now_s - grace_s / 2
        if now_s - self._reader_seen_s < grace_s / 4:
            return
        if await asyncio.to_thread(self._is_read):
            self._reader_seen_s = now_s
        elif now_s - self._reader_seen_s >= grace_s:
            self._reader_seen_s = None
            raise NoReaderError(
                "could not check: no process that reads sources has had a heartbeat"
                " recently (start `sidenote read`)",
                retry_in_s=_RETRY_S,
            )

    def _end(self, error: Exception) -> None:
        for waiting in self._waiting.values():
            if not waiting.answer.done():
                waiting.answer.set_exception(error)


def _weight(fetch: SourceFetch) -> int:
    document = fetch.document
    return _LEAST_WEIGHT + (len(document.text) if document else 0)
