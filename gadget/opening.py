"""Opens the panel's backend with real parts; the only place of this package that names them.

It is opened in the process that serves, by its name: see `bot.cli.backend`.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from hashlib import sha256
from time import monotonic
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from bot import __version__
from bot.adapters.reliability import load_reliability
from bot.adapters.wiki_address import parse_address
from bot.adapters.wiki_oauth import OAuthClient, WikiOAuth
from bot.bootstrap.steering import open_steering
from bot.bootstrap.wiki import user_agent
from bot.bootstrap.world import now
from bot.serving.guarding import is_loopback
from bot.settings import Settings
from gadget.api import Origins, Parts, Rules, make_api, origin_of, origins_of_wikis
from gadget.cards import Cards
from gadget.identity import IdentityKeys, Readers, SignInRules, SignIns
from gadget.limits.buckets import Rate
from gadget.local_page.local_reader import signed_in_here
from gadget.local_page.mounting import local_pages
from gadget.local_page.shelf import Shelf
from gadget.looking.looks import Looks

if TYPE_CHECKING:
    from bot.bootstrap.world import World
    from bot.serving.mounts import Mount
    from bot.store import Store

_HERE = ("localhost", "127.0.0.1", "::1")
_LOCAL_READER = "Reader"  # who watches the articles that ship; so their queue is full


@asynccontextmanager
async def open_backend(
    settings: Settings, store: "Store", world: "World"
) -> AsyncIterator[Sequence["Mount"]]:
    """Give what readers of the panel are answered by; see `bot.bootstrap.backend`."""
    cards = Cards(
        store,
        world.pages,
        load_reliability(),
        open_steering(settings, store),
        now=now,
    )
    api = make_api(_parts(settings, store, world, cards), _rules(settings, world))
    pages = local_pages(
        Shelf(store, cards, world.pages),
        host=settings.serve_host,
        names=settings.serve_names,
        token=await _local_token(settings, store, world),
    )
    yield (*api, *pages)


def _parts(settings: Settings, store: "Store", world: "World", cards: Cards) -> Parts:
    keys = IdentityKeys(settings.bot_secret.get_secret_value())
    return Parts(
        cards=cards,
        panel=store.panel,
        decisions=store.decisions,
        judgements=store.judgements,
        answers=store.answers,
        looks=Looks(store, world.lists, now),
        readers=Readers(store, keys, now),
        sign_ins=_sign_ins(settings, store, world, keys),
        now=now,
        monotonic=monotonic,
    )


def _sign_ins(
    settings: Settings, store: "Store", world: "World", keys: IdentityKeys
) -> SignIns:
    clients = {
        wiki: OAuthClient(*client)
        for wiki, client in settings.clients().items()
        if settings.panel_address
    }

    def oauth(wiki: str) -> WikiOAuth:
        address = parse_address(world.addresses[wiki])
        return WikiOAuth(address, user_agent=user_agent(settings))

    return SignIns(
        store=store,
        keys=keys,
        rules=SignInRules(
            callback=f"{settings.panel_address}/oauth/callback",
            clients=clients,
            session_days=settings.session_days,
        ),
        oauth=oauth,
        pages=world.lists,
        now=now,
    )


def _rules(settings: Settings, world: "World") -> Rules:
    return Rules(
        origins=_origins(settings, world),
        wikis=frozenset(world.wikis),
        secret=_secret(settings),
        version=__version__,
        address=settings.panel_address or None,
        trusts_proxy=settings.gadget_trusts_proxy,
        reads=Rate(settings.gadget_reads),
        writes=Rate(settings.gadget_writes),
        looks=Rate(settings.gadget_looks),
        sign_ins=Rate(settings.gadget_sign_ins),
        streams=settings.gadget_streams,
        streams_each=settings.gadget_streams_per_address,
    )


def _origins(settings: Settings, world: "World") -> Origins:
    addresses = [parse_address(address) for address in world.addresses.values()]
    here = {one.host for one in addresses if is_loopback(_bare(one.host))}
    allowed = origins_of_wikis((one.host for one in addresses), here)
    own = origin_of(settings.panel_address)
    return Origins(
        allowed | set(settings.gadget_origins) | ({own} if own else set()),
        _names(settings),
    )


def _names(settings: Settings) -> frozenset[str]:
    """Return the host names under which a page of ours is our own."""
    host = settings.serve_host.lower()
    here = {host, *_HERE} if is_loopback(host) else set()
    return frozenset({*here, *settings.serve_names})


def _bare(host: str) -> str:
    return urlsplit(f"//{host}").hostname or ""


def _secret(settings: Settings) -> bytes:
    """Return what the order of comparisons hangs on; without a secret it is forgotten."""
    given = settings.bot_secret.get_secret_value().split()
    return (
        sha256(f"comparisons {given[0]}".encode()).digest()
        if given
        else (secrets.token_bytes(32))
    )


async def _local_token(
    settings: Settings, store: "Store", world: "World"
) -> str | None:
    """Return the token of the person at this machine where nobody else can sign in."""
    if world.addresses or not is_loopback(settings.serve_host):
        return None
    return await asyncio.to_thread(
        signed_in_here,
        store.readers,
        world.wikis[0],
        _LOCAL_READER,
        now(),
        host=settings.serve_host,
    )
