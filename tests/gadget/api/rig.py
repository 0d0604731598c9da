"""The API on loopback, over a real store; what other packages make is small and strict."""

# ruff: noqa: ARG002 - the protocols name what these need not look at

import hashlib
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from time import monotonic

import aiohttp
from yarl import URL

from bot.daemon.web.connections import Bounds
from bot.daemon.web.server import Folder, Pages, Snapshots, listening
from bot.records.accounts import (
    Browser,
    Device,
    Reader,
    ReaderSession,
    RefusedError,
    SignIn,
    SignInWay,
    System,
)
from bot.store import Store, StoredSuggestion
from bot.surfaces.messages import message
from gadget.api import Origins, Parts, Rules, make_api, origins_of_wikis
from gadget.cards import QueuePage
from gadget.checks import Checks, PollRate
from gadget.identity import Begun, CallbackPage, Signed
from gadget.payloads.cards import (
    Card,
    ClaimShown,
    Confidence,
    Made,
    Mine,
    PageAnswer,
    QuoteShown,
    RemedyShown,
    SourceShown,
)
from handlers.findings import RemedyKind
from handlers.model import Message
from handlers.ports import PermanentError
from tests.bot.daemon.status.situations import situation
from tests.bot.store.runs import NOON, TITLE, WIKI

ORIGIN = f"https://{WIKI}"
OTHER_WIKI = "de.wikipedia.org"
NAMES = frozenset({"127.0.0.1", "localhost"})
RULES = Rules(
    origins=Origins(origins_of_wikis([WIKI, OTHER_WIKI], []), NAMES),
    wikis=frozenset({WIKI, OTHER_WIKI}),
    secret=b"a key for tests, long enough",
    version="0.1.0",
)


@dataclass(frozen=True)
class StoredCards:
    """Cards without an article: what is stored, as it is."""

    store: Store

    async def page(
        self, wiki: str, title: str, revision: int | None, reader: Reader | None
    ) -> PageAnswer:
        if title == "No such page":
            raise PermanentError("there is none; looked in /srv/secret/place")
        cards = self._cards(wiki, title, reader)
        return PageAnswer(
            wiki=wiki,
            title=title,
            revision=revision,
            last_check=None,
            is_waiting=False,
            cards=cards,
            unchecked=[],
            outdated=0,
        )

    async def diff(
        self,
        wiki: str,
        title: str,
        revision: int | None,
        reader: Reader | None,
        since: int,
    ) -> PageAnswer:
        answer = await self.page(wiki, title, revision, reader)
        return answer.model_copy(update={"cards": []})

    async def card(
        self, wiki: str, identity: str, reader: Reader | None
    ) -> Card | None:
        suggestion = self.store.panel.suggestion(wiki, identity)
        return None if suggestion is None else self._card(suggestion, reader)

    async def counts(self, wiki: str, titles: Sequence[str]) -> dict[str, int]:
        return {one: len(self.store.suggestions_of(wiki, one)) for one in titles}

    async def queue(self, reader: Reader, after: str | None, limit: int) -> QueuePage:
        cards = self._cards(reader.wiki, TITLE, reader)
        start = int(after) if after and after.isdecimal() else 0
        some = cards[start : start + limit]
        is_last = start + limit >= len(cards)
        return QueuePage(some, None if is_last else str(start + limit), len(cards))

    async def edits(self, reader: Reader, after: str | None, limit: int) -> QueuePage:
        return QueuePage((), None, 0)

    async def version(
        self, wiki: str, title: str, revision: int | None, reader: Reader | None
    ) -> str:
        return self.store.panel.version(wiki, title) + self.store.decisions.version(
            wiki, title
        )

    def _cards(self, wiki: str, title: str, reader: Reader | None) -> list[Card]:
        stored = self.store.suggestions_of(wiki, title)
        found = [self._card(one, reader) for one in stored]
        return sorted(found, key=lambda card: card.place)

    def _card(self, suggestion: StoredSuggestion, reader: Reader | None) -> Card:
        one = suggestion.suggestion
        mine = None
        if reader is not None:
            decided = self.store.decisions.of_reader(
                reader.key, one.page.wiki, [one.identity]
            ).get(one.identity)
            if decided is not None:
                mine = Mine(
                    id=decided.number,
                    kind=decided.decision.kind.value,
                    decided_at=decided.decision.decided_at,
                )
        sources = [
            SourceShown(key="1", title="Cited"),
            SourceShown(key="2", title="Found"),
        ]
        quote = QuoteShown(
            quote=one.quote or "words",
            before="a",
            after="b",
            cut_before=True,
            cut_after=True,
            source=0,
        )
        return Card(
            id=one.identity,
            kind="citation",
            verdict=one.verdict.value,
            is_flagged=one.flag is not None,
            place=one.place,
            confidence=Confidence(percent=78, right_in_100=None),
            claim=ClaimShown(
                text=one.claim, pieces=[], sentence=one.claim, section=[], occurrence=0
            ),
            quotes=[quote],
            sources=sources,
            remedies=[
                RemedyShown(
                    kind=remedy.kind.value,
                    source=1,
                    quote=remedy.quote,
                    citation=None,
                    percent=round(remedy.probability * 100),
                )
                for remedy in one.remedies
                if remedy.kind is RemedyKind.OTHER_SOURCE
            ],
            edits=[],
            made=Made(
                engine=one.engine.name,
                version=one.engine.version,
                checked_at=suggestion.last_seen,
                revision=one.page.revision_id,
            ),
            title=one.page.title,
            wiki=one.page.wiki,
            mine=mine,
        )


@dataclass(frozen=True)
class KnownReaders:
    """Sessions of the store, and keys that are a hash."""

    store: Store
    now: datetime = NOON
    new: frozenset[str] = frozenset()
    blocked: frozenset[str] = frozenset()

    async def who(self, token: str) -> Reader | None:
        reader = self.store.readers.reader(_hash(token), self.now)
        if reader is None:
            return None
        key = _hash(f"{reader.wiki}\0{reader.subject}")
        return Reader(reader.wiki, reader.subject, reader.user, key)

    async def decides_for_all(self, reader: Reader) -> bool:
        if reader.user in self.blocked:
            raise RefusedError(message("refusal-account-blocked"))
        return reader.user not in self.new

    async def until(self, token: str) -> datetime | None:
        reader = self.store.readers.reader(_hash(token), self.now)
        return reader.expires_at if reader else None

    async def sign_out(self, token: str) -> None:
        self.store.readers.close(_hash(token))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def sign_in(store: Store, user: str, wiki: str = WIKI, *, hours: float = 1) -> str:
    """Open a session, and return its token."""
    token, state = f"token-of-{_hash(user + wiki)[:20]}", _hash(user + wiki)
    until = NOON + timedelta(hours=hours)
    store.readers.begin(SignIn(state, wiki, SignInWay.OAUTH, "0" * 64, NOON, until))
    store.readers.settle(state, _hash(user)[:8], user, NOON)
    store.readers.confirm(state, NOON)
    session = ReaderSession(wiki, _hash(user)[:8], user, NOON, until)
    assert store.readers.open(state, _hash(token), session)
    return token


OTHER = SignIn(
    "state-of-another",
    WIKI,
    SignInWay.PROOF,
    "0" * 64,
    NOON,
    NOON,
    device=Device(Browser.FIREFOX, System.LINUX),
)


class OneSignIn:
    """Lets in who knows the one secret."""

    secret = "the-secret-of-a-script"  # noqa: S105 - of a test

    async def ways(self, wiki: str) -> Sequence[SignInWay]:
        return (SignInWay.OAUTH, SignInWay.PROOF)

    async def begin(
        self,
        wiki: str,
        way: SignInWay,
        secret_sha256: str,
        user: str | None,
        device: Device,
    ) -> Begun:
        return Begun(
            "state-of-a-sign-in",
            NOON,
            NOON,
            device,
            authorize_url=f"https://{WIKI}/w/rest.php/oauth2/authorize",
        )

    async def callback(self, query: Mapping[str, str]) -> CallbackPage:
        words = Message("", f"{len(query)} parts")
        return CallbackPage(200, words, (), headers={"X-Of": "the page"})

    async def finish(self, state: str, secret: str) -> Signed | None:
        signed = Signed("token-that-is-handed-out", "Example", NOON, (OTHER,))
        return signed if secret == self.secret else None

    async def under_way(self, wiki: str, user: str) -> tuple[SignIn, ...]:
        return (OTHER,)


class NoPages:
    async def facts_of(self, titles: object) -> dict[str, object]:
        return {}


def parts(store: Store) -> Parts:
    return Parts(
        store=store,
        cards=StoredCards(store),
        checks=Checks(store, lambda _: NoPages(), lambda: NOON, PollRate(poll_s=0.02)),  # type: ignore[arg-type,return-value]
        readers=KnownReaders(store),
        sign_ins=OneSignIn(),
        now=lambda: NOON,
        monotonic=monotonic,
    )


@dataclass(frozen=True)
class Told:
    status: int
    headers: Mapping[str, str]
    text: str


@dataclass(frozen=True)
class Asker:
    """Asks one server, as a page of `origin` whose reader has `token`."""

    session: aiohttp.ClientSession
    address: str
    origin: str | None = ORIGIN
    token: str | None = None

    def as_of(self, origin: str | None = ORIGIN, token: str | None = None) -> "Asker":
        return replace(self, origin=origin, token=token)

    async def __call__(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str] | None = None,
        **more: object,
    ) -> Told:
        sent = dict(headers or {})
        if self.origin is not None:
            sent.setdefault("Origin", self.origin)
        if self.token is not None:
            sent.setdefault("Authorization", f"Bearer {self.token}")
        url = URL(f"{self.address}{path}", encoded=True)
        asking = self.session.request(method, url, headers=sent, **more)  # type: ignore[arg-type]
        async with asking as answer:
            return Told(answer.status, answer.headers, await answer.text())


@asynccontextmanager
async def served(
    store: Store,
    folder: Path,
    rules: Rules = RULES,
    services: Parts | None = None,
    bounds: Bounds = Bounds(),  # noqa: B008 - frozen
) -> AsyncIterator[Asker]:
    pages = Pages(
        snapshots=Snapshots(situation, lambda: 0.0),
        reports=Folder(folder, ".html"),
        dry_run=Folder(folder, ".wikitext"),
        now=lambda: NOON,
    )
    mounts = make_api(services or parts(store), rules)
    async with (
        listening(pages, "127.0.0.1", 0, mounts=mounts, bounds=bounds) as address,
        aiohttp.ClientSession() as session,
    ):
        yield Asker(session, address)
