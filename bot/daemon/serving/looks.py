"""Looks at the database for whoever asks, at most once in a while.

A crowd of readers, or a scraper gone wild, costs the database no more than one reader.
"""

import asyncio
from collections.abc import Callable

from bot.daemon.status.situation import Situation


class Looks:
    """Gives the situation, at most `fresh_s` old.

    Args:
        look: takes a look; blocks, and may raise TemporaryError or PermanentError.
        monotonic: a clock that never goes back, in seconds.
        fresh_s: for how long a look counts.
    """

    def __init__(
        self,
        look: Callable[[], Situation],
        monotonic: Callable[[], float],
        fresh_s: float = 2.0,
    ) -> None:
        self._look = look
        self._monotonic = monotonic
        self._fresh_s = fresh_s
        self._turn = asyncio.Lock()
        self._seen: Situation | None = None
        self._seen_at = 0.0

    async def take(self) -> Situation:
        """Return the situation.

        Raises:
            TemporaryError: the database is away.
            PermanentError: it cannot be used.
        """
        async with self._turn:
            age_s = self._monotonic() - self._seen_at
            if self._seen is None or age_s > self._fresh_s:
                self._seen = await asyncio.to_thread(self._look)
                self._seen_at = self._monotonic()
            return self._seen
