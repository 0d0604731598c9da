"""The progress of a check where nobody looks on: lines of the log, at its finest level."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import datetime

import structlog

from bot.daemon.check import Checker, Progress
from bot.records.accounts import CheckState
from bot.store import Store
from handlers.model import ClaimCheck, ModelUse
from handlers.ports import PermanentError, TemporaryError


class LoggedProgress:
    """Fulfils `bot.daemon.check.Progress`."""

    def started(self, claims: int, sources: int) -> None:
        """Tell how many claims there are, and sources for them."""
        structlog.get_logger().debug("claims found", claims=claims, sources=sources)

    def reading(self, place: str) -> None:
        """Tell which source is read."""
        structlog.get_logger().debug("source to be read", place=place)

    def read(self, place: str) -> None:
        """Tell that it was read, or cannot be."""
        structlog.get_logger().debug("source done", place=place)

    def checked(self, check: ClaimCheck) -> None:
        """Tell what came of a claim."""
        verdict = check.verdict.value if check.verdict else None
        structlog.get_logger().debug("claim checked", verdict=verdict)

    def asking(self, claims: int, expected: ModelUse) -> None:
        """Tell what asking a language model is thought to take."""
        structlog.get_logger().debug(
            "language model to be asked", claims=claims, cost=str(expected.cost)
        )

    def asked(self, claims: int) -> None:
        """Tell that a language model was asked."""
        structlog.get_logger().debug("language model asked", claims=claims)


# Tells those who asked for a look at a page how far it has come.
#
# The check tells each step as it happens, hundreds in a moment; the store is told where
# things stand four times a second at most, and by nobody's waiting.

_PAUSE_S = 0.25


@asynccontextmanager
async def telling(
    checker: Checker,
    check_state: CheckState | None,
    store: Store,
    now: Callable[[], datetime],
) -> AsyncIterator[Checker]:
    """Give a checker whose progress the followers of `check_state` are told, too, if any.

    That the store is away does not disturb the check.
    """
    if check_state is None:
        yield checker
        return
    shown = _CheckProgress(check_state, checker.progress, now)
    shown.news.set()
    keeping = asyncio.create_task(_keep(shown, store))
    try:
        yield replace(checker, progress=shown)
    finally:
        shown.stop()
        await keeping


class _CheckProgress:
    """Fulfils `bot.daemon.check.Progress`; `check_state` is where things stand."""

    def __init__(
        self, check_state: CheckState, progress: Progress, now: Callable[[], datetime]
    ) -> None:
        self.check_state = check_state
        self.news = asyncio.Event()
        self.over = asyncio.Event()
        self._progress = progress
        self._now = now
        self._in_flight: list[str] = []  # places, the one begun first first

    def started(self, claims: int, sources: int) -> None:
        self._reached(claims=claims, sources=sources)
        self._progress.started(claims, sources)

    def reading(self, place: str) -> None:
        self._in_flight.append(place)
        self._reached(reading=self._in_flight[0])
        self._progress.reading(place)

    def read(self, place: str) -> None:
        self._in_flight.remove(place)
        read = self.check_state.sources_read + 1
        self._reached(
            reading=self._in_flight[0] if self._in_flight else None,
            sources_read=read,
            # Better sources are read, too, which the page does not cite.
            sources=max(self.check_state.sources, read),
        )
        self._progress.read(place)

    def checked(self, check: ClaimCheck) -> None:
        self._reached(claims_checked=self.check_state.claims_checked + 1)
        self._progress.checked(check)

    def asking(self, claims: int, expected: ModelUse) -> None:
        self._progress.asking(claims, expected)

    def asked(self, claims: int) -> None:
        self._progress.asked(claims)

    def stop(self) -> None:
        self.over.set()
        self.news.set()

    def _reached(self, **changes: int | str | None) -> None:
        self.check_state = replace(self.check_state, **changes, changed_at=self._now())  # type: ignore[arg-type]  # fields by name
        self.news.set()


async def _keep(shown: _CheckProgress, store: Store) -> None:
    while not shown.over.is_set():
        await shown.news.wait()
        await _tell(shown, store)
        with suppress(TimeoutError):
            async with asyncio.timeout(_PAUSE_S):
                await shown.over.wait()
    if shown.news.is_set():
        await _tell(shown, store)


async def _tell(shown: _CheckProgress, store: Store) -> None:
    shown.news.clear()
    try:
        await asyncio.to_thread(store.check_states.step, shown.check_state)
    except (PermanentError, TemporaryError) as error:
        structlog.get_logger().warning("progress not told", why=str(error))
