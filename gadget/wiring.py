"""Opens the panel's backend with its real parts; only this module names them.

The serving process opens it by name: see `bot.app.wiring.serving`.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from hashlib import sha256
from time import monotonic
from typing import TYPE_CHECKING

from bot.app.wiring.serving import open_feedback
from bot.app.wiring.wiki import now, user_agent
from bot.daemon.web.guard import is_loopback
from bot.settings import Settings
from bot.sources.reliability import load_reliability
from bot.wiki.address import parse_address
from bot.wiki.oauth import OAuthClient, WikiOAuth
from gadget.api import Parts, Rules, make_api, rules_of
from gadget.api.access import host_of
from gadget.cards import Cards
from gadget.checks import Checks
from gadget.identity import IdentityKeys, Readers, SignInRules, SignIns, Standings
from gadget.local_page.articles import WatchedArticles
from gadget.local_page.local_reader import signed_in_here
from gadget.local_page.pages import local_pages
from handlers.sources.templates import tags_of, tags_of_language

if TYPE_CHECKING:
    from bot.app.wiring.wiki import World
    from bot.daemon.web.guard import Mount
    from bot.store import Store

_LOCAL_READER = "Reader"  # watches the shipped articles


@asynccontextmanager
async def open_backend(
    settings: Settings, store: "Store", world: "World"
) -> AsyncIterator[Sequence["Mount"]]:
    """Give what answers readers of the panel; see `bot.app.wiring.serving`."""
    elsewhere = settings.gadget_tag_language
    cards = Cards(
        store,
        world.pages,
        load_reliability(),
        open_feedback(settings, store),
        now=now,
        tags=lambda wiki: tags_of(wiki) or tags_of_language(elsewhere),
    )
    api = make_api(_parts(settings, store, world, cards), _rules(settings, world))
    pages = local_pages(
        WatchedArticles(store, cards, world.pages),
        host=settings.serve_host,
        names={*settings.serve_names, *host_of(settings.panel_address)},
        token=await _local_token(settings, store, world),
    )
    yield (*api, *pages)


def _parts(settings: Settings, store: "Store", world: "World", cards: Cards) -> Parts:
    keys = IdentityKeys(settings.bot_secret.get_secret_value())
    return Parts(
        store=store,
        cards=cards,
        checks=Checks(store, world.lists, now),
        readers=Readers(
            store,
            keys,
            now,
            Standings(store, world.lists, now) if world.addresses else None,
        ),
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
            proof_wikis=frozenset(settings.proof_wikis),
            session_days=settings.session_days,
        ),
        oauth=oauth,
        pages=world.lists,
        now=now,
    )


def _rules(settings: Settings, world: "World") -> Rules:
    addresses = [parse_address(address) for address in world.addresses.values()]
    return rules_of(settings, world.wikis, addresses, _secret(settings))


def _secret(settings: Settings) -> bytes:
    """Return the key for the order of comparisons; without a secret it is temporary."""
    given = settings.bot_secret.get_secret_value().split()
    return (
        sha256(f"comparisons {given[0]}".encode()).digest()
        if given
        else (secrets.token_bytes(32))
    )


async def _local_token(
    settings: Settings, store: "Store", world: "World"
) -> str | None:
    """Return the token of the person at this machine, if nobody else can reach it.

    A host name that others use for this server means that a proxy lets them in, and
    then the token would be everyone's.
    """
    is_public = bool(settings.serve_names or settings.panel_address)
    if world.addresses or is_public or not is_loopback(settings.serve_host):
        return None
    return await asyncio.to_thread(
        signed_in_here,
        store.readers,
        world.wikis[0],
        _LOCAL_READER,
        now(),
        host=settings.serve_host,
    )
