"""The role that reads sources for others, put together from the settings."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from bot.bootstrap.sources import make_extractor, open_web
from bot.bootstrap.world import holder, now
from bot.fetching import Fetching
from bot.settings import Settings

if TYPE_CHECKING:
    from bot.store import Store


@asynccontextmanager
async def open_fetching(
    settings: Settings, store: "Store"
) -> AsyncIterator[Sequence[Fetching]]:
    """Give as many readers as hosts may be asked at the same time."""
    async with AsyncExitStack() as opened:
        extractor = await opened.enter_async_context(make_extractor(settings))
        web = open_web(settings, extractor, store)
        sources = await opened.enter_async_context(web)
        yield [
            Fetching(f"{holder()}:{number}", store, sources, now)
            for number in range(1, settings.hosts_at_once + 1)
        ]
