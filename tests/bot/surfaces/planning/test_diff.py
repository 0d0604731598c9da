"""A change of a page as one stretch, or as one section."""

from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.records.heartbeat import HealthProblem, HealthProblemKind
from bot.records.posts import (
    NotNow,
    Outcome,
    Post,
    Posted,
    PostState,
    Refused,
    ReplaceSection,
    ReplaceStretch,
    RequestOutcome,
    Shown,
)
from bot.store import Store
from bot.surfaces.planning.diff import difference, section, stretch
from bot.surfaces.planning.own_pages import DryPage, StatusPage
from bot.surfaces.planning.posts import PlanningTools
from bot.writing.dry_run import DryRun, OnePage
from bot.writing.publisher import Publisher
from handlers.model import Span
from handlers.ports import PermanentError
from tests.bot.surfaces.planning.makers import WIKI
from tests.bot.surfaces.planning.world import ModelReader
from tests.bot.wiki.markup.makers import KEYS
from tests.bot.writing.makers import TALK, ModelSession, gate, post
from tests.bot.writing.makers import wiki as model_wiki
from tests.bot.writing.model_wiki import BOT, ModelWiki

_PIECES = st.lists(
    st.sampled_from(["a", "ab", "== H ==\n", "\n", "{{watch}}", " ", "é", "<!--"]),
    max_size=30,
).map("".join)


@settings(max_examples=300, deadline=None)
@given(_PIECES, _PIECES, _PIECES, _PIECES)
def test_a_stretch_stands_once_and_makes_the_page_as_it_should_be(
    before: str, gone: str, put: str, after: str
) -> None:
    old, new = f"{before}{gone}{after}", f"{before}{put}{after}"
    whole = Span(len(before), len(before) + len(put))

    change = stretch(old, difference(old, new, whole))

    if change is None:
        assert not old.strip()
        return
    assert old.count(change.expected) == 1
    assert old.replace(change.expected, change.text) == new
    assert put in change.text


def test_a_stretch_does_not_grow_with_the_page() -> None:
    old = f"{'x' * 100_000}{{{{watch}}}}{'y' * 100_000}"
    new = old.replace("}}", "}}\nbox\n")

    change = stretch(old, difference(old, new))

    assert isinstance(change, ReplaceStretch)
    assert len(change.expected) < 200


def test_of_stretches_that_look_the_same_the_right_one_is_meant() -> None:
    part = f"xxxxx{{{{watch}}}}{'y' * 90}"
    old = part * 3
    new = old.replace("}}", "}}box", 1)

    change = stretch(old, difference(old, new))

    assert isinstance(change, ReplaceStretch)
    assert old.count(change.expected) == 1
    assert old.replace(change.expected, change.text) == new


def test_what_is_put_before_a_heading_belongs_to_the_section_above() -> None:
    old = "Lead.\n\n== A ==\nx\n\n== B ==\ny"
    new = "Lead.\n\n== A ==\nx\n\nbox\n== B ==\ny"

    change = section(old, new, difference(old, new))

    assert change == ReplaceSection(1, "== A ==\nx\n\n", "== A ==\nx\n\nbox")


def test_a_change_across_sections_is_none() -> None:
    old, new = "Lead.\n== A ==\nx\n== B ==\ny", "Lead.\ny"

    assert section(old, new, difference(old, new)) is None


_TITLE = "Benutzer:Operator/Probelauf"


@dataclass
class _Run:
    """A dry run with a page of its own."""

    store: Store
    title: str = _TITLE
    at: ModelWiki = field(default_factory=model_wiki)
    number: int = 0

    def __post_init__(self) -> None:
        self.at.go("dry-run")
        reader = ModelReader(self.at)
        tools = PlanningTools(
            self.store, KEYS, BOT, lambda _: reader, lambda: self.at.now, is_dry=True
        )
        self.page = DryPage(tools, WIKI, self.title, lambda of: f"/data/{of.title}")
        page = OnePage(gate(ModelSession(self.at)), WIKI, self.title, "dry-run")
        maker = DryRun(gate(ModelSession(self.at, account=""), showing=self), page)
        self.publisher = Publisher(
            WIKI, self.store.outbox, maker, lambda: self.at.now, lambda: 0.0, 0
        )

    def show(self, of: Post, _text: str, _why_not: str) -> str:
        return f"/data/{of.title}"

    def shows(self, **changes: object) -> Outcome | None:
        """Show one more post."""
        self.number += 1
        self.store.outbox.ask(
            replace(post(self.number, **changes), asked_at=self.at.now)
        )
        return self.publisher.publish_once()

    async def go_on(self, seconds: float = 61) -> list[Outcome | None]:
        self.at.pass_time(seconds)
        outcome = await self.page.refresh()
        return [] if outcome is None else [self.publisher.publish_once()]

    @property
    def text(self) -> str:
        return self.at.text(self.title)


@pytest.fixture
def run(store: Store) -> _Run:
    return _Run(store)


async def test_what_is_shown_stands_on_the_page_and_nothing_else_is_written(
    run: _Run,
) -> None:
    assert await run.go_on() == []  # nothing was shown, and so there is no page
    assert isinstance(run.shows(), Shown)

    [outcome] = await run.go_on()

    assert isinstance(outcome, Posted)
    assert run.at.written == [_TITLE]
    assert "[[:Diskussion:Uhr am Kai|" in run.text
    assert "&#61;&#61; Note 1 &#61;&#61;" in run.text
    assert "Held back" not in run.text
    assert await run.go_on() == []  # it says so already


async def test_it_says_what_held_a_post_back_and_not_where_files_lie(run: _Run) -> None:
    run.at.put(TALK, "{{nobots}}", "Operator")
    run.shows()
    await run.go_on()

    assert "'''Held back:''' “Diskussion&#58;Uhr am Kai”" in run.text
    assert "data" not in run.text


async def test_it_is_written_at_most_once_a_minute(run: _Run) -> None:
    run.shows()
    assert len(await run.go_on()) == 1
    for _ in range(3):
        run.shows()
        assert await run.go_on(19) == []
    assert len(await run.go_on(19)) == 1
    assert run.text.index("Note 4") < run.text.index("Note 1")
    assert run.at.written == [_TITLE] * 2


async def test_what_people_write_there_stays(run: _Run) -> None:
    run.at.put(_TITLE, "My notes.\n", "Operator")
    run.shows()
    await run.go_on()
    text = run.text.replace("Note 1", "Note one") + "More notes."
    run.at.put(_TITLE, text, "Operator")
    run.shows()
    await run.go_on()

    assert run.text.startswith("My notes.\n")
    assert run.text.endswith("More notes.")
    assert "Note one" in run.text  # the line of a person, below the block
    assert run.text.count("<!-- sidenote begin") == 1


async def test_its_stop_page_stops_it_and_nothing_else(run: _Run) -> None:
    run.shows()
    run.at.go("dry-run", "stop")
    [outcome] = await run.go_on()
    assert isinstance(outcome, NotNow)
    assert isinstance(run.shows(), Shown)
    assert await run.go_on() == []  # the one that waits is enough
    assert run.at.written == []

    run.at.go("dry-run")
    run.at.pass_time(300)
    assert isinstance(run.publisher.publish_once(), Posted)
    assert len(await run.go_on()) == 1


async def test_its_own_posts_are_not_shown_on_it(run: _Run) -> None:
    run.shows(title="Benutzer:Operator/Vorher", task="dry-run", change=post().change)
    run.shows()
    await run.go_on()
    assert "Vorher" not in run.text


@pytest.mark.parametrize(
    ("title", "message"),
    [
        ("Uhr am Kai", "not a user page"),
        ("Diskussion:Uhr am Kai", "not a user page"),
        ("User:Operator/Probelauf", "Benutzer:Operator/Probelauf"),
    ],
)
async def test_a_page_elsewhere_is_refused(
    store: Store, title: str, message: str
) -> None:
    run = _Run(store, title)
    run.shows()
    with pytest.raises(PermanentError, match=message):
        await run.go_on()
    assert store.outbox.posts(state=PostState.WAITING) == ()


async def test_a_page_that_keeps_bots_away_is_left_alone(run: _Run) -> None:
    run.at.put(_TITLE, "{{nobots}}", "Operator")
    run.shows()
    with pytest.raises(PermanentError, match="nothing can be shown there"):
        await run.go_on()


async def test_a_refused_edit_is_planned_again(run: _Run) -> None:
    run.shows()
    await run.go_on()
    run.shows()
    run.at.pass_time(61)
    assert await run.page.refresh() is RequestOutcome.KEPT
    changed = run.text.replace("Words", "Some words")
    run.at.put(_TITLE, changed, "Operator")
    assert isinstance(run.publisher.publish_once(), Refused)

    assert await run.go_on(30) == []
    [outcome] = await run.go_on(31)

    assert isinstance(outcome, Posted)
    assert "Note 2" in run.text
    assert "Some words" in run.text  # below the block


async def test_the_status_page_is_edited_when_the_health_changes(store: Store) -> None:
    at, title = model_wiki(), "Benutzer:Operator/Zustand"
    at.go("status")
    reader = ModelReader(at)
    tools = PlanningTools(
        store, KEYS, BOT, lambda _: reader, lambda: at.now, is_dry=False
    )
    page = StatusPage(tools, WIKI, title)
    publisher = Publisher(
        WIKI, store.outbox, gate(ModelSession(at)), lambda: at.now, lambda: 0.0, 0
    )

    async def edits(*wrong: HealthProblem) -> int:
        at.pass_time(400)
        change = store.health.keep(wrong, at.now)
        store.health.notified(change, at.now)
        return 0 if await page.refresh() is None else bool(publisher.publish_once())

    blocked = HealthProblem(
        HealthProblemKind.BLOCKED, "{{blocked}} on [[x]]", "Ask there.", WIKI
    )
    assert [await edits(), await edits()] == [1, 0]
    assert "All is well." in at.text(title)
    assert [await edits(blocked), await edits(blocked)] == [1, 0]
    assert "{{blocked}}" not in at.text(title)
    assert "Ask there." in at.text(title)
    assert "All is well." not in at.text(title)
    assert await edits() == 1
    assert "All is well." in at.text(title)
    assert at.written == [title] * 3
