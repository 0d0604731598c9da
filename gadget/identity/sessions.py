"""Who is signed in, by the token that their script keeps."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from bot.records.accounts import Reader, ReaderSession
from bot.store import Store
from gadget.identity.keys import IdentityKeys, Purpose, sha256_of

_MOST_CHARS = 200


@dataclass(frozen=True, slots=True)
class Readers:
    """Knows readers again. Every verb raises what the store raises."""

    store: Store
    keys: IdentityKeys
    now: Callable[[], datetime]

    async def who(self, token: str) -> Reader | None:
        """Return who has this token; `None` if nobody, or nobody any more."""
        session = await self._session(token)
        if session is None or not self.keys.is_there:
            return None
        key = self.keys.code(Purpose.READER, session.wiki, session.subject)
        return Reader(session.wiki, session.subject, session.user, key)

    async def until(self, token: str) -> datetime | None:
        """Return when a token runs out; `None` if it has, or never was one."""
        session = await self._session(token)
        return session.expires_at if session is not None else None

    async def sign_out(self, token: str) -> None:
        """Forget a token; harmless if it is not known."""
        await asyncio.to_thread(self.store.readers.close, sha256_of(token))

    async def _session(self, token: str) -> ReaderSession | None:
        if not token or len(token) > _MOST_CHARS:
            return None
        return await asyncio.to_thread(
            self.store.readers.reader, sha256_of(token), self.now()
        )
