"""What stands for a reader in stored data, and who is signed in.

The operator's secret yields a key for each purpose. A reader is recognised by the token
that their script keeps.
"""

import asyncio
import hmac
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from hashlib import sha256

from bot.records.accounts import Reader, ReaderSession, RefusedError
from bot.store import Store
from bot.surfaces.messages import message
from gadget.identity.standing import Account, Standings

_LEAST_SECRET_BYTES = 16


class Purpose(Enum):
    """What a code is for; a code for one purpose is not valid for another."""

    READER = "reader"  # stands for someone in decisions
    PROOF = "proof"  # in a text to be saved on a page
    CONFIRMATION = "confirmation"  # from the person whom the wiki sent back


@dataclass(frozen=True, slots=True)
class IdentityKeys:
    """Codes that only the holder of the secret can make.

    `secrets` are those in the setting `bot_secret`. The first makes all codes: with
    another one, readers are no longer recognised as those who decided before.
    """

    secrets: str = field(repr=False)

    @property
    def is_there(self) -> bool:
        """Whether there is a secret that cannot be guessed."""
        return len(self._first) >= _LEAST_SECRET_BYTES

    def code(self, purpose: Purpose, *parts: str) -> str:
        """Return the code of `parts`, 64 hexadecimal digits.

        Raises:
            RefusedError: there is no secret that cannot be guessed.
        """
        if not self.is_there:
            raise RefusedError(message("refusal-no-secret", _LEAST_SECRET_BYTES))
        key = hmac.new(
            self._first, f"sidenote identity {purpose.value}".encode(), sha256
        ).digest()
        signed = "\0".join(parts).encode("utf-8", "surrogatepass")
        return hmac.new(key, signed, sha256).hexdigest()

    def reader(self, wiki: str, subject: str) -> str:
        """Return what stands for a reader in stored data.

        Raises:
            RefusedError: there is no secret that cannot be guessed.
        """
        return self.code(Purpose.READER, wiki, subject)

    def is_code(self, given: str, purpose: Purpose, *parts: str) -> bool:
        """Return whether `given` is the code of `parts`."""
        made = self.code(purpose, *parts)
        return hmac.compare_digest(made.encode(), given.encode("utf-8", "replace"))

    @property
    def _first(self) -> bytes:
        return next(iter(self.secrets.split()), "").encode()


def sha256_of(secret: str) -> str:
    """Return the hash under which a secret is stored, in hexadecimal."""
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


_MOST_CHARS = 200


@dataclass(frozen=True, slots=True)
class Readers:
    """Recognises readers. Every method raises what the store raises.

    `standings` asks the wikis again; `None` if there are none that could be asked, and
    the only reader is the person at this machine.
    """

    store: Store
    keys: IdentityKeys
    now: Callable[[], datetime]
    standings: Standings | None

    async def who(self, token: str) -> Reader | None:
        """Return who has this token; `None` if nobody does, or may no longer."""
        session = await self._session(token)
        if session is None or not self.keys.is_there:
            return None
        account = Account(session.wiki, session.subject, session.user)
        if self.standings and not await self.standings.is_in_order(account):
            return None
        key = self.keys.reader(session.wiki, session.subject)
        return Reader(session.wiki, session.subject, session.user, key)

    async def decides_for_all(self, reader: Reader) -> bool:
        """Return whether a reader's decision counts for others, too.

        It does not while the account is new by the wiki's own measure. The wiki is
        asked each time.

        Raises:
            RefusedError: the reader may no longer decide, and is signed out.
            PermanentError, TemporaryError: from the wiki or the store.
        """
        if self.standings is None:
            return True
        account = Account(reader.wiki, reader.subject, reader.user)
        return (await self.standings.look(account)).is_established

    async def until(self, token: str) -> datetime | None:
        """Return when a token expires; `None` if it has, or is unknown."""
        session = await self._session(token)
        return session.expires_at if session is not None else None

    async def sign_out(self, token: str) -> None:
        """Delete a token; harmless if it is not known."""
        await asyncio.to_thread(self.store.readers.close, sha256_of(token))

    async def _session(self, token: str) -> ReaderSession | None:
        if not token or len(token) > _MOST_CHARS:
            return None
        return await asyncio.to_thread(
            self.store.readers.reader, sha256_of(token), self.now()
        )
