"""`sidenote readers`: takes back what one reader decided, and signs them out.

Readers are stored by a keyed hash of what their wiki knows them by. So a name is looked
up among those who are signed in, and on the wiki.
"""

import asyncio
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import click

from bot.app.cli.options import pass_settings
from bot.app.cli.terminal import Exit
from bot.app.wiring.store import open_store
from bot.app.wiring.wiki import open_wiki_lists
from bot.report.words import clean_for_terminal, counted
from bot.settings import Settings
from bot.store import Store
from bot.wiki.address import parse_address
from gadget.identity.readers import IdentityKeys
from gadget.identity.standing import subjects_of
from handlers.ports import PermanentError, TemporaryError


@dataclass(frozen=True, slots=True)
class _Named:
    """A user of a wiki, and all that the wiki knows them by."""

    wiki: str
    user: str
    subjects: frozenset[str]


@click.group(name="readers")
def command() -> None:
    """Take back one reader's decisions, or end their sessions."""


def _of_reader(act: Callable[..., Exit]) -> Callable[..., Any]:
    named = click.argument("user")
    wiki = click.option(
        "--wiki", help="Host of the wiki; by default the setting `wiki`."
    )
    return named(wiki(pass_settings(act)))


@command.command(name="take-back")
@_of_reader
def take_back(settings: Settings, user: str, wiki: str | None) -> Exit:
    """Undo every decision of USER that is not yet a month old.

    What the reader helped to close opens again, and the reader no longer counts for what
    is held back. Older decisions cannot be told from others': together they weigh no more
    than one reader's for each month.
    """
    keys = IdentityKeys(settings.bot_secret.get_secret_value())
    with open_store(settings) as store:
        named = _looked_up(settings, store, user, wiki)
        undone = sum(
            store.decisions.take_back(
                keys.reader(named.wiki, subject), datetime.now(UTC), user=named.user
            )
            for subject in sorted(named.subjects)
        )
    _say(named, f"{counted(undone, 'decision', 'decisions')} taken back")
    return Exit.FINE


@command.command(name="sign-out")
@_of_reader
def sign_out(settings: Settings, user: str, wiki: str | None) -> Exit:
    """End all sessions of USER, on all of their devices.

    They can sign in again, unless their wiki blocks them.
    """
    with open_store(settings) as store:
        named = _looked_up(settings, store, user, wiki)
        ended = store.readers.close_all(named.wiki, named.subjects)
    _say(named, f"{counted(ended, 'session', 'sessions')} ended")
    return Exit.FINE


def _looked_up(settings: Settings, store: Store, user: str, wiki: str | None) -> _Named:
    """Find out what a user is known by.

    Raises:
        PermanentError: neither the wiki nor a session knows such a user.
        TemporaryError: the wiki cannot be asked, and there is no session.
    """
    address = wiki or settings.wiki
    host = parse_address(address).host
    subjects = store.readers.subjects(host, user)
    try:
        standing = asyncio.run(open_wiki_lists(settings, address).standing(user))
    except (PermanentError, TemporaryError):
        if not subjects:
            raise
        standing = None
    if standing is not None:
        subjects |= subjects_of(standing)
        subjects |= store.readers.subjects(host, standing.name)
    if not subjects:
        raise PermanentError(
            f"{host} has no account called {user!r}; check its spelling"
        )
    return _Named(host, standing.name if standing else user, subjects)


def _say(named: _Named, what: str) -> None:
    sys.stderr.write(
        f"{clean_for_terminal(named.user)} on {clean_for_terminal(named.wiki)}: {what}\n"
    )
