"""`sidenote run` on what ships, with the local page, in a thread of its own."""

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from time import monotonic
from typing import NoReturn

from bot import __version__
from bot.bootstrap.daemon import Part
from bot.bootstrap.embedded import open_embedded
from bot.bootstrap.world import World, now
from bot.daemon.roles import run_roles
from bot.serving.mounts import Mount
from bot.settings import Settings
from bot.steering import Steering
from bot.store import Store
from gadget.api import Origins, Parts, Rules, make_api
from gadget.cards import Cards
from gadget.identity import IdentityKeys, Readers, SignInRules, SignIns
from gadget.local_page import Shelf, local_pages, signed_in_here
from gadget.looking import Looks
from handlers.citations.better.reliability import ReliabilityLists

NAMES = frozenset({"127.0.0.1", "localhost"})


@asynccontextmanager
async def backend(
    settings: Settings, store: Store, world: World
) -> AsyncIterator[Sequence[Mount]]:
    """Serve the panel as `sidenote run` does."""
    host, wiki = settings.serve_host, world.wikis[0]
    secret = settings.bot_secret.get_secret_value()
    keys = IdentityKeys(secret)
    cards = Cards(store, world.pages, ReliabilityLists(()), Steering, now=now)
    parts = Parts(
        cards=cards,
        panel=store.panel,
        decisions=store.decisions,
        judgements=store.judgements,
        answers=store.answers,
        looks=Looks(store, world.lists, now),
        readers=Readers(store, keys, now),
        sign_ins=SignIns(
            store,
            keys,
            SignInRules("http://localhost/oauth/callback"),
            _no_oauth,
            world.lists,  # type: ignore[arg-type]  # nobody signs in there
            now,
        ),
        now=now,
        monotonic=monotonic,
    )
    rules = Rules(
        Origins(frozenset(), NAMES), frozenset({wiki}), secret.encode(), __version__
    )
    token = signed_in_here(store.readers, wiki, "Reader", now(), host=host)
    shelf = Shelf(store, cards, world.pages)
    yield [*make_api(parts, rules), *local_pages(shelf, host=host, token=token)]


def _no_oauth(wiki: str) -> NoReturn:
    raise LookupError(wiki)


class Running:
    """The program until the end of a context; `address` is where it serves."""

    def __init__(self, folder: Path) -> None:
        self._settings = Settings.model_validate({"data_dir": folder, "serve_port": 0})
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self.address = ""
        self._thread = threading.Thread(
            target=self._loop.run_until_complete, args=(self._run(),)
        )

    async def _run(self) -> None:
        opening = open_embedded(
            self._settings, frozenset(Part), lambda _: None, backend
        )
        async with opening as (daemon, idle):
            self.address = daemon.address

            async def tell(_: asyncio.Event) -> None:
                await idle.run(asyncio.Event())
                self._ready.set()

            await run_roles({**daemon.roles, "teller": tell}, self._stop)

    def __enter__(self) -> "Running":
        self._thread.start()
        assert self._ready.wait(60)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(30)
        self._loop.close()
