"""Makes the waiting posts one after the other, and records what became of each.

A try is recorded in the store before anything is sent. Whatever happens then, even if
this process is killed, whoever takes the post up next checks the wiki first.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import structlog

from bot.records.posts import Attempt, AttemptLost, NotNow, Outcome, Parked, Unclear
from bot.records.tasks import BackOff, Poller, rounds
from bot.store import Outbox
from handlers.ports import PermanentError, TemporaryError

_BACK_OFF = BackOff(first_s=5.0)
_HALTED_S = (
    60.0  # for the post; the publisher rests longer, a restarted one tries again
)


class Maker(Protocol):
    """Tries a post once, as `bot.writing.gate.Gate` does."""

    def attempt(self, tried: Attempt) -> Outcome:
        """Return what became of the try."""
        ...


@dataclass(frozen=True, slots=True)
class Publisher:
    """Works through the posts of one wiki.

    `pause_s` is the time between two writes; `draw` returns random numbers from 0 to 1.
    Several publishers, even in several processes, may share one outbox, each with its
    own gate.
    """

    wiki: str
    outbox: Outbox
    gate: Maker
    now: Callable[[], datetime]
    draw: Callable[[], float]
    pause_s: float = 10.0

    async def run(self, stop: asyncio.Event, *, idle_s: float = 5.0) -> None:
        """Post until `stop` is set; the current try is finished first.

        Raises:
            PermanentError: the store cannot be used; somebody has to act.
        """
        last: list[Outcome] = []

        async def work() -> bool:
            outcome = await asyncio.to_thread(self.publish_once)
            if outcome is not None:
                last.append(outcome)
            return outcome is not None

        poller = Poller(work, idle_s)

        async def once() -> float:
            rest_s = await poller()
            return self._rest_s(last.pop()) if last else rest_s

        await rounds(stop, once)

    def publish_once(self) -> Outcome | None:
        """Try the post that is due first; `None` if there is none. Takes seconds.

        Raises:
            TemporaryError: the store is away; the post comes back when its lease
                expires, and counts as possibly made.
            PermanentError: the store cannot be used.
        """
        tried = self.outbox.begin(self.now(), wiki=self.wiki)
        if tried is None:
            return None
        post = tried.post
        with structlog.contextvars.bound_contextvars(
            wiki=post.wiki, title=post.title, post=post.name[:24], task=post.task
        ):
            try:
                outcome = self._tried(tried)
                self._settle(tried, outcome)
            except AttemptLost:
                structlog.get_logger().warning("post was taken up by another process")
                return None
        return outcome

    def _tried(self, tried: Attempt) -> Outcome:
        try:
            return self.gate.attempt(tried)
        except AttemptLost:
            raise
        except (PermanentError, TemporaryError) as error:
            return Unclear(str(error))
        except Exception as error:  # noqa: BLE001 - no post may stop the publisher
            structlog.get_logger().exception("fault while posting")
            return Unclear(f"a fault of the program: {type(error).__name__}: {error}")

    def _settle(self, tried: Attempt, outcome: Outcome) -> None:
        log = structlog.get_logger()
        in_s = self._wait_s(tried, outcome)
        self.outbox.settle(tried, outcome, self.now(), in_s=in_s)
        is_odd = isinstance(outcome, Unclear | Parked) or getattr(
            outcome, "halts", False
        )
        (log.warning if is_odd else log.info)(
            "post tried",
            outcome=type(outcome).__name__,
            why=getattr(outcome, "why", ""),
            tries=tried.tries,
            in_s=round(max(in_s, getattr(outcome, "retry_in_s", 0.0))),
        )

    def _wait_s(self, tried: Attempt, outcome: Outcome) -> float:
        if isinstance(outcome, Parked):
            return outcome.retry_in_s
        if not isinstance(outcome, NotNow | Unclear):
            return 0.0
        if isinstance(outcome, NotNow) and outcome.halts:
            return min(outcome.retry_in_s, _HALTED_S)
        return _BACK_OFF.wait_s(tried.tries, outcome.retry_in_s, self.draw())

    def _rest_s(self, outcome: Outcome) -> float:
        if isinstance(outcome, NotNow) and outcome.halts:
            return max(outcome.retry_in_s, self.pause_s)
        return self.pause_s
