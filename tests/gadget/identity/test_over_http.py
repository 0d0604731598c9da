"""Signing in through the API as it is served, from the first request to the last."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import aiohttp

from bot.records.accounts import Device, SignIn, SignInWay
from bot.store import Store, open_store
from gadget.identity import Begun, CallbackPage, Readers, Signed
from gadget.identity.readers import sha256_of
from tests.bot.store.runs import WIKI
from tests.gadget.api.rig import ORIGIN, RULES, parts, served
from tests.gadget.identity.place import HELD, Backend
from tests.rig.authorisation import AuthorisationServer
from tests.rig.databases import ready_sqlite


@dataclass
class _Later:
    """Sign-ins whose address is known only once they are served."""

    made: list[Backend] = field(default_factory=list)

    async def ways(self, wiki: str) -> tuple[SignInWay, ...]:
        return await self.made[0].sign_ins.ways(wiki)

    async def begin(
        self,
        wiki: str,
        way: SignInWay,
        secret_sha256: str,
        user: str | None,
        device: Device,
    ) -> Begun:
        return await self.made[0].sign_ins.begin(wiki, way, secret_sha256, user, device)

    async def callback(self, query: Mapping[str, str]) -> CallbackPage:
        return await self.made[0].sign_ins.callback(query)

    async def finish(self, state: str, secret: str) -> Signed | None:
        return await self.made[0].sign_ins.finish(state, secret)

    async def under_way(self, wiki: str, user: str) -> tuple[SignIn, ...]:
        return await self.made[0].sign_ins.under_way(wiki, user)


async def _signed_in(store: Store, folder: Path) -> None:
    later = _Later()
    async with AuthorisationServer() as server:
        # The keys of readers do not depend on where the backend is served.
        readers = Backend(store, {WIKI: server})
        services = replace(
            parts(store),
            readers=Readers(store, readers.keys, readers.clock, None),
            sign_ins=later,
        )
        async with served(store, folder, RULES, services) as asker:
            at = f"{asker.address}/oauth/callback"
            later.made.append(Backend(store, {WIKI: server}, callback=at))
            async with aiohttp.ClientSession(headers={"Origin": ORIGIN}) as script:
                await _walk(script, asker.address)


async def _walk(script: aiohttp.ClientSession, address: str) -> None:
    api = f"{address}/api/v1"
    async with script.get(f"{api}/ways", params={"wiki": WIKI}) as answer:
        assert await answer.json() == {"ways": ["oauth"]}
    body = {"wiki": WIKI, "way": "oauth", "secret_sha256": sha256_of(_SECRET)}
    async with script.post(f"{api}/sign-ins", json=body) as answer:
        assert answer.status == 201, await answer.text()
        begun = await answer.json()
    finish = f"{api}/sign-ins/{begun['state']}/finish"
    async with script.post(finish, json={"secret": _SECRET}) as answer:
        assert answer.status == 202

    await _allow(begun["authorize_url"], f"{address}/oauth/callback")

    async with script.post(finish, json={"secret": "of-somebody-else"}) as answer:
        assert answer.status == 403
    async with script.post(finish, json={"secret": _SECRET}) as answer:
        signed = await answer.json()
        assert answer.status == 200
    bearer = {"Authorization": f"Bearer {signed['token']}"}
    async with script.get(f"{api}/reader", headers=bearer) as answer:
        assert (await answer.json())["user"] == signed["user"] == "Ada"
    async with script.delete(f"{api}/reader", headers=bearer) as answer:
        assert answer.status == 204
    async with script.get(f"{api}/reader", headers=bearer) as answer:
        assert answer.status == 401


async def _allow(authorize_url: str, callback: str) -> None:
    """Do in a browser what the person does there."""
    async with aiohttp.ClientSession() as browser:
        async with browser.get(authorize_url) as answer:
            page = await answer.text()
            assert (answer.status, answer.content_type) == (200, "text/html")
            policy = answer.headers.getall("Content-Security-Policy")
            assert all("default-src 'none'" in each for each in policy)
            assert answer.headers["X-Frame-Options"] == "DENY"
            assert answer.headers["Cache-Control"] == "no-store"
            assert answer.url.path == "/oauth/callback"
        fields = dict(re.findall(r'name="(\w+)" value="([^"]*)"', page))
        async with browser.get(callback, params=fields) as answer:
            assert "You are signed in" in await answer.text()


_SECRET = HELD.replace(" ", "-").replace(",", "")


async def test_a_script_and_a_browser_sign_somebody_in(tmp_path: Path) -> None:
    with open_store(ready_sqlite(tmp_path / "sidenote.sqlite")) as store:
        await _signed_in(store, tmp_path)
