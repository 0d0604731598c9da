"""What intake needs of a feed, and what it keeps in bounds. Pure."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from time import monotonic
from typing import Protocol

from bot.daemon.event_stream.start import Start
from bot.daemon.intake.reading import MAX_EVENT_BYTES


class Connection(Protocol):
    """An open feed."""

    async def read(self) -> bytes:
        """Return the next bytes, `b""` at the end. Nothing is lost by cancelling it.

        Raises:
            TemporaryError: the connection is broken.
        """
        ...


class Feed(Protocol):
    """A server that tells what changes."""

    def connect(self, start: Start) -> AbstractAsyncContextManager[Connection]:
        """Open the feed; it is closed with the block.

        Raises:
            StartRefusedError: the server does not take `start`.
            TemporaryError: it cannot be reached now, or asks to come again later.
            PermanentError: it will not give us this feed.
        """
        ...


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Clocks and chance, so that tests can have their own.

    `monotonic_s` is a clock that nobody sets: that of the machine may jump by days.
    """

    now: Callable[[], datetime]
    sleep: Callable[[float], Awaitable[None]]
    chance: Callable[[], float]  # from 0 to 1
    monotonic_s: Callable[[], float] = monotonic


def passed_s(since: datetime, now: datetime) -> float:
    """Return the seconds between; a clock that was set back counts as time passed.

    Whatever waits would else wait for as long as the clock was set back by.
    """
    return abs((now - since).total_seconds())


@dataclass(frozen=True, slots=True)
class IntakeLimits:
    """What intake waits for, and how much it holds."""

    silence_s: float = 60.0  # without any event, after which we connect anew
    overlap_s: float = 60.0  # read twice after each connection that was lost
    first_wait_s: float = 5.0  # after a failure, at most; doubled with each more
    longest_wait_s: float = 300.0
    between_tries_s: float = 5.0  # at least, from one connection to the next
    commit_s: float = 0.5  # the longest that a change waits to be kept
    position_s: float = 10.0  # the same for a position without changes
    batch_changes: int = 500  # dead letters count, too
    remembered: int = 20_000  # changes, to tell those that come twice
    max_event_bytes: int = MAX_EVENT_BYTES
