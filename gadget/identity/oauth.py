"""Signing in by OAuth 2: the wiki says who somebody is, and they say that they meant it.

Against each attack stands one thing: the verifier (PKCE) against a code that was
stolen; the state, good once, against one that is played back; the script's own secret
against a state that was seen by others; the person's word against a sign-in that
somebody else began and had them complete.
"""

import asyncio
from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from http import HTTPStatus

from bot.adapters.wiki_oauth import Grant, Identified, WikiOAuth
from bot.readers import RefusedError, SignIn
from bot.store import Store
from gadget.identity.keys import IdentityKeys, Purpose
from gadget.identity.pages import CallbackPage, asking, attempt_of, done, failed
from gadget.identity.rules import SignInRules
from handlers.ports import PermanentError, TemporaryError

_MOST_CODE_CHARS = 4096  # the wiki's codes are encrypted, and long
_MOST_STATE_CHARS = 64
_GONE = (
    "this sign-in is not known here, was used already, or took longer than ten minutes;"
    " begin again in Sidenote"
)
_DENIED = "you did not allow it on the wiki; begin again in Sidenote if you want to"
_BLOCKED = (
    "your account is blocked on this wiki or hidden there; whoever is blocked cannot"
    " decide about suggestions"
)


def challenge_of(verifier: str) -> str:
    """Return what the wiki is given of a verifier (PKCE, method S256)."""
    digest = sha256(verifier.encode("ascii")).digest()
    return urlsafe_b64encode(digest).rstrip(b"=").decode()


@dataclass(frozen=True, slots=True)
class OAuthWay:
    """Takes up those whom a wiki sent back. `wiki` asks a wiki by its host."""

    store: Store
    keys: IdentityKeys
    rules: SignInRules
    wiki: Callable[[str], WikiOAuth]
    now: Callable[[], datetime]

    def address(self, asked: SignIn) -> str:
        """Return where somebody who signs in has to go."""
        return self.wiki(asked.wiki).authorize_url(
            self.rules.clients[asked.wiki],
            self.rules.callback,
            asked.state,
            challenge_of(asked.verifier or ""),
        )

    async def callback(self, query: Mapping[str, str]) -> CallbackPage:
        """Return what somebody sees whom the wiki sent back, or who confirms it.

        Raises:
            TemporaryError, PermanentError: of the store.
        """
        state = query.get("state", "")
        if not state and query.get("error"):
            return failed(_DENIED, HTTPStatus.FORBIDDEN)  # the extension sends no state
        asked = await self._known(state)
        if asked is None:
            return failed(_GONE)
        if "confirm" in query:
            return await self._confirmed(asked, query["confirm"])
        if "error" in query:
            return await self._came_to_nothing(asked, _DENIED, HTTPStatus.FORBIDDEN)
        return await self._identified(asked, query.get("code", ""))

    async def _known(self, state: str) -> SignIn | None:
        if not 0 < len(state) <= _MOST_STATE_CHARS or not state.isascii():
            return None
        return await asyncio.to_thread(self.store.readers.sign_in, state, self.now())

    async def _confirmed(self, asked: SignIn, code: str) -> CallbackPage:
        if asked.subject is None or asked.problem is not None:
            return failed(_GONE)
        try:
            is_ours = self.keys.is_code(
                code, Purpose.CONFIRMATION, asked.state, asked.subject
            )
        except RefusedError as error:
            return failed(str(error), HTTPStatus.FORBIDDEN)
        readers = self.store.readers
        if not is_ours or asked.is_confirmed:
            return failed(_GONE)
        if not await asyncio.to_thread(readers.confirm, asked.state, self.now()):
            return failed(_GONE)
        return done()

    async def _identified(self, asked: SignIn, code: str) -> CallbackPage:
        readers = self.store.readers
        if not 0 < len(code) <= _MOST_CODE_CHARS or not code.isprintable():
            return failed(_GONE)
        mine = await asyncio.to_thread(readers.use_verifier, asked.state, self.now())
        if mine is None or mine.verifier is None:
            return failed(_GONE)
        try:
            found = await self._who(mine, code, mine.verifier)
            confirmation = self.keys.code(
                Purpose.CONFIRMATION, asked.state, found.subject
            )
        except PermanentError as error:
            return await self._came_to_nothing(asked, str(error))
        except TemporaryError as error:
            unavailable = HTTPStatus.SERVICE_UNAVAILABLE
            return await self._came_to_nothing(asked, str(error), unavailable)
        return await self._settled(asked, found, confirmation)

    async def _settled(
        self, asked: SignIn, found: Identified, confirmation: str
    ) -> CallbackPage:
        if found.is_blocked:
            return await self._came_to_nothing(asked, _BLOCKED, HTTPStatus.FORBIDDEN)
        settled = await asyncio.to_thread(
            self.store.readers.settle,
            asked.state,
            found.subject,
            found.name,
            self.now(),
        )
        if not settled:
            return failed(_GONE)
        return asking(
            asked.wiki, found.name, asked.state, confirmation, attempt_of(asked)
        )

    async def _who(self, asked: SignIn, code: str, verifier: str) -> Identified:
        client = self.rules.clients.get(asked.wiki)
        if client is None:
            raise RefusedError(f"{asked.wiki} is no longer set up for signing in")
        grant = Grant(code, verifier, self.rules.callback)
        return await self.wiki(asked.wiki).who(client, grant)

    async def _came_to_nothing(
        self, asked: SignIn, why: str, status: HTTPStatus = HTTPStatus.BAD_REQUEST
    ) -> CallbackPage:
        await asyncio.to_thread(self.store.readers.fail, asked.state, why, self.now())
        return failed(why, status)
