"""A worker that looks at pages of a wiki again and again, and says what it read for it."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from bot.daemon.check import Checker
from bot.daemon.worker import Worker
from bot.records.jobs import JobReason, PageJob
from bot.store import Store, StoredCheck, open_store
from bot.wiki.pages import (
    HiddenTextError,
    NoSuchPageError,
    NoSuchRevisionError,
    OtherPageError,
    WikiPage,
)
from handlers.citations.flags import OperatingPoints
from handlers.model import (
    CheckKind,
    Claim,
    EditJudgement,
    Engine,
    PageId,
    Passage,
    Source,
    SourceFetch,
    SourceOutcome,
    Verdict,
    Verification,
)
from handlers.page import parse
from handlers.ports import LanguageModel, Tools, Verifier
from tests import builders
from tests.bot.store.runs import NOON, WIKI
from tests.fakes import FakeVerifier, Unheard
from tests.rig.databases import ready_sqlite

TITLE = "Parasitic ant"
_UNREAD = {
    "gone.example": SourceOutcome.GONE,
    "away.example": SourceOutcome.UNREACHABLE,
}


@dataclass
class Clock:
    moment: datetime = NOON

    def __call__(self) -> datetime:
        self.moment += timedelta(seconds=1)
        return self.moment

    def wait_days(self, days: float) -> None:
        self.moment += timedelta(days=days)


@dataclass
class Wiki:
    """A wiki whose pages are what the test says."""

    texts: dict[str, str] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)
    revision: int = 1
    past: dict[int, tuple[str, str]] = field(default_factory=dict)  # title and text
    hidden: set[int] = field(default_factory=set)

    def edit(self, title: str, text: str) -> None:
        self.revision += 1
        self.texts[title] = text
        self.past[self.revision] = title, text

    async def page(self, title: str, revision_id: int | None = None) -> WikiPage:
        await asyncio.sleep(0)
        if revision_id is not None:
            return self._earlier(title, revision_id)
        there = self.moved.get(title, title)
        if there not in self.texts:
            raise NoSuchPageError(f"there is no page “{title}”")
        return WikiPage(
            PageId(WIKI, there, revision_id=self.revision),
            self.texts[there],
            redirected_from=title if there != title else None,
        )

    async def between(self, page: PageId, since: int) -> tuple[WikiPage, ...]:
        await asyncio.sleep(0)
        return tuple(
            WikiPage(PageId(WIKI, of, revision_id=number), text)
            for number, (of, text) in self.past.items()
            if of == page.title and since < number <= (page.revision_id or 0)
        )

    def _earlier(self, title: str, revision_id: int) -> WikiPage:
        if revision_id not in self.past:
            raise NoSuchRevisionError(f"there is no revision {revision_id}")
        of, text = self.past[revision_id]
        if of != title:
            raise OtherPageError(f"revision {revision_id} belongs to “{of}”")
        if revision_id in self.hidden:
            raise HiddenTextError(f"revision {revision_id} is hidden")
        return WikiPage(PageId(WIKI, title, revision_id=revision_id), text)


class Web:
    """Holds a text under every address but those of some hosts; counts what is read."""

    def __init__(self) -> None:
        self.reads: Counter[str] = Counter()

    async def read(self, source: Source) -> SourceFetch:
        await asyncio.sleep(0)
        self.reads[source.key] += 1
        host = urlsplit(source.url or "").hostname or ""
        if host in _UNREAD:
            return builders.unread(_UNREAD[host], of=source)
        return builders.fetch(source)


@dataclass
class Judge:
    """Gives any verdict, always the same for the same claim and sources."""

    engine: Engine

    async def verify(
        self, title: str, claim: Claim, passages: Sequence[Passage]
    ) -> Verification:
        keys = sorted({one.source_key for one in passages})
        parts = "\n".join((self.engine.version, claim.text, *keys))
        drawn = sha256(parts.encode()).digest()[0]
        judge = FakeVerifier({claim.text: list(Verdict)[drawn % len(Verdict)]})
        judge.engine = self.engine
        return await judge.verify(title, claim, passages)


class Reader:
    """A judge that knows which claims their sources say, and compares edits by that."""

    noted_from = 0.7

    def __init__(self, *said: str) -> None:
        self.said = said
        self.engine = builders.ENGINE

    async def verify(
        self, title: str, claim: Claim, passages: Sequence[Passage]
    ) -> Verification:
        is_said = claim.text in self.said
        verdict = Verdict.SUPPORTED if is_said else Verdict.NOT_SUPPORTED
        judge = FakeVerifier({claim.text: verdict})
        judge.engine = self.engine
        return await judge.verify(title, claim, passages)

    async def judge_edit(
        self, title: str, before: Claim, after: Claim, passages: Sequence[Passage]
    ) -> EditJudgement:
        assert before.text != after.text, "an edit changes something"
        old = await self.verify(title, before, passages)
        new = await self.verify(title, after, passages)
        fell = old.probabilities.supported - new.probabilities.supported
        return EditJudgement(max(fell, 0.0), old, new)


@dataclass
class World:
    """A worker with all that it needs."""

    store: Store
    wiki: Wiki = field(default_factory=Wiki)
    web: Web = field(default_factory=Web)
    clock: Clock = field(default_factory=Clock)
    engine: Engine = builders.ENGINE
    judge: Verifier | None = None  # else `Judge`
    model: LanguageModel | None = None

    async def check(
        self,
        title: str = TITLE,
        reason: JobReason = JobReason.CHANGE,
        revision: int | None = None,
    ) -> Counter[str]:
        """Let a worker check a page; return how often it read which source."""
        now = self.clock()
        job = PageJob(WIKI, title, reason, now, now, revision, pause_s=0)
        self.store.jobs.put([job])
        self.web.reads.clear()
        assert await self._worker().runner.work_once()
        return Counter(self.web.reads)

    def _worker(self) -> Worker:
        checker = Checker(
            Tools(
                self.web,
                self.judge or Judge(self.engine),
                language_model=self.model,
            ),
            Unheard(),
            now=self.clock,
            points=OperatingPoints(overrides={"*": {CheckKind.NOT_SUPPORTED: 0.9}}),
        )
        return Worker(
            "worker",
            self.store,
            wiki=lambda _: self.wiki,
            checker=checker,
            now=self.clock,
            draw=lambda: 0.0,
        )

    def last(self, title: str = TITLE) -> StoredCheck:
        last_check = self.store.last_check(WIKI, title)
        assert last_check
        return last_check


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with open_store(ready_sqlite(tmp_path / "sidenote.sqlite")) as store:
        yield World(store)


def claims_of(text: str) -> tuple[Claim, ...]:
    return parse(text, PageId(WIKI, TITLE)).claims


def cited(words: str, host: str) -> str:
    address = f"https://{host}/1"
    return f"{words}.<ref>{{{{cite web|url={address}|title=A page}}}}</ref>\n\n"
