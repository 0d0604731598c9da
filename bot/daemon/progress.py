"""The progress of an unattended check: lines in the log, at debug level."""

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
        """Log how many claims there are, and how many sources."""
        structlog.get_logger().debug("claims found", claims=claims, sources=sources)

    def reading(self, place: str) -> None:
        """Log which source is read."""
        structlog.get_logger().debug("source to be read", place=place)

    def read(self, place: str) -> None:
        """Log that it was read, or cannot be."""
        structlog.get_logger().debug("source done", place=place)

    def checked(self, check: ClaimCheck) -> None:
        """Log the result of a claim."""
        verdict = check.verdict.value if check.verdict else None
        structlog.get_logger().debug("claim checked", verdict=verdict)

    def asking(self, claims: int, expected: ModelUse) -> None:
        """Log the estimated cost of asking a language model."""
        structlog.get_logger().debug(
            "language model to be asked", claims=claims, cost=str(expected.cost)
        )

    def asked(self, claims: int) -> None:
        """Log that a language model was asked."""
        structlog.get_logger().debug("language model asked", claims=claims)


# Shows those who asked for a check of a page how far it has come.
#
# The check reports each step as it happens, hundreds in a moment; the store is updated
# at most four times a second, and nothing waits for that.

_PAUSE_S = 0.25


@asynccontextmanager
async def reported_progress(
    checker: Checker,
    check_state: CheckState | None,
    store: Store,
    now: Callable[[], datetime],
) -> AsyncIterator[Checker]:
    """Give a checker whose progress is shown to followers of `check_state`, if any.

    If the store is unavailable, the check is not affected.
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
    """Fulfils `bot.daemon.check.Progress`; `check_state` holds the current state."""

    def __init__(
        self, check_state: CheckState, progress: Progress, now: Callable[[], datetime]
    ) -> None:
        self.check_state = check_state
        self.news = asyncio.Event()
        self.over = asyncio.Event()
        self._progress = progress
        self._now = now
        self._in_flight: list[str] = []  # places, in the order they were begun

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
            # Better sources, which the page does not cite, are read, too.
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
        await _report_sources(shown, store)
        with suppress(TimeoutError):
            async with asyncio.timeout(_PAUSE_S):
                await shown.over.wait()
    if shown.news.is_set():
        await _report_sources(shown, store)


async def _report_sources(shown: _CheckProgress, store: Store) -> None:
    shown.news.clear()
    try:
        await asyncio.to_thread(store.check_states.step, shown.check_state)
    except (PermanentError, TemporaryError) as error:
        structlog.get_logger().warning("progress not told", why=str(error))
