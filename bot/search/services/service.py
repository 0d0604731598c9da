"""Keeps to a service's pace and daily quota, across restarts and processes.

Requests are recorded in one small file for each service, changed under a lock, so that
several processes on one machine share a pace and a quota. A request is counted before
it is sent. A service that throttles us is left alone by all of them; one that refuses
our key is left alone by this process until somebody sets another.
"""

import asyncio
import fcntl
import re
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import ClassVar

from pydantic import BaseModel, Field, ValidationError

from bot.search.services.client import (
    Answer,
    Failure,
    RefusedError,
    Request,
    SearchClient,
    failure_of,
    strange,
)
from bot.search.services.results import Hit, ResultFilter, found_of
from bot.sources.files import replacing, unwritten
from handlers.model import Found, Query, Quota, SearchResults
from handlers.ports import Metered, PermanentError, Search, TemporaryError

_DAY_S = 86_400.0
_MAX_FILE_BYTES = 10_000


@dataclass(frozen=True, slots=True)
class Allowance:
    """How a service may be asked."""

    search: str  # its name, for people
    pause_s: float = 0.0  # from the start of a request to that of the next
    per_day: int | None = None  # requests, by days of UTC
    longest_wait_s: float = 15.0  # a longer wait for a turn is a `TemporaryError`


class _State(BaseModel):
    day: date = date.min
    asked: int = Field(default=0, ge=0)
    next_at: float = 0.0  # Unix time in seconds, like the others
    held_until: float = 0.0
    why: str = Field(default="", max_length=500)


class Meter:
    """Hands out turns at one service.

    Args:
        folder: where the files are; made if it is missing.
        key: name of this service's file.
        allowance: what the service allows.
        now: in UTC; the clock of the day.
        sleep: waits that many seconds of it.
    """

    def __init__(
        self,
        folder: Path,
        key: str,
        allowance: Allowance,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._folder = folder
        self._file = folder / f"{key}.json"
        self._lock = folder / f"{key}.lock"
        self._allowance = allowance
        self._pause_s = allowance.pause_s
        self._now = now
        self._sleep = sleep
        self._refused: RefusedError | None = None

    async def wait(self) -> None:
        """Wait until the service may be asked, and count the request.

        Raises:
            RefusedError: it refused us before.
            TemporaryError: the day's quota is exhausted, or it wants to be left alone.
            PermanentError: the request cannot be recorded.
        """
        if self._refused is not None:
            raise self._refused
        wait_s = await asyncio.to_thread(self._take)
        if wait_s > 0:
            await self._sleep(wait_s)

    async def hold(self, wait_s: float, why: str) -> None:
        """Leave the service alone for that long, in every process."""
        await asyncio.to_thread(self._hold, min(wait_s, _DAY_S), why)

    def refuse(self, error: RefusedError) -> None:
        """Do not ask this service again for as long as the process lives."""
        self._refused = error

    def slow_to(self, pause_s: float) -> None:
        """Adopt the pause that the service itself states, if it is longer."""
        self._pause_s = max(self._allowance.pause_s, min(pause_s, 60.0))

    def quota(self) -> Quota:
        """Return how much was asked today, and whether it may be asked now."""
        now, limit = self._now(), self._allowance.per_day
        try:
            state = self._read(now)
        except OSError:
            note = "the count of searches cannot be read"
            return Quota(self._allowance.search, 0, limit, note=note)
        if self._refused is not None:
            return Quota(
                self._allowance.search, state.asked, limit, note=str(self._refused)
            )
        if limit is not None and state.asked >= limit:
            midnight = _midnight_after(now)
            note = "the day's quota is spent"
            return Quota(self._allowance.search, state.asked, limit, midnight, note)
        if state.held_until > now.timestamp():
            until = datetime.fromtimestamp(state.held_until, UTC)
            return Quota(self._allowance.search, state.asked, limit, until, state.why)
        return Quota(self._allowance.search, state.asked, limit)

    def _take(self) -> float:
        """Return how long to wait for the turn that was taken."""
        with self._changing() as (state, now):
            self._require_quota(state, now)
            at = now.timestamp()
            wait_s = max(state.next_at, state.held_until) - at
            if wait_s > self._allowance.longest_wait_s:
                why = state.why if state.held_until > at else "too many requests"
                until = now + timedelta(seconds=wait_s)
                raise TemporaryError(
                    f"{self._allowance.search} is not used until {until:%H:%M} UTC:"
                    f" {why}",
                    retry_in_s=wait_s,
                )
            state.asked += 1
            state.next_at = at + max(wait_s, 0.0) + self._pause_s
            return wait_s

    def _require_quota(self, state: _State, now: datetime) -> None:
        limit = self._allowance.per_day
        if limit is not None and state.asked >= limit:
            raise TemporaryError(
                f"{self._allowance.search}: the {limit:,} requests allowed for a day"
                " were made; set SIDENOTE_SEARCH_QUOTAS to allow more",
                retry_in_s=(_midnight_after(now) - now).total_seconds(),
            )

    def _hold(self, wait_s: float, why: str) -> None:
        with self._changing() as (state, now):
            until = now.timestamp() + wait_s
            if until > state.held_until:
                state.held_until, state.why = until, why[:500]

    @contextmanager
    def _changing(self) -> Iterator[tuple[_State, datetime]]:
        """Lock and give the state, and save it if the block ends without error."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self._lock.open("a") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                now = self._now()
                state = self._read(now)
                yield state, now
                with replacing(self._file, state.model_dump_json()):
                    pass
        except OSError as error:
            raise unwritten(
                f"the count of searches in {self._folder}", error
            ) from error

    def _read(self, now: datetime) -> _State:
        """Return the saved state; a broken or future one is replaced.

        Raises:
            OSError: there is a file, but it cannot be read: what is left today is
                unknown.
        """
        try:
            with self._file.open("rb") as file:
                state = _State.model_validate_json(file.read(_MAX_FILE_BYTES))
        except (FileNotFoundError, ValidationError):
            state = _State()
        if state.day != now.date():
            state.day, state.asked = now.date(), 0
        # A clock that was wrong must not keep us away for years.
        latest = now.timestamp() + _DAY_S
        state.next_at = min(state.next_at, latest)
        state.held_until = min(state.held_until, latest)
        return state


def _midnight_after(now: datetime) -> datetime:
    return datetime.combine(now.date() + timedelta(days=1), time(), UTC)


_TRIES = 2
_SHORT_WAIT_S = 10.0
_INTERVAL = re.compile(r"([0-9]{1,4})s")


@dataclass(frozen=True, slots=True)
class Plan:
    """The requests for a query, in order.

    Later ones are skipped once enough was found. `left_out` says in a line what part of
    the query they do not cover, "" for none.
    """

    requests: tuple[Request, ...]
    left_out: str = ""


@dataclass(frozen=True)
class Dialect(ABC):
    """How one service is asked, and how it answers.

    `remedy` says what a person should do if it refuses us, `pause_s` how long to wait
    from one request to the next.

    A dialect has the requests for a query, the results in an answer, and the service's
    errors. It sends nothing itself.
    """

    name: ClassVar[str]  # of the service, for people
    remedy: ClassVar[str]
    pause_s: ClassVar[float] = 0.0
    address: str

    @abstractmethod
    def plan(self, query: Query, limit: int, today: date) -> Plan:
        """Return what to ask for `limit` documents."""

    @abstractmethod
    def hits(self, answer: Answer, today: date) -> Sequence[Hit]:
        """Return the results of an answer without an error, best first."""

    def failure(self, answer: Answer) -> Failure | None:
        """Return an answer's error; `None` if it holds results."""
        failed = self._own_failure(answer) or failure_of(
            self.name, answer, remedy=self.remedy
        )
        if failed or self._is_answer(answer.json):
            return failed
        return strange(self.name, answer)

    def _own_failure(self, answer: Answer) -> Failure | None:  # noqa: ARG002 - most have none
        """Return an error that only this service words like that."""
        return None

    def _is_answer(self, content: object) -> bool:
        """Return whether the service has answered, and nothing before it."""
        return isinstance(content, dict)


class ServiceSearch:
    """Fulfils `handlers.ports.Search` and `Metered` for one service.

    Args:
        dialect: of the service.
        client: sends the requests.
        meter: hands out turns at this service.
        result_filter: what is never passed on.
        today: the day in UTC.
    """

    def __init__(
        self,
        dialect: Dialect,
        client: SearchClient,
        meter: Meter,
        result_filter: ResultFilter,
        today: Callable[[], date],
    ) -> None:
        self._dialect = dialect
        self._client = client
        self._meter = meter
        self._filter = result_filter
        self._today = today

    @property
    def name(self) -> str:
        """Of the service."""
        return self._dialect.name

    def quotas(self) -> Sequence[Quota]:
        """Return how much the service was asked today."""
        return (self._meter.quota(),)

    async def search(self, query: Query, *, limit: int) -> SearchResults:
        """Return at most `limit` documents, each once, best first.

        If one of several requests fails, what the others found is still returned.

        Raises:
            TemporaryError: the service is unreachable, wants to be left alone, or its
                quota is exhausted.
            PermanentError: it refuses us, or this request.
        """
        plan = self._dialect.plan(query, limit, self._today())
        found: dict[str, Found] = {}
        troubles = [plan.left_out] if plan.left_out else []
        for request in plan.requests:
            try:
                hits = await self._hits(request)
            except (PermanentError, TemporaryError) as error:
                if not found:
                    raise
                troubles.append(str(error))
                break
            for one in found_of(hits, query, self.name, self._filter):
                found.setdefault(one.address, one)
            if len(found) >= limit:
                troubles = []
                break
        return SearchResults(tuple(found.values())[:limit], tuple(troubles))

    async def _hits(self, request: Request) -> Sequence[Hit]:
        """Ask, and once more if the service wants only a short pause."""
        for tries in range(1, _TRIES + 1):
            try:
                return await self._ask(request)
            except TemporaryError as error:
                if tries == _TRIES or error.retry_in_s > _SHORT_WAIT_S:
                    raise
        raise AssertionError

    async def _ask(self, request: Request) -> Sequence[Hit]:
        await self._meter.wait()
        try:
            answer = await self._client.ask(self.name, request)
            self._meter.slow_to(_stated_pause_s(answer))
            if failure := self._dialect.failure(answer):
                raise failure
        except RefusedError as error:
            self._meter.refuse(error)
            raise
        except TemporaryError as error:
            await self._meter.hold(error.retry_in_s, str(error))
            raise
        return self._dialect.hits(answer, self._today())


def _stated_pause_s(answer: Answer) -> float:
    """Return the pause that an answer's headers ask for, in Crossref's format."""
    limit = answer.headers.get("x-rate-limit-limit", "")
    interval = _INTERVAL.fullmatch(answer.headers.get("x-rate-limit-interval", ""))
    if not interval or not limit.isdecimal() or not int(limit[:9]):
        return 0.0
    return float(interval[1]) / int(limit[:9])


# Several services as one search: the next is asked if one fails or finds nothing.


class AlternateSearches:
    """Fulfils `handlers.ports.Search` and `Metered` over others, the preferred one first."""

    def __init__(self, searches: Sequence[Search]) -> None:
        self._searches = tuple(searches)

    @property
    def name(self) -> str:
        """All names, in the order in which they are asked."""
        return " > ".join(search.name for search in self._searches)

    def quotas(self) -> Sequence[Quota]:
        """Return those of all services."""
        return tuple(
            quota
            for search in self._searches
            if isinstance(search, Metered)
            for quota in search.quotas()
        )

    async def search(self, query: Query, *, limit: int) -> SearchResults:
        """Return the answer of the first that finds something.

        What went wrong with those before it is in the answer's troubles.

        Raises:
            TemporaryError: all failed, at least one of them temporarily.
            PermanentError: all failed permanently.
        """
        troubles: list[str] = []
        failed: list[PermanentError | TemporaryError] = []
        for search in self._searches:
            try:
                found = await search.search(query, limit=limit)
            except (PermanentError, TemporaryError) as error:
                failed.append(error)
                troubles.append(_failure_line(search, error))
                continue
            troubles += found.troubles if isinstance(found, SearchResults) else ()
            if found:
                return SearchResults(tuple(found), tuple(troubles))
        if failed and len(failed) == len(self._searches):
            raise _all_of(failed, troubles)
        return SearchResults((), tuple(troubles))


def _failure_line(search: Search, error: Exception) -> str:
    message = str(error)
    return message if search.name in message else f"{search.name}: {message}"


def _all_of(
    failed: Sequence[PermanentError | TemporaryError], troubles: Sequence[str]
) -> PermanentError | TemporaryError:
    waits = [error.retry_in_s for error in failed if isinstance(error, TemporaryError)]
    message = "; ".join(troubles)
    return (
        TemporaryError(message, retry_in_s=min(waits))
        if waits
        else PermanentError(message)
    )
