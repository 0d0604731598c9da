"""Reviews with all that the settings give them: sources and a language model."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from bot.app.wiring.language_model import open_language_model
from bot.app.wiring.sources import make_extractor, open_sources
from bot.daemon.review import Reviewer
from bot.settings import Settings


@asynccontextmanager
async def open_reviewer(
    settings: Settings, folder: Path | None, *, reads_web: bool
) -> AsyncIterator[Reviewer]:
    """Give what reviews pages.

    Args:
        settings: whose language model is asked, where one is set up.
        folder: of sources whose words are compared, in the place of the web.
        reads_web: whether sources are read from the web where there is no folder.
    """
    async with AsyncExitStack() as opened:
        model = await opened.enter_async_context(open_language_model(settings))
        sources = None
        if folder is not None or reads_web:
            extractor = await opened.enter_async_context(make_extractor(settings))
            sources = await opened.enter_async_context(
                open_sources(settings, folder, extractor)
            )
        yield Reviewer(sources, model)
