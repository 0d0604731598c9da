"""What is tested, what was found, and how a test reports it."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path

from bot.app.wiring.wiki import user_agent
from bot.daemon.status.situation import span
from bot.search.services.client import Answer, RefusedError, Request, SearchClient
from bot.settings import Settings
from handlers.ports import PermanentError, TemporaryError

_OURS = "SIDENOTE_"
_NO_REMEDY = frozenset({"try again", "try again later"})
REPORT_IT = "This is an error in Sidenote itself; please report it with this line."


class State(Enum):
    """The state of a thing that was tested."""

    FINE = "fine"
    WARNING = "warning"  # works, but something should be known or fixed
    BROKEN = "broken"  # the settings ask for something that cannot work
    SKIPPED = "skipped"  # not needed, not wanted, or impossible to test


class Group(Enum):
    """What a test is about; the value is its name on the command line."""

    PROGRAM = "program"
    SETTINGS = "settings"
    MODELS = "models"
    DATA = "data"
    DATABASE = "database"
    WIKI = "wiki"
    ACCOUNT = "account"
    FEED = "feed"
    WEB = "web"
    SEARCHES = "searches"
    LANGUAGE_MODEL = "language-model"
    OPENSEARCH = "opensearch"
    SERVING = "serving"
    PROCESSES = "processes"


@dataclass(frozen=True, slots=True)
class Examination:
    """The result of a test: what was found, and what to type or change.

    `remedy` is empty if nothing is wrong.
    """

    group: Group
    name: str
    state: State
    seen: str
    remedy: str = ""


def _sent_from() -> Iterator[str]:
    """Yield the addresses from which this machine sends requests; nothing is sent."""
    for family, far in (
        (socket.AF_INET, "192.0.2.1"),
        (socket.AF_INET6, "2001:db8::1"),
    ):
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((far, 9))
            yield str(probe.getsockname()[0])


@dataclass(frozen=True, slots=True)
class Installation:
    """What is tested.

    `roles` are the names of the parts that will run with these settings, as in
    `bot.app.wiring.daemon.Part`. `gadget_pages` returns the text of each page of the
    gadget by its title, given a backend's address and the bot's name. `own_addresses`
    returns the addresses this machine sends from.
    """

    settings: Settings
    roles: frozenset[str]
    settings_file: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    gadget_pages: Callable[[str, str], Mapping[str, str]] | None = None
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    own_addresses: Callable[[], Sequence[str]] = lambda: tuple(_sent_from())


class Notes:
    """Collects the results of one test, in order; they are kept even if it breaks off."""

    def __init__(self, group: Group) -> None:
        self._group = group
        self.taken: list[Examination] = []

    def fine(self, name: str, seen: str) -> None:
        """Report that something is as it should be."""
        self._take(name, State.FINE, seen)

    def skipped(self, name: str, why: str) -> None:
        """Report that something was not tested."""
        self._take(name, State.SKIPPED, why)

    def warning(self, name: str, seen: str, remedy: str) -> None:
        """Report that something works but should be fixed."""
        self._take(name, State.WARNING, seen, remedy)

    def broken(self, name: str, seen: str, remedy: str) -> None:
        """Report that something cannot work."""
        self._take(name, State.BROKEN, seen, remedy)

    def failed(
        self,
        name: str,
        error: PermanentError | TemporaryError,
        remedy: str,
        state: State = State.BROKEN,
    ) -> None:
        """Report a failure; the error's own advice, after a semicolon, comes before ours.

        Ours is left out if the error's own advice names the setting.
        """
        seen, _, own = str(error).partition("; ")
        message = "" if own in _NO_REMEDY else _sentence(own)
        names_it = _OURS in message
        self._take(
            name, state, seen, message if names_it else f"{message} {remedy}".strip()
        )

    def _take(self, name: str, state: State, seen: str, remedy: str = "") -> None:
        self.taken.append(Examination(self._group, name, state, seen, remedy))


Run = Callable[[Notes], Awaitable[None]]
"""Tries something and records what it saw; raises if it fails."""


def in_thread(examine: Callable[[Notes], None]) -> Run:
    """Return an async test that runs this blocking one."""

    async def run(notes: Notes) -> None:
        await asyncio.to_thread(examine, notes)

    return run


@dataclass(frozen=True, slots=True)
class Trial:
    """Something to test, within `limit_s`; it fails by raising.

    Args:
        group: what it is about.
        name: of the result if it breaks off; unique.
        run: runs the test and reports the results.
        remedy: the advice for a failure that comes without any.
        limit_s: the time limit.
        after: name of the test that must succeed for this one to make sense.
        is_remote: whether it talks to another machine.
    """

    group: Group
    name: str
    run: Run
    remedy: str
    limit_s: float = 15.0
    after: str = ""
    is_remote: bool = False


def _sentence(words: str) -> str:
    """Return the words at the end of a message as a sentence."""
    words = words.strip()
    if not words:
        return ""
    return words[0].upper() + words[1:] + ("" if words.endswith((".", "…")) else ".")


async def ask(
    installation: Installation, name: str, request: Request, *, timeout_s: float
) -> Answer:
    """Return a server's answer, whatever its status; `name` says which server it is.

    Raises:
        TemporaryError: it cannot be reached, or not in time.
        PermanentError: it redirects or sends too much, or no trusted connection is
            possible.
    """
    async with SearchClient(
        user_agent(installation.settings), timeout_s=timeout_s
    ) as asker:
        try:
            return await asker.ask(name, request)
        except RefusedError as error:  # its advice is for searches
            raise PermanentError(str(error).partition(";")[0]) from error


_MUCH_S, _TOO_MUCH_S = 5.0, 60.0
_REMEDY = "Set the clock of the one that is wrong (on Linux: timedatectl set-ntp true); leases, signatures and rate limits depend on it."


def note_clock(notes: Notes, name: str, off_s: float, whose: str) -> None:
    """Report a clock that is `off_s` ahead of ours (behind, if negative)."""
    if abs(off_s) < _MUCH_S:
        notes.fine(name, f"{whose} and ours agree")
        return
    seen = f"{whose} is {span(abs(off_s))} {'ahead of' if off_s > 0 else 'behind'} ours"
    if abs(off_s) < _TOO_MUCH_S:
        notes.warning(name, seen, _REMEDY)
    else:
        notes.broken(name, seen, _REMEDY)
