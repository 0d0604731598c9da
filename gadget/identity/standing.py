"""What the wiki says of readers since they signed in.

A session lasts for weeks; the wiki may block, lock or rename the account in the
meantime. So it is asked again: within the hour while the reader is here, and at each
decision that others see. Whoever may no longer take part is signed out everywhere.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from bot.records.accounts import RefusedError
from bot.store import Store
from bot.surfaces.messages import message
from bot.wiki.pages import AccountStanding
from handlers.model import Message
from handlers.ports import PermanentError, TemporaryError

_LOOKS_EVERY = timedelta(minutes=30)
_TRIES_EVERY = timedelta(minutes=1)  # while the wiki does not answer
_REMEMBERED = 10_000


class Accounts(Protocol):
    """Looks up accounts, as `bot.wiki.lists.WikiLists` does."""

    async def standing(self, name: str) -> AccountStanding | None:
        """Return what the wiki says of an account now; `None` if there is none."""
        ...


@dataclass(frozen=True, slots=True)
class Account:
    """A reader, as their session knows them."""

    wiki: str
    subject: str
    user: str


def subject_of(number: int) -> str:
    """Return what somebody is known by who proved their account by an edit."""
    return f"local {number}"


def subjects_of(standing: AccountStanding) -> frozenset[str]:
    """Return all that an account can be known by, however it signed in."""
    numbers = {standing.number, *standing.central_numbers}
    return frozenset({subject_of(standing.number), *map(str, numbers)})


@dataclass(frozen=True, slots=True)
class Standings:
    """Asks wikis again. `wiki` gives a wiki's lookup by host."""

    store: Store
    wiki: Callable[[str], Accounts]
    now: Callable[[], datetime]
    _due: "OrderedDict[Account, datetime]" = field(
        default_factory=OrderedDict, repr=False
    )

    async def is_in_order(self, account: Account) -> bool:
        """Return whether a reader may stay signed in, asking twice an hour.

        While the wiki does not answer, what it said last counts.
        """
        due = self._due.get(account)
        if due is not None and self.now() < due:
            return True
        try:
            await self.look(account)
        except RefusedError:
            return False
        except (TemporaryError, PermanentError):
            self._look_again(account, _TRIES_EVERY)
        return True

    async def look(self, account: Account) -> AccountStanding:
        """Return what the wiki says of a reader now.

        Raises:
            RefusedError: they may no longer take part, and are signed out everywhere.
            PermanentError, TemporaryError: from the wiki or the store.
        """
        standing = await self.wiki(account.wiki).standing(account.user)
        if standing is None or account.subject not in subjects_of(standing):
            # Renamed; whoever has the name now is somebody else.
            raise await self._ended(account, message("refusal-account-gone"))
        if standing.is_blocked or standing.is_locked:
            raise await self._ended(account, message("refusal-account-blocked"))
        self._look_again(account, _LOOKS_EVERY)
        return standing

    async def _ended(self, account: Account, why: Message) -> RefusedError:
        self._due.pop(account, None)
        await asyncio.to_thread(
            self.store.readers.close_all, account.wiki, [account.subject]
        )
        return RefusedError(why)

    def _look_again(self, account: Account, after: timedelta) -> None:
        self._due[account] = self.now() + after
        self._due.move_to_end(account)
        while len(self._due) > _REMEMBERED:
            self._due.popitem(last=False)
