"""The parts of the API, its rules, and its clients.

In tests, small strict stand-ins implement the protocols.
"""

import asyncio
import re
from collections.abc import (
    AsyncGenerator,
    Callable,
    Collection,
    Coroutine,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, Protocol, get_origin

from fastapi import Depends, Request
from fastapi.routing import APIRoute
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.responses import Response

from bot import __version__
from bot.daemon.web.guard import own_names
from bot.records.accounts import CheckState, Device, Reader, SignIn, SignInWay
from bot.settings import Settings
from bot.store import Store
from bot.surfaces.messages import message
from bot.wiki.address import WikiAddress
from gadget.api.access import (
    Measures,
    Origins,
    address_of,
    host_of,
    origin_of,
    origins_of_wikis,
    take,
)
from gadget.api.answers import Remembered, Repeats
from gadget.api.problems import Refusal, signed_out
from gadget.cards import QueuePage
from gadget.identity import Begun, CallbackPage, Signed
from gadget.limits import Buckets, Places, Rate
from gadget.payloads.cards import Card, PageAnswer


class Cards(Protocol):
    """Makes what is shown, as `gadget.cards` does.

    An invalid page or cursor raises a PermanentError.
    """

    async def page(
        self, wiki: str, title: str, revision: int | None, reader: Reader | None
    ) -> PageAnswer:
        """Return all there is to show beside a revision of a page."""
        ...

    async def diff(
        self,
        wiki: str,
        title: str,
        revision: int | None,
        reader: Reader | None,
        since: int,
    ) -> PageAnswer:
        """Return the notes about edits between two revisions."""
        ...

    async def card(
        self, wiki: str, identity: str, reader: Reader | None
    ) -> Card | None:
        """Return one card."""
        ...

    async def counts(self, wiki: str, titles: Sequence[str]) -> dict[str, int]:
        """Return how many flagged cards pages have."""
        ...

    async def queue(self, reader: Reader, after: str | None, limit: int) -> QueuePage:
        """Return part of a reader's queue."""
        ...

    async def edits(self, reader: Reader, after: str | None, limit: int) -> QueuePage:
        """Return part of what the queue has about edits, the newest first."""
        ...

    async def version(
        self, wiki: str, title: str, revision: int | None, reader: Reader | None
    ) -> str:
        """Return, at little cost, a value that changes when `page` does."""
        ...


class Checks(Protocol):
    """Asks for checks of pages, and follows them, as `gadget.checks` does."""

    async def ask(self, reader: Reader, wiki: str, title: str) -> CheckState:
        """Have a page checked now."""
        ...

    async def state(self, wiki: str, title: str) -> CheckState | None:
        """Return the state of the last check."""
        ...

    def events(
        self, wiki: str, title: str, since: datetime | None
    ) -> AsyncGenerator[CheckState, None]:
        """Yield the state of a check whenever it changes, until it ends."""
        ...


class Readers(Protocol):
    """Knows who is signed in, by the token that their script keeps."""

    async def who(self, token: str) -> Reader | None:
        """Return the reader with this token."""
        ...

    async def decides_for_all(self, reader: Reader) -> bool:
        """Return whether the reader's decision counts for others; refuse the blocked."""
        ...

    async def until(self, token: str) -> datetime | None:
        """Return when it expires."""
        ...

    async def sign_out(self, token: str) -> object:
        """Forget it."""
        ...


class SignIns(Protocol):
    """Finds out who somebody is, as `gadget.identity` does."""

    async def ways(self, wiki: str) -> Sequence[SignInWay]:
        """Return how readers of a wiki can sign in."""
        ...

    async def begin(
        self,
        wiki: str,
        way: SignInWay,
        secret_sha256: str,
        user: str | None,
        device: Device,
    ) -> Begun:
        """Begin a sign-in."""
        ...

    async def callback(self, query: Mapping[str, str]) -> CallbackPage:
        """Return what somebody whom a wiki sent back sees."""
        ...

    async def finish(self, state: str, secret: str) -> Signed | None:
        """Return the token; None if the reader still has to do their part."""
        ...

    async def under_way(self, wiki: str, user: str) -> Sequence[SignIn]:
        """Return the sign-ins in progress in a user's name."""
        ...


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything that answers."""

    store: Store
    cards: Cards
    checks: Checks
    readers: Readers
    sign_ins: SignIns
    now: Callable[[], datetime]
    monotonic: Callable[[], float]


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of the API.

    `address` is its public address, `wikis` are those that it answers for, and `secret`
    keys the order of comparisons. `reads` and `sign_ins` are limits per address,
    `writes` and `new_checks` per reader.
    """

    origins: Origins
    wikis: frozenset[str]
    secret: bytes = field(repr=False)
    version: str
    address: str | None = None
    trusts_proxy: bool = False
    reads: Rate = Rate(600)  # noqa: RUF009 - frozen
    writes: Rate = Rate(60)  # noqa: RUF009 - frozen
    new_checks: Rate = Rate(6)  # noqa: RUF009 - frozen
    sign_ins: Rate = Rate(20)  # noqa: RUF009 - frozen
    streams: int = 200
    streams_each: int = 10
    body_s: float = 10.0
    longest_s: float = 20.0
    stream_s: float = 900.0


def rules_of(
    settings: Settings,
    wikis: Collection[str],
    addresses: Collection[WikiAddress],
    secret: bytes,
) -> Rules:
    """Return the rules of the API.

    Args:
        settings: all of them.
        wikis: that it answers for, by host.
        addresses: of those whose pages may send requests; a demo's wikis have none.
        secret: keys the order of comparisons.
    """
    hosts = [one.host for one in addresses]
    plain = [one.host for one in addresses if one.scheme == "http"]
    own = origin_of(settings.panel_address)
    named = {*settings.serve_names, *host_of(settings.panel_address)}
    origins = Origins(
        origins_of_wikis(hosts, plain)
        | frozenset(settings.gadget_origins)
        | frozenset([own] if own else ()),
        own_names(settings.serve_host, named),
    )
    return Rules(
        origins=origins,
        wikis=frozenset(wikis),
        secret=secret,
        version=__version__,
        address=settings.panel_address or None,
        trusts_proxy=settings.gadget_trusts_proxy,
        reads=Rate(settings.gadget_reads),
        writes=Rate(settings.gadget_writes),
        new_checks=Rate(settings.gadget_looks),
        sign_ins=Rate(settings.gadget_sign_ins),
        streams=settings.gadget_streams,
        streams_each=settings.gadget_streams_per_address,
    )


class Backend:
    """What the operations of one listener share. Counts are in memory only."""

    def __init__(self, parts: Parts, rules: Rules) -> None:
        self.parts = parts
        self.rules = rules
        self.of_address = Buckets(rules.reads, parts.monotonic)
        self.sign_ins = Buckets(rules.sign_ins, parts.monotonic)
        self.writes = Buckets(rules.writes, parts.monotonic)
        self.new_checks = Buckets(rules.new_checks, parts.monotonic)
        self.repeats = Repeats(parts.store)
        self.remembered = Remembered()
        self.streams = Places(rules.streams, rules.streams_each)
        self.measures = Measures(self.streams)

    def served(self, wiki: str) -> None:
        """Reject wikis that are not served.

        Raises:
            Refusal: it is not one.
        """
        if wiki not in self.rules.wikis:
            raise Refusal(404, message("refusal-wiki-not-served"))

    def address_of(self, request: Request) -> str:
        """Return the key that stands for the client's address."""
        return address_of(request, trusts_proxy=self.rules.trusts_proxy)


async def _backend(request: Request) -> Backend:
    backend: Backend = request.app.state.backend
    return backend


Api = Annotated[Backend, Depends(_backend)]


@dataclass(frozen=True, slots=True)
class Session:
    """A signed-in reader."""

    reader: Reader
    token: str = field(repr=False)

    def own(self, wiki: str) -> Reader:
        """Return the reader, if they are signed in on this wiki.

        Raises:
            Refusal: they are not; the same name may be another person's on another
                wiki.
        """
        if self.reader.wiki != wiki:
            raise Refusal(403, message("refusal-other-wiki", self.reader.wiki, wiki))
        return self.reader


_BEARER = HTTPBearer(
    scheme_name="reader",
    description="The token that `finishSignIn` hands out.",
    auto_error=False,
)
_Given = Annotated[HTTPAuthorizationCredentials | None, Depends(_BEARER)]


async def _anybody(api: Api, given: _Given) -> Session | None:
    reader = await api.parts.readers.who(given.credentials) if given else None
    return Session(reader, given.credentials) if given and reader else None


Anybody = Annotated[Session | None, Depends(_anybody)]
ANYBODY: dict[str, Any] = {"security": [{}]}
"""How OpenAPI describes a path that tells signed-in readers more, and asks nobody to sign in."""


async def _signed_in(session: Anybody) -> Session:
    if session is None:
        raise signed_out()
    return session


SignedIn = Annotated[Session, Depends(_signed_in)]


async def _writer(api: Api, session: SignedIn) -> Session:
    take(api.writes, session.reader.key)
    return session


Writer = Annotated[Session, Depends(_writer)]

_JSON = re.compile(
    r'application/json(?:\s*;\s*charset="?utf-8"?)?\s*', re.ASCII | re.IGNORECASE
)


class Operation(APIRoute):
    """Answers in time, accepts only JSON, and each query parameter once."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return the handler."""
        handle = super().get_route_handler()
        models = [one.field_info.annotation for one in self.dependant.query_params]
        lists = {
            name
            for model in models
            for name, each in getattr(model, "model_fields", {}).items()
            if get_origin(each.annotation) is list
        }

        async def answer(request: Request) -> Response:
            if self.body_field is not None:
                _check_json(request)
            names = [name for name, _ in request.query_params.multi_items()]
            once = [name for name in names if name not in lists]
            if len(once) > len(set(once)):
                raise Refusal(400, "A parameter is in the query twice; send each once.")
            api: Backend = request.app.state.backend
            async with asyncio.timeout(api.rules.longest_s):
                return await handle(request)

        return answer


def _check_json(request: Request) -> None:
    if not _JSON.fullmatch(request.headers.get("Content-Type", "")):
        raise Refusal(415, "Send JSON, with the header Content-Type: application/json.")
    if request.headers.get("Content-Encoding", "identity") != "identity":
        raise Refusal(415, "Send the body uncompressed.")
