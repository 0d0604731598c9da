"""The whole loop on a real MediaWiki: what people see, do and keep."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest

from bot.daemon.runner import Runner
from bot.records.posts import Outcome, Posted, PostRules
from bot.records.watches import (
    ActiveWatch,
    IntendedPost,
    PlanKind,
    Rate,
    Surface,
    WatcherKind,
)
from bot.store import Store, open_store
from bot.surfaces.messages import Words
from bot.surfaces.note import marks_in
from bot.surfaces.planning.planner import handlers, planning
from bot.surfaces.planning.posts import PlanningTools
from bot.surfaces.planning.recheck import wanted
from bot.surfaces.talk_page import State
from bot.wiki.lists import WikiLists
from bot.writing.gate import Gate
from bot.writing.publisher import Publisher
from handlers.citations.suggestions import identity_of
from handlers.model import PageId
from handlers.page import parse
from tests.bot.store import runs
from tests.bot.surfaces.planning.makers import PLENTY, found, watch
from tests.bot.wiki.markup.makers import KEYS
from tests.bot.writing.makers import RULES
from tests.bot.writing.model_wiki import BOT
from tests.bot.writing.place import Place, at
from tests.rig.databases import ready_sqlite

pytestmark = pytest.mark.mediawiki
__all__ = ["at"]
_numbers = count(1)


@dataclass
class Loop:
    """Store, planner and publisher before a real wiki. A claim with “wrong” fails."""

    at: Place
    store: Store
    ahead: timedelta = timedelta()
    article: str = field(default_factory=lambda: f"Beacon {next(_numbers)}")

    def __post_init__(self) -> None:
        reader = WikiLists(self.at.host, user_agent="SidenoteTests/0 (loopback only)")
        self.tools = PlanningTools(
            self.store, KEYS, BOT, lambda _: reader, self.now, False
        )
        self.planner = Runner(
            "planner",
            self.tools.store.tasks,
            planning(self.tools, handlers(self.tools)),
            self.tools.now,
            lambda: 0.0,
        )
        gate = Gate(self.at.session(), RULES, now=self.now, wanted=wanted(self.store))
        self.publisher = Publisher(
            self.at.host, self.store.outbox, gate, self.now, lambda: 0.0, 0
        )
        self.edit("The first is right.", "The second is wrong.", "The third is wrong.")

    def now(self) -> datetime:
        return datetime.now(UTC) + self.ahead

    @property
    def talk(self) -> str:
        return f"Talk:{self.article}"

    @property
    def report(self) -> str:
        return f"User:Ada Penrose/{self.article}"

    def edit(self, *sentences: str) -> None:
        """Save the article with these sentences, each with a source of its own."""
        cited = (
            f"{each}<ref>https://news.example/{each.split()[1]}</ref>"
            for each in sentences
        )
        self.at.ada.edit(self.article, f"'''Beacon'''.\n\n{' '.join(cited)}")

    def check(self) -> None:
        """Look at the article as it is now."""
        self.ahead += timedelta(minutes=11)
        title, text = self.article, self.at.ada.text(self.article)
        revision = int(self.ahead.total_seconds())
        page = parse(text, PageId(self.at.host, title, 1, revision, self.now()))
        failing = [
            found(
                identity=identity_of(page.id, claim),
                page=page.id,
                claim=claim.text,
                source_keys=tuple(each.key for each in claim.sources),
                place=claim.span.start,
            )
            for claim in page.claims
            if "wrong" in claim.text
        ]
        run = replace(runs.run(revision, self.now(), title=title), page=page)
        self.store.save_check(run, failing)

    async def go_on(self, kind: PlanKind | None = None) -> list[Outcome]:
        """Plan and publish what is due eleven minutes later."""
        self.ahead += timedelta(minutes=11)
        if kind is not None:
            subject = self.article if kind is PlanKind.TALK else "User:Ada Penrose/w"
            intended_post = IntendedPost(kind, self.at.host, subject, self.now())
            self.store.plans.ask([intended_post], self.now())
        while await self.planner.work_once():
            pass
        outcomes = []
        while (outcome := self.publisher.publish_once()) is not None:
            outcomes.append(outcome)
        return outcomes

    def notes_on(self, title: str) -> int:
        return len(marks_in(self.at.ada.text(title), KEYS))


@pytest.fixture
def loop(at: Place, tmp_path: Path) -> Iterator[Loop]:
    rules = PostRules(usual=PLENTY)
    address = ready_sqlite(tmp_path / "kept.sqlite")
    with open_store(address, post_rules=rules) as store:
        yield Loop(at, store)


def _with_report(loop: Loop) -> None:
    active_watch = watch(
        wiki=loop.at.host,
        place="User:Ada Penrose/w",
        watcher="Ada Penrose",
        pages=(loop.article,),
        report=loop.report,
    )
    loop.store.watches.keep(active_watch, (), loop.now())


def _with_talk(loop: Loop) -> ActiveWatch:
    active_watch = watch(
        wiki=loop.at.host,
        place=loop.talk,
        kind=WatcherKind.PAGE,
        watcher=loop.article,
        pages=(loop.article,),
        surfaces=(Surface.TALK,),
        report=None,
    )
    loop.store.watches.keep(active_watch, (), loop.now())
    return active_watch


async def test_a_report_lives_with_the_article_and_its_reader(loop: Loop) -> None:
    ada, report = loop.at.ada, loop.report
    _with_report(loop)
    loop.check()
    [outcome] = await loop.go_on()
    assert isinstance(outcome, Posted)
    assert loop.notes_on(report) == 2
    assert await loop.go_on(PlanKind.REPORT) == []

    # A person writes around it, and takes one note away.
    written = ada.text(report)
    lines = written.split("\n")
    first = next(at for at, each in enumerate(lines) if "sidenote note" in each)
    last = next(at for at in range(first + 1, len(lines)) if lines[at][:2] != "*:")
    above, below = "My ''own'' words: Größe 🕰\n \n", "\n\n== Mine ==\n<pre>\n x </pre>"
    ada.edit(report, above + "\n".join(lines[:first] + lines[last:]) + below)
    assert await loop.go_on(PlanKind.REPORT) == []

    # The other is fixed, and something new is found.
    loop.edit("The second is wrong.", "The third is right.", "The fourth is wrong.")
    loop.check()
    [rewritten] = await loop.go_on()

    assert isinstance(rewritten, Posted)
    text = ada.text(report)
    assert text.startswith(f"{above}<!-- sidenote begin report ")
    assert text.endswith(f"<!-- sidenote end report -->{below}")
    assert loop.notes_on(report) == 1
    assert "The fourth is wrong" in text
    loop.edit("All is right.")
    loop.check()
    await loop.go_on()
    assert "There are no notes as of" in ada.text(report)
    assert ada.text(report).startswith(above)


async def test_a_section_is_answered_and_only_its_state_changes(loop: Loop) -> None:
    ada, talk = loop.at.ada, loop.talk
    question = "{{Talk header}}\n\n== Question ==\nWhich?"
    ada.edit(talk, question)
    _with_talk(loop)
    loop.check()
    [outcome] = await loop.go_on()
    assert isinstance(outcome, Posted)
    assert ada.text(talk).startswith(f"{question}\n\n== Statements that may need")
    assert "{{subst:" not in ada.text(talk)
    assert loop.notes_on(talk) == 2

    answered = f"{ada.text(talk)}\n:I shall look. Ada\n\n== Next ==\nMore."
    ada.edit(talk, answered)
    loop.edit("The second is right.", "The third is wrong.")
    loop.check()
    [marked] = await loop.go_on()

    assert isinstance(marked, Posted)
    states = (State.OPEN.shown(Words()), State.FIXED.shown(Words()))
    assert ada.text(talk) == answered.replace(*states, 1)
    assert await loop.go_on(PlanKind.TALK) == []


async def test_an_unanswered_section_grows_and_goes(loop: Loop) -> None:
    ada, talk = loop.at.ada, loop.talk
    ada.edit(talk, "Words.")
    _with_talk(loop)
    loop.check()
    await loop.go_on()
    loop.edit("The second is wrong.", "The third is right.", "The fourth is wrong.")
    loop.check()
    await loop.go_on()
    assert loop.notes_on(talk) == 2
    assert "The fourth is wrong" in ada.text(talk)
    assert ada.text(talk).count("== Statements") == 1

    loop.edit("All is right.")
    loop.check()
    [removed] = await loop.go_on()

    assert isinstance(removed, Posted)
    assert ada.text(talk) == "Words."


async def test_a_report_on_a_talk_page_is_one_section(loop: Loop) -> None:
    title = f"User talk:Ada Penrose/{loop.article}"
    active_watch = watch(
        wiki=loop.at.host,
        place="User:Ada Penrose/w",
        watcher="Ada Penrose",
        pages=(loop.article,),
        report=title,
        most=Rate(50),
    )
    loop.store.watches.keep(active_watch, (), loop.now())
    loop.at.ada.edit(title, "Words.\n\n== Question ==\nWhich?")
    loop.check()
    await loop.go_on()
    before = f"{loop.at.ada.text(title)}\n\n== Thanks ==\nMore."
    loop.at.ada.edit(title, before)
    loop.edit("The third is wrong.")
    loop.check()

    [rewritten] = await loop.go_on()

    assert isinstance(rewritten, Posted)
    text = loop.at.ada.text(title)
    assert text.startswith(
        "Words.\n\n== Question ==\nWhich?\n\n== Sidenote report ==\n"
    )
    assert text.endswith("\n\n== Thanks ==\nMore.")
    assert loop.notes_on(title) == 1
