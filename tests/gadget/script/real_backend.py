"""The real API over a real store and real sign-ins, served while a browser asks it."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from bot.daemon.web.server import Folder, Pages, Snapshots, listening
from bot.demo.loopback.wiki.serving import free_port
from bot.report import PageReport
from bot.store import Store, open_store
from bot.wiki.address import parse_address
from bot.wiki.lists import WikiLists
from bot.wiki.oauth import OAuthClient, WikiOAuth
from gadget.api import Origins, make_api, origins_of_wikis
from gadget.identity import IdentityKeys, Readers, SignInRules, SignIns
from handlers.findings import Suggestion
from tests import builders
from tests.bot.daemon.status.situations import situation
from tests.bot.store.runs import TITLE, run, suggestion
from tests.gadget.api.rig import NAMES, RULES, parts
from tests.gadget.identity.place import AGENT
from tests.rig.authorisation import AuthorisationServer, Client
from tests.rig.databases import ready_sqlite

_START_S = 20.0


@dataclass(frozen=True)
class RealBackend:
    """Where it is, and what stands behind it."""

    address: str
    server: AuthorisationServer
    oauth_wiki: str
    store: Store
    page: str  # the host of a page that may ask


@contextmanager
def serve_real_backend(
    folder: Path, *wikis: str, page: str = ""
) -> Iterator[RealBackend]:
    """Serve it; readers of the authorisation server's wiki and of `wikis` may ask.

    `page` is the host of a page that may ask, too. The wikis are on loopback, and people sign in to them by an edit.
    """
    began, ending = threading.Event(), asyncio.Event()
    found: list[RealBackend] = []

    async def stay(store: Store) -> None:
        async with _opened(store, folder, wikis, page) as backend:
            found.append(backend)
            began.set()
            await ending.wait()

    with open_store(ready_sqlite(folder / "sidenote.sqlite")) as store:
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_until_complete, args=(stay(store),))
        thread.start()
        try:
            assert began.wait(_START_S), "the API did not start"
            yield found[0]
        finally:
            loop.call_soon_threadsafe(ending.set)
            thread.join()
            loop.close()


@asynccontextmanager
async def _opened(
    store: Store, folder: Path, wikis: tuple[str, ...], page: str
) -> AsyncIterator[RealBackend]:
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    async with AuthorisationServer() as server:
        client = Client("sidenote", f"{address}/oauth/callback")
        server.register(client)
        keys = IdentityKeys("of-the-operator-long-enough")
        sign_ins = SignIns(
            store,
            keys,
            SignInRules(
                client.callback,
                {server.host: OAuthClient("sidenote", "")},
                proof_wikis=frozenset(wikis),
            ),
            lambda wiki: WikiOAuth(parse_address(wiki), user_agent=AGENT, timeout_s=5),
            lambda wiki: WikiLists(wiki, user_agent=AGENT),
            _now,
        )
        services = replace(
            parts(store),
            sign_ins=sign_ins,
            readers=Readers(store, keys, _now, None),
            now=_now,
        )
        hosts = {server.host, *wikis}
        rules = replace(
            RULES,
            origins=Origins(origins_of_wikis({*hosts, page}, {*hosts, page}), NAMES),
            wikis=frozenset(hosts),
        )
        store.save_check(_checked(server.host), [suggestion_of(server.host)])
        pages = Pages(
            snapshots=Snapshots(situation, lambda: 0.0),
            reports=Folder(folder, ".html"),
            dry_run=Folder(folder, ".wikitext"),
            now=_now,
        )
        mounts = make_api(services, rules)
        async with listening(pages, "127.0.0.1", port, mounts=mounts):
            yield RealBackend(address, server, server.host, store, page)


def suggestion_of(wiki: str) -> Suggestion:
    """Return the one suggestion that waits for readers of a wiki."""
    page = replace(builders.page(TITLE).id, wiki=wiki)
    return suggestion(page=page, flag=builders.flag(), place=1)


def _checked(wiki: str) -> PageReport:
    report = run(title=TITLE)
    page = replace(report.page, id=replace(report.page.id, wiki=wiki))
    return replace(report, page=page)


def _now() -> datetime:
    return datetime.now(UTC)
