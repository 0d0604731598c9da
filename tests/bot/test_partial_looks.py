"""A page that changed a little is looked at a little, and nothing is missed by it."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from hashlib import sha256
from importlib.resources import files
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from structlog.contextvars import merge_contextvars
from structlog.testing import capture_logs

from bot.adapters.wiki_page import NoSuchPageError, WikiPage
from bot.check import Checker
from bot.jobs import JobReason, JobState, PageJob
from bot.store import KeptCheck, Store, open_store
from bot.worker import Worker
from handlers.citations.flagging import OperatingPoints
from handlers.model import (
    CheckKind,
    Claim,
    ClaimCheck,
    Engine,
    PageId,
    Passage,
    Source,
    SourceOutcome,
    SourceReading,
    Verdict,
    Verification,
)
from handlers.ports import Tools
from handlers.wikitext import parse
from tests import builders
from tests.bot.store.runs import NOON, WIKI
from tests.fakes import FakeVerifier

_TITLE = "Parasitic ant"
_UNREAD = {
    "gone.example": SourceOutcome.GONE,
    "away.example": SourceOutcome.UNREACHABLE,
}


@dataclass
class _Clock:
    moment: datetime = NOON

    def __call__(self) -> datetime:
        self.moment += timedelta(seconds=1)
        return self.moment

    def wait_days(self, days: float) -> None:
        self.moment += timedelta(days=days)


@dataclass
class _Wiki:
    """A wiki whose pages are what the test says."""

    texts: dict[str, str] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)
    revision: int = 1

    def edit(self, title: str, text: str) -> None:
        self.revision += 1
        self.texts[title] = text

    async def page(self, title: str, revision_id: int | None = None) -> WikiPage:
        assert revision_id is None
        await asyncio.sleep(0)
        there = self.moved.get(title, title)
        if there not in self.texts:
            raise NoSuchPageError(f"there is no page “{title}”")
        return WikiPage(
            PageId(WIKI, there, revision_id=self.revision),
            self.texts[there],
            redirected_from=title if there != title else None,
        )


class _Web:
    """Holds a text under every address but those of some hosts; counts what is read."""

    def __init__(self) -> None:
        self.reads: Counter[str] = Counter()

    async def read(self, source: Source) -> SourceReading:
        await asyncio.sleep(0)
        self.reads[source.key] += 1
        host = urlsplit(source.url or "").hostname or ""
        if host in _UNREAD:
            return builders.unread(_UNREAD[host], of=source)
        return builders.reading(source)


@dataclass
class _Judge:
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


class _Unheard:
    """Fulfils `bot.check.Progress`."""

    def started(self, claims: int, sources: int) -> None: ...

    def reading(self, place: str) -> None: ...

    def read(self, place: str) -> None: ...

    def checked(self, check: ClaimCheck) -> None: ...

    def asked(self, claims: int) -> None: ...


@dataclass
class _World:
    """A worker with all that it needs."""

    store: Store
    wiki: _Wiki = field(default_factory=_Wiki)
    web: _Web = field(default_factory=_Web)
    clock: _Clock = field(default_factory=_Clock)
    engine: Engine = builders.ENGINE

    async def look(
        self,
        title: str = _TITLE,
        reason: JobReason = JobReason.CHANGE,
        revision: int | None = None,
    ) -> Counter[str]:
        """Let a worker look at a page; return how often it read which source."""
        now = self.clock()
        job = PageJob(WIKI, title, reason, now, now, revision, pause_s=0)
        self.store.jobs.put([job])
        self.web.reads.clear()
        assert await self._worker().work_once()
        return Counter(self.web.reads)

    def _worker(self) -> Worker:
        checker = Checker(
            Tools(self.web, _Judge(self.engine)),
            _Unheard(),
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

    def last(self, title: str = _TITLE) -> KeptCheck:
        kept = self.store.last_check(WIKI, title)
        assert kept
        return kept


@pytest.fixture
def world(tmp_path: Path) -> Iterator[_World]:
    with open_store(f"sqlite:///{tmp_path / 'sidenote.sqlite'}") as store:
        yield _World(store)


@pytest.fixture(scope="module")
def article() -> str:
    shipped = files("bot") / "demo" / "articles" / f"{_TITLE}.wikitext"
    return shipped.read_text("utf-8")


def _claims(text: str) -> tuple[Claim, ...]:
    return parse(text, PageId(WIKI, _TITLE)).claims


async def test_an_edit_to_one_sentence_reads_only_what_that_sentence_cites(
    world: _World, article: str
) -> None:
    world.wiki.edit(_TITLE, article)
    everything = await world.look()
    [*_, edited] = [one for one in _claims(article) if len(one.sources) == 1]
    words = edited.text.split()[-1]
    start, end = edited.span.start, edited.span.end
    sentence = article[start:end]
    assert sentence.count(words) == 1
    text = article[:start] + sentence.replace(words, "centuries") + article[end:]
    world.wiki.edit(_TITLE, text)

    reads = await world.look()

    assert reads == {edited.sources[0].key: 1}
    assert len(everything) > 5
    last = world.last()
    assert last.counts.claims == len(last.claims) == len(_claims(text))
    assert [one.text for one in last.claims] == [one.text for one in _claims(text)]
    new = {one.text for one in last.claims if one.looked_at == last.checked_at}
    assert new == {one.text for one in _claims(text)} - {
        one.text for one in _claims(article)
    }


async def test_a_page_that_did_not_change_is_read_but_not_its_sources(
    world: _World, article: str
) -> None:
    world.wiki.edit(_TITLE, article)
    await world.look()
    first, found = world.last(), world.store.suggestions_of(WIKI, _TITLE)
    world.clock.wait_days(29)

    assert await world.look(reason=JobReason.RECHECK) == {}

    assert world.last() == first
    assert world.store.suggestions_of(WIKI, _TITLE) == found
    assert world.store.jobs.state().counts[JobState.IDLE] == 1
    world.clock.wait_days(2)
    assert len(await world.look(reason=JobReason.RECHECK)) == len(
        {reading.source_key for one in first.claims for reading in one.readings}
    )


async def test_what_a_person_asks_for_is_looked_at_anew(
    world: _World, article: str
) -> None:
    world.wiki.edit(_TITLE, article)
    everything = await world.look()

    assert await world.look(reason=JobReason.ASKED) == everything


async def test_another_engine_looks_at_everything_anew(
    world: _World, article: str
) -> None:
    world.wiki.edit(_TITLE, article)
    everything = await world.look()
    world.engine = replace(world.engine, version="1.1")

    assert await world.look() == everything
    assert world.last().engine.version == "1.1"


def _cited(words: str, host: str) -> str:
    address = f"https://{host}/1"
    return f"{words}.<ref>{{{{cite web|url={address}|title=A page}}}}</ref>\n\n"


async def test_a_claim_that_a_newer_program_no_longer_sees_is_closed_without_an_edit(
    world: _World,
) -> None:
    two = [_cited("The mill is old", "a.example"), _cited("So is it", "b.example")]
    world.wiki.edit(_TITLE, "".join(two))
    await world.look()
    world.wiki.texts[_TITLE] = two[0]  # stands for another way to parse the same

    assert await world.look() == {}

    assert [one.text for one in world.last().claims] == ["The mill is old."]


async def test_each_claim_ages_by_itself(world: _World) -> None:
    hosts = ("read.example", "gone.example", "away.example")
    world.wiki.edit(_TITLE, "".join(_cited(f"It is at {one}", one) for one in hosts))
    await world.look()

    read, gone, away = (f"https://{host}/1" for host in hosts)
    assert await world.look() == {away: 1}
    world.clock.wait_days(4)
    assert await world.look() == {away: 1, gone: 1}
    assert await world.look() == {away: 1}
    world.clock.wait_days(30)
    assert await world.look() == {away: 1, gone: 1, read: 1}


async def test_a_deleted_page_is_no_failure_and_leaves_no_suggestion(
    world: _World, article: str
) -> None:
    world.wiki.edit(_TITLE, article)
    everything = await world.look()
    assert world.store.suggestions_of(WIKI, _TITLE)
    text = world.wiki.texts.pop(_TITLE)

    await world.look()

    assert world.store.suggestions_of(WIKI, _TITLE) == ()
    assert world.store.jobs.parked() == ()
    world.wiki.texts[_TITLE] = text  # restored, at the same revision
    assert await world.look() == everything
    assert world.store.suggestions_of(WIKI, _TITLE)


async def test_the_suggestions_of_a_moved_page_go_with_it(
    world: _World, article: str
) -> None:
    world.wiki.edit(_TITLE, article)
    await world.look()
    before = world.store.suggestions_of(WIKI, _TITLE)
    world.wiki.edit("Moved ant", world.wiki.texts.pop(_TITLE))
    world.wiki.moved[_TITLE] = "Moved ant"

    await world.look(_TITLE)
    await world.look("Moved ant")

    assert world.store.suggestions_of(WIKI, _TITLE) == ()
    after = world.store.suggestions_of(WIKI, "Moved ant")
    assert Counter(one.suggestion.claim for one in after) == Counter(
        one.suggestion.claim for one in before
    )


async def test_a_new_page_that_the_wiki_does_not_know_yet_is_asked_for_again(
    world: _World,
) -> None:
    await world.look(revision=1)

    assert world.store.jobs.state().counts[JobState.WAITING] == 1
    world.wiki.edit(_TITLE, _cited("It is new", "read.example"))
    world.clock.wait_days(1)
    assert await world.look(revision=2) == {"https://read.example/1": 1}


async def test_a_page_gives_one_line_in_the_log_that_names_it(
    world: _World, article: str
) -> None:
    world.wiki.edit(_TITLE, article)
    await world.look()
    world.wiki.edit(_TITLE, article + _cited("It is new", "read.example"))

    with capture_logs(processors=[merge_contextvars]) as logs:
        await world.look()

    [line] = logs
    named = {"wiki": WIKI, "title": _TITLE, "revision_id": 3, "attempt": 1}
    assert line.items() >= named.items()
    assert (line["claims"], line["looked_at"]) == (len(_claims(article)) + 1, 1)
    assert line["took_s"] >= 0


# --- any edits ---------------------------------------------------------------

_SENTENCE = st.builds(
    _cited,
    st.sampled_from(
        [f"The {word} is old" for word in ("mill", "bridge", "inn", "oak")]
    ),
    st.sampled_from(["a.example", "b.example", "gone.example", "away.example"]),
)
_TEXT = st.lists(st.one_of(_SENTENCE, st.sampled_from(["== A ==\n", "== B ==\n"])))
_STEPS = st.lists(
    st.tuples(
        st.one_of(st.none(), _TEXT),  # what the page says now; none: it is gone
        st.sampled_from([0.0, 1.0, 5.0, 40.0]),
        st.booleans(),  # whether another version of the engine judges
    ),
    min_size=2,
    max_size=6,
)
_pages = count()


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(_STEPS)
def test_after_any_edits_the_same_is_open_as_after_whole_looks(
    world: _World, steps: list[tuple[list[str] | None, float, bool]]
) -> None:
    number = next(_pages)
    titles = {
        f"Partly {number}": JobReason.CHANGE,
        f"Wholly {number}": JobReason.ASKED,
    }
    for text, days, is_other in steps:
        world.clock.wait_days(days)
        if is_other:
            world.engine = replace(
                world.engine, version=f"{world.engine.version}1"[-9:]
            )
        for title, reason in titles.items():
            if text is None:
                world.wiki.texts.pop(title, None)
            else:
                world.wiki.edit(title, "".join(text))
            asyncio.run(world.look(title, reason))
        partly, wholly = (_state(world, title) for title in titles)
        assert partly == wholly


def _state(world: _World, title: str) -> tuple[object, ...]:
    """Return all that can be seen of a page, but for names, times and revisions."""
    opened = world.store.suggestions_of(WIKI, title)
    last = world.store.last_check(WIKI, title) if title in world.wiki.texts else None
    found = sorted(
        (
            *(one.suggestion.claim, one.suggestion.source_keys),
            *(one.suggestion.section, one.suggestion.place),
            *(one.suggestion.verdict.name, one.suggestion.flag is None),
        )
        for one in opened
    )
    claims = [replace(one, looked_at=NOON) for one in (last.claims if last else ())]
    return found, last and last.counts, claims
