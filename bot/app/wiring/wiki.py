"""Wikis, and how we name ourselves to them and to everyone else."""

from typing import TYPE_CHECKING

from bot import __version__
from bot.settings import Settings

if TYPE_CHECKING:
    from bot.wiki.lists import WikiLists
    from bot.wiki.reader import WikiReader


def open_wiki(settings: Settings, wiki: str) -> "WikiReader":
    """Give a reader of one wiki's pages."""
    from bot.wiki.reader import WikiReader  # noqa: PLC0415 - slow to import

    return WikiReader(
        wiki, user_agent=user_agent(settings), timeout_s=settings.wiki_timeout_s
    )


def open_wiki_lists(settings: Settings, wiki: str) -> "WikiLists":
    """Give what asks one wiki for lists, changes and many pages at a time."""
    from bot.wiki.lists import WikiLists  # noqa: PLC0415 - slow to import

    return WikiLists(
        wiki,
        user_agent=user_agent(settings),
        account=settings.bot_account,
        watchlist_token=settings.bot_watchlist_token.get_secret_value(),
        timeout_s=settings.wiki_timeout_s,
    )


def user_agent(settings: Settings) -> str:
    """Say who asks, as Wikimedia's User-Agent policy wants it."""
    contact = settings.contact or "no contact given"
    return f"Sidenote/{__version__} ({contact})"
