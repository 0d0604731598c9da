"""Turns at asking hosts: one request at a time for each, with a pause between.

Only so many hosts are asked at once. A host that is waiting for its pause to
end does not use up one of these places.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from bot.adapters.sources.settings import Politeness


class Manners:
    """Hands out turns.

    Args:
        clock: monotonic, in seconds.
        sleep: waits so many seconds of that clock.
    """

    def __init__(
        self,
        politeness: Politeness,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._politeness = politeness
        self._clock = clock
        self._sleep = sleep
        self._places = asyncio.Semaphore(politeness.parallel_hosts)
        self._hosts: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._free_at: dict[str, float] = {}

    @asynccontextmanager
    async def turn(self, host: str, crawl_delay_s: float = 0.0) -> AsyncIterator[None]:
        """Wait until `host` may be asked, and hold its turn for the block.

        `crawl_delay_s` is the host's own wish; it counts up to a maximum, and
        only where it is longer than our usual pause.
        """
        wished_s = min(crawl_delay_s, self._politeness.max_crawl_delay_s)
        delay_s = max(self._politeness.host_delay_s, wished_s)
        async with self._hosts[host]:
            if host in self._free_at:
                await self._wait_until(self._free_at[host] + delay_s)
            async with self._places:
                try:
                    yield
                finally:
                    self._free_at[host] = self._clock()

    async def _wait_until(self, moment_s: float) -> None:
        left_s = moment_s - self._clock()
        if left_s > 0:
            await self._sleep(left_s)
