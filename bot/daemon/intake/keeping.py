"""Hands batches to the sink until it has kept them; nothing is read meanwhile."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import structlog

from bot.daemon.intake.feed import IntakeLimits, Surroundings
from bot.records.changes import Batch, ChangeSink, Position
from bot.sources.manners import backoff_s, undisturbed
from handlers.ports import TemporaryError

T = TypeVar("T")

_FIRST_WAIT_S = 1.0
_MAX_DOUBLINGS = 10


class Keeper:
    """Asks one sink, again and again if need be.

    Args:
        complain: is told in words why nothing can be kept just now.
    """

    def __init__(
        self,
        sink: ChangeSink,
        limits: IntakeLimits,
        surroundings: Surroundings,
        complain: Callable[[str], None],
    ) -> None:
        self._sink = sink
        self._limits = limits
        self._around = surroundings
        self._complain = complain

    async def position(self) -> Position | None:
        """Return the position that was kept last.

        Raises:
            PermanentError: the sink will never answer.
        """
        return await self._patiently(self._sink.position)

    async def keep(self, batch: Batch) -> None:
        """Return once `batch` is kept. A try that has begun is not cancelled.

        Raises:
            PermanentError: it will never be kept.
        """
        await self._patiently(lambda: undisturbed(self._sink.commit(batch)))

    async def _patiently(self, ask: Callable[[], Awaitable[T]]) -> T:
        tries = 0
        while True:
            try:
                return await ask()
            except TemporaryError as error:
                tries = min(tries + 1, _MAX_DOUBLINGS)
                wait_s = backoff_s(_FIRST_WAIT_S, tries, self._around.chance())
                self._complain(str(error))
                structlog.get_logger().warning("nothing can be kept", why=str(error))
                await self._around.sleep(
                    max(min(wait_s, self._limits.longest_wait_s), error.retry_in_s)
                )
