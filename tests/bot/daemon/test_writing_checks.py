"""A page's wording is looked at where somebody asks, and only there."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from bot.daemon.check import Checker
from bot.daemon.worker import Worker
from bot.records.jobs import JobReason, PageJob
from bot.records.watches import Check
from bot.store import Store, open_store
from bot.wiki.pages import WikiPage
from handlers.findings import WritingFinding, finding_of
from handlers.model import IssueKind, PageId, Verdict
from handlers.ports import Tools
from handlers.review.review import review
from handlers.review.suggestions import suggestions_of
from handlers.updates.suggestions import suggestions_of as updates_of
from tests import builders, update_runs
from tests import writing_runs as runs
from tests.bot.daemon.checks_world import Web
from tests.bot.store.runs import NOON
from tests.bot.surfaces.planning.makers import watch
from tests.fakes import FakeVerifier, Unheard
from tests.rig.databases import ready_sqlite

_CLAIM = "It was built in 1890."
_CITED = f"{_CLAIM}<ref>{{{{cite web|url=https://a.example/|title=A}}}}</ref>"

# A review also finds what the article lacks as a whole.
_WORDS = {IssueKind.PUFFERY, IssueKind.WEASEL}


class _World:
    """One page of a wiki, and a worker that looks at it."""

    def __init__(self, store: Store) -> None:
        self.store, self.now, self.sources = store, NOON, Web()
        self.said = dict.fromkeys((_CLAIM, update_runs.OPENED), Verdict.SUPPORTED)
        self.text, self.revision = f"{runs.WIKITEXT}\n{_CITED}", 70
        self.past: dict[int, str] = {}

    def clock(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now

    def edit(self, text: str) -> None:
        self.past[self.revision] = self.text
        self.text, self.revision = text, self.revision + 1

    def ask(self, *checks: Check) -> None:
        active_watch = watch(wiki=runs.WIKI, pages=(runs.TITLE,), checks=checks)
        self.store.watches.keep(active_watch, (), self.clock())

    async def page(self, title: str, revision_id: int | None = None) -> WikiPage:
        await asyncio.sleep(0)
        number = revision_id or self.revision
        text = self.text if number == self.revision else self.past[number]
        return WikiPage(PageId(runs.WIKI, title, 7, number), text)

    async def check(self) -> list[str]:
        """Check the page; return the sentences that are shown then."""
        now = self.clock()
        job = PageJob(runs.WIKI, runs.TITLE, JobReason.CHANGE, now, now, pause_s=0)
        self.store.jobs.put([job])
        verifier = FakeVerifier(self.said)
        checker = Checker(Tools(self.sources, verifier), Unheard(), now=self.clock)
        worker = Worker(
            "worker",
            self.store,
            wiki=lambda _: self,
            checker=checker,
            now=self.clock,
            draw=lambda: 0.0,
        )
        assert await worker.runner.work_once()
        return self.sentences()

    def sentences(self) -> list[str]:
        found = self.store.suggestions_of(runs.WIKI, runs.TITLE)
        written = [
            one.suggestion
            for one in found
            if (note := finding_of(one.suggestion, WritingFinding))
            and note.flaw in _WORDS
        ]
        return [one.claim for one in sorted(written, key=lambda one: one.place)]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[_World]:
    with open_store(ready_sqlite(tmp_path / "sidenote.sqlite")) as store:
        yield _World(store)


async def test_nobody_who_did_not_ask_is_notified(world: _World) -> None:
    world.ask(Check.CITATIONS, Check.UPDATES)

    assert await world.check() == []


async def test_a_page_that_was_known_is_checked_when_somebody_asks(
    world: _World,
) -> None:
    world.ask(Check.CITATIONS)
    await world.check()
    reads = world.sources.reads.total()
    world.ask(Check.WRITING)

    assert await world.check() == [runs.PRAISED, runs.VAGUE]
    first = world.store.suggestions_of(runs.WIKI, runs.TITLE)
    await world.check()

    assert world.sources.reads.total() == reads, "its sources were read again"
    assert world.store.suggestions_of(runs.WIKI, runs.TITLE) == first


async def test_mended_words_close_their_note_and_another_edit_none(
    world: _World,
) -> None:
    world.ask(Check.WRITING)
    await world.check()
    world.edit(f"First.\n\n{world.text}")
    assert await world.check() == [runs.PRAISED, runs.VAGUE]

    world.edit(world.text.replace("iconic ", ""))

    assert await world.check() == [runs.VAGUE]


async def test_nothing_is_left_where_nobody_asks_any_more(world: _World) -> None:
    world.ask(Check.WRITING)
    await world.check()
    world.ask(Check.CITATIONS)

    assert await world.check() == []


async def test_newer_facts_and_the_wording_do_not_close_each_other(
    world: _World,
) -> None:
    heading = "== Traffic =="
    praised = f"{heading}\n{runs.PRAISED}\n"
    world.text = update_runs.WIKITEXT.replace(heading, praised)
    world.ask(Check.WRITING, Check.UPDATES)
    assert await world.check() == [runs.PRAISED]
    here = PageId(runs.WIKI, runs.TITLE, 7, world.revision)
    article = update_runs.page(world.text)
    run = update_runs.discovery(update_runs.outdated(), of=replace(article, id=here))
    world.store.discoveries.save(run, updates_of(run), world.clock())

    world.edit(f"First.\n\n{world.text}")
    assert await world.check() == [runs.PRAISED]

    found = world.store.suggestions_of(runs.WIKI, runs.TITLE)
    assert [
        one.suggestion.claim for one in found if one.suggestion.kind == "update"
    ] == [update_runs.CARS]


async def test_what_is_kept_comes_back_as_it_was(world: _World) -> None:
    world.ask(Check.WRITING)
    await world.check()

    found = world.store.suggestions_of(runs.WIKI, runs.TITLE)
    [one] = [each.suggestion for each in found if each.suggestion.claim == runs.VAGUE]

    page = runs.page(world.text, world.revision)
    [same] = [each for each in suggestions_of(page, review(page)) if each == one]
    note = finding_of(same, WritingFinding)
    assert note
    assert note.at_fault


async def test_words_of_a_source_stay_reported_until_they_are_changed(
    world: _World,
) -> None:
    document = builders.fetch().document
    assert document
    copied = max(document.text.replace("\n", " ").split(". "), key=len) + "."
    cite = "<ref>{{cite web|url=https://b.example/|title=B}}</ref>"
    world.text = f"{runs.WIKITEXT}\n{copied}{cite} {_CITED}"
    world.said[copied] = Verdict.SUPPORTED
    world.ask(Check.WRITING)

    def sources() -> list[str]:
        found = world.store.suggestions_of(runs.WIKI, runs.TITLE)
        quotes = [one.suggestion.details.quotes for one in found]
        return [one.source_key for some in quotes for one in some]

    await world.check()
    assert sources() == ["https://b.example/"]
    world.edit(f"First.\n\n{world.text}")
    reads = world.sources.reads.total()
    await world.check()
    assert world.sources.reads.total() == reads, "its source was read again"
    assert sources() == ["https://b.example/"]

    world.edit(world.text.replace(f"{copied}{cite}", ""))
    await world.check()

    assert sources() == []
