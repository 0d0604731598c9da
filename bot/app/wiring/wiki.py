"""The wikis that a process works on: how they are read, and what writes to them.

A `World` holds the differences between real wikis with their feed, and the articles
that ship with a recording. Sessions that can write are opened only here, and a dry run
gets one only for the page that shows it.
"""

import os
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum, auto
from pathlib import Path
from random import random
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from bot import __version__
from bot.app.wiring.store import make_folder
from bot.settings import Posting, Settings
from bot.wiki.address import parse_address
from handlers.ports import PermanentError

if TYPE_CHECKING:
    from bot.daemon.check import PageReader
    from bot.records.posts import Post
    from bot.store import Store
    from bot.wiki.address import WikiAddress
    from bot.wiki.folder import WikiFolder
    from bot.wiki.keys import Keys
    from bot.wiki.lists import WikiLists
    from bot.wiki.reader import WikiReader
    from bot.wiki.session import WikiSession
    from bot.writing.dry_run import LocalPages
    from bot.writing.gate import Sending
    from bot.writing.interface_gate import InterfaceGate
    from bot.writing.publisher import Maker, Publisher


def open_wiki(settings: Settings, wiki: str) -> "WikiReader":
    """Build a reader of one wiki's pages."""
    from bot.wiki.reader import WikiReader

    return WikiReader(
        wiki, user_agent=user_agent(settings), timeout_s=settings.wiki_timeout_s
    )


def open_wiki_lists(settings: Settings, wiki: str) -> "WikiLists":
    """Build what asks one wiki for lists, changes and many pages at a time."""
    from bot.wiki.lists import WikiLists

    return WikiLists(
        wiki,
        user_agent=user_agent(settings),
        account=settings.bot_account,
        watchlist_token=settings.bot_watchlist_token.get_secret_value(),
        timeout_s=settings.wiki_timeout_s,
    )


def user_agent(settings: Settings) -> str:
    """Return our User-Agent, as Wikimedia's policy wants it."""
    contact = settings.contact or "no contact given"
    return f"Sidenote/{__version__} ({contact})"


_T = TypeVar("_T")
EMBEDDED_WIKI = "en.wikipedia.org"
EMBEDDED_BOT = "Sidenote"
EMBEDDED_PLACE = "User:Reader/Sidenote"
_WATCH = (
    "I read these articles and want to know when a citation fails verification.\n\n"
    "{{User:%s/watch |pages=%s |surface=report}}\n"
)


@dataclass(frozen=True, slots=True)
class World:
    """What differs between real wikis and the embedded defaults.

    `stream` is the address of the change feed; `sources` a folder of sources to read in
    place of the web. `services` are searched for better sources and newer facts, named
    as in the setting `searches`: `None` stands for that setting, an empty value for
    none. `is_dry` says that posts become local pages; `dry_page` is the page on the
    first wiki that shows them as well, if there is one. Roles with nothing to do look
    again after `idle_s`. `addresses` are those of the wikis by host; without one nobody
    can sign in there, and the only reader is the person at this machine.
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
    """Return a name for this process, for leases and turns."""
    return f"{socket.gethostname()}:{os.getpid()}"


def now() -> datetime:
    """Return the time, with its time zone."""
    return datetime.now(UTC)


def live_world(settings: Settings) -> World:
    """Return the wikis named in the settings."""
    from bot.surfaces.planning.recheck import requested_on, wanted

    # One object for each wiki and process, since it asks one question at a time.
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
            requested_on=requested_on(store),
        ),
        dry_page=dry_run_page(settings),
        addresses=addresses,
    )


def require_account(settings: Settings) -> None:
    """Refuse to listen or post without a bot account.

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
            raise PermanentError(f"{wiki} is not a watched wiki; add it to `wikis`")
        return things[wiki]

    return of


def embedded_world(settings: Settings, demo: Path, stream: str) -> World:
    """Return the articles that ship as a wiki that nobody can write to.

    Args:
        settings: in force.
        demo: the folder of articles and sources.
        stream: address of the server that replays the recorded events.
    """
    from bot.wiki.folder import WikiFolder
    from bot.writing.dry_run import LocalGate, LocalPages
    from bot.writing.publisher import Publisher

    articles = sorted((demo / "articles").glob("*.wikitext"))
    if not articles:
        raise PermanentError(f"{demo} has no articles; the installation is broken")
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


_DRY_RUN = "dry-run"
_OAUTH = "SIDENOTE_OAUTH"
_HOME, _ACCOUNT_FILE = "PYWIKIBOT_DIR", "user-config.py"


class Credentials(Enum):
    """The account with which a wiki is asked about its accounts."""

    NOBODY = auto()
    BOT = auto()
    DEPLOYER = auto()


class ReadOnlySession(Protocol):
    """A session that only reads, whatever its account may do."""

    def ask(self, parameters: Mapping[str, str]) -> dict[str, Any]:
        """Return the wiki's answer; log in first if need be."""
        ...


def dry_run_page(settings: Settings) -> str:
    """Return the title of the page that shows a dry run; empty if there is none."""
    is_live = settings.posting is Posting.LIVE
    # Pywikibot's account file reads the tokens from the environment; they are not in
    # the settings.
    signs_in = settings.bot_password.get_secret_value() or os.environ.get(_OAUTH)
    has_account = settings.bot_account and signs_in
    return settings.dry_run_page if has_account and not is_live else ""


def open_keys(settings: Settings) -> "Keys":
    """Return the key that signs posts.

    Raises:
        PermanentError: there is no secret, or it is too short.
    """
    from bot.wiki.keys import Keys

    secrets = settings.bot_secret.get_secret_value().split()
    return Keys(tuple(secret.encode() for secret in secrets))


def open_publisher(
    settings: Settings,
    store: "Store",
    wiki: str,
    *,
    wanted: "Callable[[Post, str], str] | None" = None,
    requested_on: "Callable[[Post], str] | None" = None,
) -> "Publisher":
    """Build what writes the posts of one wiki, or shows them in a dry run.

    A dry run gets no gate that writes, except for the page of `dry_run_page`.

    Args:
        settings: in force.
        store: opened with `post_rules`.
        wiki: host of the wiki, or its address.
        wanted: called right before each write, with the article's newest text.
        requested_on: returns the page on which a person asked for a post, if that is
            another.

    Raises:
        PermanentError: the account or the secret is not set.
    """
    from bot.wiki.address import parse_address
    from bot.writing.publisher import Publisher

    is_live = settings.posting is Posting.LIVE
    if not settings.bot_account:
        raise PermanentError(
            "no account is set for posting; set `bot_account`, also for a dry run,"
            " which shows what that account would see"
        )
    address = parse_address(wiki)
    make_folder(settings.data_dir)
    sending = store.outbox.sending
    maker = _gate(settings, address, sending, wanted, requested_on, is_live=is_live)
    if dry_run_page(settings) and address.host == parse_address(settings.wiki).host:
        maker = _dry_run(settings, address, maker, sending)
    pause_s = settings.posting_pause_s if is_live else 0.0
    return Publisher(address.host, store.outbox, maker, now, random, pause_s)


def local_pages(settings: Settings) -> "LocalPages":
    """Return the pages that a dry run leaves behind."""
    from bot.writing.dry_run import LocalPages

    return LocalPages(settings.data_dir / "dry-run", now=now)


def open_interface_gate(settings: Settings, wiki: str, bot: str) -> "InterfaceGate":
    """Build what writes the gadget's pages, as the account that deploys.

    Without that account's name nothing can be written, but everything can be compared.

    Args:
        settings: in force.
        wiki: host of the wiki, or its address.
        bot: whose user pages hold the templates.

    Raises:
        PermanentError: the account is the bot's, or has no password.
    """
    from bot.wiki.address import parse_address
    from bot.writing.interface_gate import InterfaceGate

    name = settings.deploy_account
    password = settings.deploy_password.get_secret_value()
    if name and name == bot:
        raise PermanentError(
            "`deploy_account` is the bot's own; a bot may not edit the interface,"
            " so give the account of a person who may"
        )
    if name and not password:
        raise PermanentError("`deploy_account` is set and `deploy_password` is not")
    make_folder(settings.data_dir)
    folder, who = settings.data_dir / "pywikibot-deploy", Credentials.DEPLOYER
    return InterfaceGate(_session(settings, parse_address(wiki), who, folder), bot)


def open_account(
    settings: Settings, wiki: str, who: Credentials, folder: Path
) -> ReadOnlySession:
    """Build a session that asks a wiki as one of our accounts, and logs in again if needed.

    Args:
        settings: in force.
        wiki: host of the wiki, or its address.
        who: the account whose name and password are used.
        folder: for the session, which is not shared with the one that writes.
    """
    from bot.wiki.address import parse_address

    return _session(settings, parse_address(wiki), who, folder, new_login=True)


def _session(
    settings: Settings,
    address: "WikiAddress",
    who: Credentials,
    folder: Path,
    *,
    new_login: bool = False,
) -> "WikiSession":
    with _pywikibot_at(folder):
        from bot.wiki.session import Account, WikiSession
    accounts = {
        Credentials.BOT: Account(
            settings.bot_account,
            settings.bot_login,
            settings.bot_password.get_secret_value(),
        ),
        Credentials.DEPLOYER: Account(
            settings.deploy_account,
            settings.deploy_login,
            settings.deploy_password.get_secret_value(),
        ),
    }
    account = accounts.get(who)
    return WikiSession(
        address,
        account if account and account.name else None,
        user_agent=user_agent(settings),
        folder=folder,
        timeout_s=settings.wiki_timeout_s,
        new_login=new_login,
    )


@contextmanager
def _pywikibot_at(folder: Path) -> Iterator[None]:
    """Keep Pywikibot from making a folder in the user's home when it is imported.

    An account file here, or in the folder that its own variable names, takes
    precedence.

    Raises:
        PermanentError, TemporaryError: the folder cannot be written to.
    """
    from bot.sources.files import unwritten

    if _HOME in os.environ or Path(_ACCOUNT_FILE).exists():
        yield
        return
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        (folder / _ACCOUNT_FILE).touch(0o600)
    except OSError as error:
        raise unwritten(f"the folder {folder}", error) from error
    os.environ[_HOME] = str(folder)
    try:
        yield
    finally:
        del os.environ[_HOME]


def _gate(
    settings: Settings,
    address: "WikiAddress",
    sending: "Sending",
    wanted: "Callable[[Post, str], str] | None" = None,
    requested_on: "Callable[[Post], str] | None" = None,
    *,
    is_live: bool,
) -> "Maker":
    """Build a gate: one that writes, or, without an account, one that shows."""
    from bot.writing.gate import (
        Gate,
        GateRules,
        always_wanted,
        requested_nowhere,
    )

    who = Credentials.BOT if is_live else Credentials.NOBODY
    session = _session(settings, address, who, settings.data_dir / "pywikibot")
    return Gate(
        session,
        GateRules(settings.bot_account, open_keys(settings)),
        now=now,
        wanted=wanted or always_wanted,
        requested_on=requested_on or requested_nowhere,
        sending=sending,
        showing=None if is_live else local_pages(settings),
    )


def _dry_run(
    settings: Settings, address: "WikiAddress", shown: "Maker", sending: "Sending"
) -> "Maker":
    """Build what shows all posts, except those to the page of the dry run itself."""
    from bot.writing.dry_run import DryRun, OnePage

    page = OnePage(
        gate=_gate(settings, address, sending, is_live=True),
        wiki=address.host,
        title=dry_run_page(settings),
        task=_DRY_RUN,
    )
    return DryRun(shown, page)
