"""Searches that no service of the web stands behind: Wikidata, sister articles, feeds."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bot.app.wiring.wiki import user_agent
from bot.settings import Settings
from bot.settings.searching import SearchName
from handlers.ports import Search

if TYPE_CHECKING:
    from bot.search.services.client import Asker
    from bot.search.services.results import Sieve
    from bot.wiki.api import WikiApi
    from bot.wiki.history import WikiHistory


def open_wikidata(settings: Settings, wiki: str, sieve: "Sieve") -> Search:
    """Give a search of the statements about the articles of `wiki`."""
    from bot.search.services.wikidata import WikidataSearch  # noqa: PLC0415 - only where it is asked

    items = settings.search_address(SearchName.WIKIDATA)
    return WikidataSearch(_api(settings, wiki), _api(settings, items), sieve)


def open_sisters(settings: Settings, wiki: str, sieve: "Sieve") -> Search | None:
    """Give a search of what the sisters of the articles of `wiki` newly cite."""
    from bot.search.services.sister_wikis import SisterSearch  # noqa: PLC0415 - only where it is asked

    if not settings.sister_languages:
        return None
    return SisterSearch(
        _api(settings, wiki),
        lambda address: open_history(settings, address),
        settings.sister_languages,
        sieve,
        lambda: datetime.now(UTC),
    )


def open_feeds(settings: Settings, asker: "Asker", sieve: "Sieve") -> Search | None:
    """Give a search of the feeds in the settings."""
    from bot.search.services.feeds import (  # noqa: PLC0415 - lxml is slow to load
        FeedSearch,
        FeedShelf,
    )

    if not settings.search_feeds:
        return None
    folder = settings.data_dir / "searches" / "feeds"
    shelf = FeedShelf(folder, asker, lambda: datetime.now(UTC))
    return FeedSearch(settings.search_feeds, shelf, sieve)


def open_history(settings: Settings, wiki: str) -> "WikiHistory":
    """Give what reads the revisions of a wiki's pages."""
    from bot.wiki.address import parse_address  # noqa: PLC0415 - slow to import
    from bot.wiki.history import WikiHistory  # noqa: PLC0415 - see above

    return WikiHistory(
        parse_address(wiki),
        user_agent=user_agent(settings),
        timeout_s=max(settings.wiki_timeout_s, settings.search_timeout_s),
    )


def _api(settings: Settings, wiki: str) -> "WikiApi":
    from bot.wiki.address import parse_address  # noqa: PLC0415 - slow to import
    from bot.wiki.api import WikiApi  # noqa: PLC0415 - see above

    return WikiApi(
        parse_address(wiki),
        user_agent=user_agent(settings),
        timeout_s=settings.wiki_timeout_s,
    )
