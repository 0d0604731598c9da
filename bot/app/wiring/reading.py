"""The role that reads sources for others, put together from the settings."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from bot.app.wiring.sources import make_extractor, open_web
from bot.app.wiring.world import holder, now
from bot.daemon.fetching import Fetching
from bot.settings import Settings

if TYPE_CHECKING:
    from bot.store import Store


@asynccontextmanager
async def open_fetching(settings: Settings, store: "Store") -> AsyncIterator[Fetching]:
    """Give the role, that reads as many sources at once as hosts may be asked."""
    async with AsyncExitStack() as opened:
        extractor = await opened.enter_async_context(make_extractor(settings))
        web = open_web(settings, extractor, store)
        sources = await opened.enter_async_context(web)
        at_once = settings.hosts_at_once
        yield Fetching(f"{holder()}:read", store, sources, now, at_once)
