"""A backend that people sign in to, and a browser that does as wikis tell it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import aiohttp

from bot.records.accounts import SignInWay
from bot.store import Store
from bot.wiki.address import parse_address
from bot.wiki.oauth import OAuthClient, WikiOAuth
from gadget.identity import Begun, CallbackPage, IdentityKeys, SignInRules, SignIns
from gadget.identity.readers import sha256_of
from tests.rig.authorisation import AuthorisationServer, Client

CALLBACK = "https://panel.example/oauth/callback"
HELD = "a secret of the script, 32 letters"
AGENT = "SidenoteTests/0 (loopback only)"


class Clock:
    """Goes with the time, and as much further as it is told to."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.ahead


def no_pages(wiki: str) -> Any:
    raise AssertionError(f"{wiki} is not asked for pages")


@dataclass
class Backend:
    """Sign-ins against loopback servers; each is registered under `client NAME`."""

    store: Store
    servers: Mapping[str, AuthorisationServer]
    clock: Clock = field(default_factory=Clock)
    secrets: str = "of-the-operator-long-enough older-one-of-the-operator"
    client_key: str = ""
    timeout_s: float = 5.0
    pages: Callable[[str], Any] = no_pages
    callback: str = CALLBACK

    def __post_init__(self) -> None:
        for wiki in self.servers:
            client = Client(f"client {wiki}", self.callback, self.client_key)
            self.servers[wiki].register(client)
        self.keys = IdentityKeys(self.secrets)
        self.sign_ins = SignIns(
            self.store,
            self.keys,
            SignInRules(
                self.callback,
                {
                    wiki: OAuthClient(f"client {wiki}", self.client_key)
                    for wiki in self.servers
                },
            ),
            self._oauth,
            self.pages,
            self.clock,
        )

    async def begin(self, wiki: str, held: str = HELD) -> Begun:
        return await self.sign_ins.begin(wiki, SignInWay.OAUTH, sha256_of(held))

    async def visit(self, sign_in: Begun) -> dict[str, str]:
        """Go where somebody is sent to sign in; return what they bring back."""
        async with (
            aiohttp.ClientSession() as browser,
            browser.get(sign_in.authorize_url or "", allow_redirects=False) as answer,
        ):
            assert answer.status == 302, await answer.text()
            target = answer.headers["Location"]
        assert target.startswith(f"{self.callback}?")
        return dict(parse_qsl(urlsplit(target).query))

    async def come_back(self, sign_in: Begun) -> CallbackPage:
        return await self.sign_ins.callback(await self.visit(sign_in))

    async def confirm(self, page: CallbackPage) -> CallbackPage:
        """Press the button of the page."""
        fields = re.findall(r'name="(\w+)" value="([^"]*)"', page.html())
        assert {name for name, _ in fields} == {"state", "confirm"}, page.html()
        return await self.sign_ins.callback(dict(fields))

    def _oauth(self, wiki: str) -> WikiOAuth:
        address = parse_address(self.servers[wiki].host)
        return WikiOAuth(address, user_agent=AGENT, timeout_s=self.timeout_s)
