"""The progress of a check: what it reports, to the log or to people who follow it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

import structlog

from bot.records.accounts import CheckState
from handlers.model import ClaimCheck, ModelUse
from handlers.ports import PermanentError, TemporaryError

if TYPE_CHECKING:
    from bot.store import Store


class Progress(Protocol):
    """Is told what is happening, so that nobody watches a silent wait."""

    def started(self, claims: int, sources: int) -> None:
        """`claims` claims of the page are about to be checked against `sources`."""
        ...

    def reading(self, place: str) -> None:
        """A source is being read: its host, or what it is if it has no address.

        Each source is reported once, however many claims cite it. Sources that the page
        does not cite are read, too.
        """
        ...

    def read(self, place: str) -> None:
        """The source has been read, or turned out to be unreadable."""
        ...

    def checked(self, check: ClaimCheck) -> None:
        """One more claim is done."""
        ...

    def asking(self, claims: int, expected: ModelUse) -> None:
        """`claims` claims go to the language model, at about this cost."""
        ...

    def asked(self, claims: int) -> None:
        """That many more claims have been sent to the language model."""
        ...


class LoggedProgress:
    """The progress of an unattended check: lines in the log, at debug level."""

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


_PAUSE_S = 0.25


@asynccontextmanager
async def followed_progress(
    check_state: CheckState | None,
    progress: Progress,
    store: "Store",
    now: Callable[[], datetime],
) -> AsyncIterator[Progress]:
    """Give a progress that is also shown to the followers of `check_state`, if any.

    A check reports each step as it happens, hundreds in a moment. The store is updated
    at most four times a second; nothing waits for that, and if it is unavailable, the
    check is not affected.
    """
    if check_state is None:
        yield progress
        return
    followed = _FollowedProgress(check_state, progress, now)
    followed.news.set()
    saving = asyncio.create_task(_save_steps(followed, store))
    try:
        yield followed
    finally:
        followed.stop()
        await saving


class _FollowedProgress:
    """Fulfils `Progress`; `check_state` holds the current state."""

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


async def _save_steps(progress: _FollowedProgress, store: "Store") -> None:
    while not progress.over.is_set():
        await progress.news.wait()
        await _save_step(progress, store)
        with suppress(TimeoutError):
            async with asyncio.timeout(_PAUSE_S):
                await progress.over.wait()
    if progress.news.is_set():
        await _save_step(progress, store)


async def _save_step(progress: _FollowedProgress, store: "Store") -> None:
    progress.news.clear()
    try:
        await asyncio.to_thread(store.check_states.step, progress.check_state)
    except (PermanentError, TemporaryError) as error:
        structlog.get_logger().warning("progress not saved", why=str(error))
