"""A search of one service, whichever it is, or of several one after the other.

What differs between services is a `Dialect`: the requests that a query makes, what an
answer holds, and what it complains of. A dialect asks nothing itself.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

from bot.search.services.client import Answer, Asker, Failure, RefusedError, Request
from bot.search.services.quota import Meter
from bot.search.services.results import Hit, Sieve, found_of
from handlers.model import Finds, Found, Query, Quota
from handlers.ports import Metered, PermanentError, Search, TemporaryError

_TRIES = 2
_SHORT_WAIT_S = 10.0
_INTERVAL = re.compile(r"([0-9]{1,4})s")


@dataclass(frozen=True, slots=True)
class Plan:
    """The requests that a query makes, in their order.

    The later ones are left out once enough was found. `left_out` says in a line what
    of the query they do not cover, "" for nothing.
    """

    requests: tuple[Request, ...]
    left_out: str = ""


class Dialect(Protocol):
    """How one service is asked, and how it answers."""

    @property
    def name(self) -> str:
        """Of the service, for people."""
        ...

    def plan(self, query: Query, limit: int, today: date) -> Plan:
        """Return what to ask for `limit` documents."""
        ...

    def failure(self, answer: Answer) -> Failure | None:
        """Return what an answer complains of, `None` where it holds results."""
        ...

    def hits(self, answer: Answer, today: date) -> Sequence[Hit]:
        """Return the results of an answer without failure, best first."""
        ...


class ServiceSearch:
    """Fulfils `handlers.ports.Search` and `Metered` for one service.

    Args:
        dialect: of the service.
        asker: sends the requests.
        meter: hands out turns at this service.
        sieve: what is never passed on.
        today: the day in UTC.
    """

    def __init__(
        self,
        dialect: Dialect,
        asker: Asker,
        meter: Meter,
        sieve: Sieve,
        today: Callable[[], date],
    ) -> None:
        self._dialect = dialect
        self._asker = asker
        self._meter = meter
        self._sieve = sieve
        self._today = today

    @property
    def name(self) -> str:
        """Of the service."""
        return self._dialect.name

    def quotas(self) -> Sequence[Quota]:
        """Return what the service was asked today."""
        return (self._meter.quota(),)

    async def search(self, query: Query, *, limit: int) -> Finds:
        """Return at most `limit` documents, each once, best first.

        Where one of several requests fails, what the others found is still returned.

        Raises:
            TemporaryError: the service is out of reach, wants to be left alone, or its
                quota is spent.
            PermanentError: it refuses us, or this question.
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
            for one in found_of(hits, query, self.name, self._sieve):
                found.setdefault(one.address, one)
            if len(found) >= limit:
                troubles = []
                break
        return Finds(tuple(found.values())[:limit], tuple(troubles))

    async def _hits(self, request: Request) -> Sequence[Hit]:
        """Ask, and once more where the service wants only a short pause."""
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
            answer = await self._asker.ask(self.name, request)
            self._meter.slow_to(_asked_pause_s(answer))
            if failure := self._dialect.failure(answer):
                raise failure
        except RefusedError as error:
            self._meter.refuse(error)
            raise
        except TemporaryError as error:
            await self._meter.hold(error.retry_in_s, str(error))
            raise
        return self._dialect.hits(answer, self._today())


def _asked_pause_s(answer: Answer) -> float:
    """Return the pause that an answer's headers ask for, as Crossref writes them."""
    limit = answer.headers.get("x-rate-limit-limit", "")
    interval = _INTERVAL.fullmatch(answer.headers.get("x-rate-limit-interval", ""))
    if not interval or not limit.isdecimal() or not int(limit[:9]):
        return 0.0
    return float(interval[1]) / int(limit[:9])


# Several services as one search: the next is asked where one fails or finds nothing.


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

    async def search(self, query: Query, *, limit: int) -> Finds:
        """Return the answer of the first that finds something.

        What went wrong with those before it is told in the answer's troubles.

        Raises:
            TemporaryError: all failed, and one of them may not another time.
            PermanentError: all failed for good.
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
            troubles += found.troubles if isinstance(found, Finds) else ()
            if found:
                return Finds(tuple(found), tuple(troubles))
        if failed and len(failed) == len(self._searches):
            raise _all_of(failed, troubles)
        return Finds((), tuple(troubles))


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
