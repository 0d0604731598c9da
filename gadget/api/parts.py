"""What the API is made of, as small protocols, and the rules it keeps to."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from bot.records.accounts import (
    Decision,
    Device,
    Judgement,
    JudgementKind,
    KeptAnswer,
    KeptDecision,
    LookState,
    Reader,
    SignIn,
    SignInWay,
)
from bot.store.values import KeptSuggestion
from gadget.api.origins import Origins
from gadget.limits import Rate
from gadget.payloads.cards import Card, PageAnswer


class QueuePage(Protocol):
    """Part of a reader's queue; `next` asks for what follows it."""

    @property
    def cards(self) -> Sequence[Card]:
        """Return its cards."""
        ...

    @property
    def next(self) -> str | None:
        """Return what asks for the rest."""
        ...

    @property
    def total(self) -> int:
        """Return how many there are in all."""
        ...


class Cards(Protocol):
    """Makes what is shown, as `gadget.cards` does.

    A page or a cursor that cannot be is a PermanentError.
    """

    async def page(
        self, wiki: str, title: str, revision: int | None, reader: Reader | None
    ) -> PageAnswer:
        """Return all there is to show beside a revision of a page."""
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
        """Return part of what waits for a reader."""
        ...

    async def version(
        self, wiki: str, title: str, revision: int | None, reader: Reader | None
    ) -> str:
        """Return, at little cost, what changes when `page` does."""
        ...


class Panel(Protocol):
    """Finds a suggestion; blocks."""

    def suggestion(self, wiki: str, identity: str) -> KeptSuggestion | None:
        """Return a suggestion, open or closed."""
        ...


class Decisions(Protocol):
    """Keeps what readers decide; blocks."""

    def decide(
        self, reader_key: str, decision: Decision, *, user: str | None = None
    ) -> KeptDecision:
        """Keep a decision in the place of an earlier one."""
        ...

    def undo(
        self, reader_key: str, number: int, now: datetime, *, user: str | None = None
    ) -> Decision | None:
        """Take one back; None if it is not theirs."""
        ...


class Judgements(Protocol):
    """Keeps what readers judge; blocks."""

    def add(self, reader_key: str, judgement: Judgement) -> None:
        """Keep a judgement in the place of an earlier one."""
        ...

    def done(self, reader_key: str, kind: JudgementKind) -> frozenset[str]:
        """Return what was judged already."""
        ...


class Answers(Protocol):
    """Keeps what was answered to a request that may come again; blocks."""

    def get(self, request_sha256: str) -> KeptAnswer | None:
        """Return what was answered to a request."""
        ...

    def keep(self, answer: KeptAnswer) -> KeptAnswer:
        """Keep an answer; return the one that stands."""
        ...


class Looks(Protocol):
    """Asks for looks at pages, and follows them."""

    async def ask(self, reader: Reader, wiki: str, title: str) -> LookState:
        """Let a page be looked at now."""
        ...

    async def state(self, wiki: str, title: str) -> LookState | None:
        """Return where the last look stands."""
        ...

    def events(
        self, wiki: str, title: str, since: datetime | None
    ) -> AsyncIterator[LookState]:
        """Yield where a look stands whenever that changes, until it ends."""
        ...


class Readers(Protocol):
    """Knows who is signed in, by the token that their script keeps."""

    async def who(self, token: str) -> Reader | None:
        """Return who has this token."""
        ...

    async def until(self, token: str) -> datetime | None:
        """Return when it runs out."""
        ...

    async def sign_out(self, token: str) -> object:
        """Forget it."""
        ...


class Begun(Protocol):
    """A sign-in that was begun; see `gadget.payloads.answers.SignInBegun`."""

    @property
    def state(self) -> str:
        """Return its name."""
        ...

    @property
    def expires_at(self) -> datetime:
        """Return when it runs out."""
        ...

    @property
    def begun_at(self) -> datetime:
        """Return when it was begun."""
        ...

    @property
    def device(self) -> Device:
        """Return what it was begun with."""
        ...

    @property
    def authorize_url(self) -> str | None:
        """Return where the reader goes."""
        ...

    @property
    def page(self) -> str | None:
        """Return the page that the reader saves."""
        ...

    @property
    def text(self) -> str | None:
        """Return what they save."""
        ...

    @property
    def summary(self) -> str | None:
        """Return the summary of that edit."""
        ...


class Signed(Protocol):
    """Somebody who has just signed in."""

    @property
    def token(self) -> str:
        """Return the token."""
        ...

    @property
    def user(self) -> str:
        """Return their name."""
        ...

    @property
    def expires_at(self) -> datetime:
        """Return when it runs out."""
        ...

    @property
    def others(self) -> Sequence[SignIn]:
        """Return what was under way in their name."""
        ...


class CallbackPage(Protocol):
    """What a person sees whom the wiki sent back here; its headers go as they are."""

    @property
    def status(self) -> int:
        """Return the HTTP status."""
        ...

    @property
    def html(self) -> str:
        """Return the page."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """Return its headers."""
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
        """Return what somebody sees whom a wiki sent back."""
        ...

    async def finish(self, state: str, secret: str) -> Signed | None:
        """Return the token; None if the reader has still to do their part."""
        ...

    async def under_way(self, wiki: str, user: str) -> Sequence[SignIn]:
        """Return the sign-ins that somebody is about to make in a user's name."""
        ...


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything that answers."""

    cards: Cards
    panel: Panel
    decisions: Decisions
    judgements: Judgements
    answers: Answers
    looks: Looks
    readers: Readers
    sign_ins: SignIns
    now: Callable[[], datetime]
    monotonic: Callable[[], float]


@dataclass(frozen=True, slots=True)
class Rules:
    """What the API keeps to.

    `address` is where the public finds it, `wikis` are those that it answers for, and
    `secret` keys the order of comparisons. `reads` and `sign_ins` are
    of an address, `writes` and `looks` of a reader.
    """

    origins: Origins
    wikis: frozenset[str]
    secret: bytes = field(repr=False)
    version: str
    address: str | None = None
    trusts_proxy: bool = False
    reads: Rate = Rate(600)  # noqa: RUF009 - frozen
    writes: Rate = Rate(60)  # noqa: RUF009 - frozen
    looks: Rate = Rate(6)  # noqa: RUF009 - frozen
    sign_ins: Rate = Rate(20)  # noqa: RUF009 - frozen
    streams: int = 200
    streams_each: int = 10
    most_body_bytes: int = 16 * 1024
    body_s: float = 10.0
    longest_s: float = 20.0
    heartbeat_s: float = 10.0
    stream_s: float = 900.0
    take_s: float = 10.0
