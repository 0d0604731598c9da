"""Where the daemon works: real wikis with their feed, or a folder and a recording."""

import os
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from random import random
from typing import TYPE_CHECKING, TypeVar

from bot.app.wiring.wiki import open_wiki, open_wiki_lists
from bot.app.wiring.writing import dry_run_page, open_keys, open_publisher
from bot.settings import Posting, Settings
from bot.wiki.address import parse_address
from handlers.ports import PermanentError

if TYPE_CHECKING:
    from bot.daemon.worker import PageReader
    from bot.store import Store
    from bot.wiki.folder import WikiFolder
    from bot.wiki.keys import Keys
    from bot.wiki.lists import WikiLists
    from bot.writing.publisher import Publisher

_T = TypeVar("_T")
EMBEDDED_WIKI = "en.wikipedia.org"
EMBEDDED_BOT = "Sidenote"
EMBEDDED_PLACE = "User:Reader/Sidenote"
_WATCH = (
    "I read these articles and want to know when a citation does not hold.\n\n"
    "{{User:%s/watch |pages=%s |surface=report}}\n"
)


@dataclass(frozen=True, slots=True)
class World:
    """What differs between the wikis of the world and the embedded defaults.

    `stream` is the address of the change feed; `sources` a folder of sources in the
    place of the web. `services` are searched for better sources and newer facts, as the
    setting `searches` names them: `None` for that setting, empty for none. `is_dry` tells that posts end in
    local pages, and `dry_page` is the page on the first wiki that shows them, too, if
    one does. Whoever found nothing to do looks again after `idle_s`. `addresses` are
    those of the wikis by host; without one, nobody can sign in there, and the only
    reader is the person at this machine.
    """

    wikis: tuple[str, ...]
    bot: str
    keys: "Callable[[], Keys]"
    stream: str
    is_dry: bool
    pages: "Callable[[str], PageReader]"
    lists: "Callable[[str], WikiLists | WikiFolder]"
    publisher: "Callable[[str, Store], Publisher]"
    sources: Path | None = None
    services: str | None = None
    dry_page: str = ""
    idle_s: float = 1.0
    addresses: Mapping[str, str] = field(default_factory=dict)


def holder() -> str:
    """Name this process, for leases and turns."""
    return f"{socket.gethostname()}:{os.getpid()}"


def now() -> datetime:
    """Return the time, with its zone."""
    return datetime.now(UTC)


def live_world(settings: Settings) -> World:
    """Give the wikis that the settings name."""
    from bot.surfaces.planning.recheck import asked_on, wanted  # noqa: PLC0415 - only where the daemon runs

    # One object for each wiki and process, since each asks one question at a time.
    wikis = tuple(dict.fromkeys(parse_address(wiki).host for wiki in _named(settings)))
    addresses = {parse_address(wiki).host: wiki for wiki in _named(settings)}
    readers = {wiki: open_wiki(settings, addresses[wiki]) for wiki in wikis}
    lists = {wiki: open_wiki_lists(settings, addresses[wiki]) for wiki in wikis}
    return World(
        wikis=wikis,
        bot=settings.bot_account,
        keys=lambda: open_keys(settings),
        stream=settings.stream,
        is_dry=settings.posting is Posting.DRY,
        pages=_of(readers),
        lists=_of(lists),
        publisher=lambda wiki, store: open_publisher(
            settings,
            store,
            addresses[wiki],
            wanted=wanted(store),
            asked_on=asked_on(store),
        ),
        dry_page=dry_run_page(settings),
        addresses=addresses,
    )


def require_account(settings: Settings) -> None:
    """Refuse to listen or post for a bot without a name.

    Raises:
        PermanentError: no account is set.
    """
    if not settings.bot_account:
        raise PermanentError(
            "no account is set for the bot; set SIDENOTE_BOT_ACCOUNT, also for a dry"
            " run, which then shows what that account would post (to see Sidenote at"
            " work without one: sidenote run)"
        )


def _named(settings: Settings) -> tuple[str, ...]:
    return (settings.wiki, *settings.wikis)


def _of(things: Mapping[str, _T]) -> Callable[[str], _T]:
    def of(wiki: str) -> _T:
        if wiki not in things:
            raise PermanentError(
                f"{wiki} is not among the wikis that are watched; add it to `wikis`"
            )
        return things[wiki]

    return of


def embedded_world(settings: Settings, demo: Path, stream: str) -> World:
    """Give the articles that ship, as a wiki of their own that nobody can write to.

    Args:
        settings: in force.
        demo: the folder of articles and sources.
        stream: address of the server that replays the recorded events.
    """
    from bot.wiki.folder import WikiFolder  # noqa: PLC0415 - see above
    from bot.writing.local_gate import LocalGate  # noqa: PLC0415
    from bot.writing.local_pages import LocalPages  # noqa: PLC0415
    from bot.writing.publisher import Publisher  # noqa: PLC0415

    articles = sorted((demo / "articles").glob("*.wikitext"))
    if not articles:
        raise PermanentError(f"no article ships in {demo}; the installation is broken")
    local = LocalPages(settings.data_dir / "dry-run", now=now)
    titles = "; ".join(path.stem for path in articles)
    given = {EMBEDDED_PLACE: _WATCH % (EMBEDDED_BOT, titles)}
    folder = WikiFolder(
        EMBEDDED_WIKI,
        articles,
        given,
        lambda title: local.text(EMBEDDED_WIKI, title),
        now(),
    )
    gate = LocalGate(local, EMBEDDED_BOT, lambda _wiki, title: given.get(title))
    return World(
        wikis=(EMBEDDED_WIKI,),
        bot=EMBEDDED_BOT,
        keys=lambda: open_keys(settings),
        stream=stream,
        is_dry=True,
        pages=_of({EMBEDDED_WIKI: folder}),
        lists=_of({EMBEDDED_WIKI: folder}),
        publisher=lambda wiki, store: Publisher(
            wiki, store.outbox, gate, now, random, 0.0
        ),
        sources=demo / "sources",
        services="",
        idle_s=0.1,
    )
