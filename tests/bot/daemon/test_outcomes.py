"""What became of noted edits is seen days later, and told on the status page."""

import html
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

import pytest

from bot.daemon.check import Checker
from bot.daemon.outcomes import OutcomeSweep
from bot.daemon.patrol import Patrol, StopPages
from bot.daemon.status.render import render_status
from bot.records.noted_edits import NotedEdits
from bot.records.patrol import PatrolEdit
from bot.store import Store
from bot.surfaces.post_summaries import Task, stop_page
from bot.wiki.changes import REVERTED
from bot.wiki.lists import WikiLists
from bot.wiki.pages import PageText
from bot.wiki.reader import WikiReader
from handlers.citations.flags import OperatingPoints
from handlers.model import CheckKind, EditKind
from handlers.ports import AwayError, Tools
from tests.bot.daemon.checks_world import Clock, Reader, Web, cited
from tests.bot.daemon.status.filled import seen
from tests.bot.store.noted import noted
from tests.bot.store.runs import NOON, TITLE, WIKI, day
from tests.bot.writing.people import ADMIN, ADMIN_PASSWORD, Person
from tests.fakes import Unheard
from tests.rig.wiki.mediawiki import Wiki, serve_wiki

_AGENT = "SidenoteTests/0 (loopback only)"
_BOT = "ExampleBot"
_MOST_JOBS = 200
GOOD, BAD = "The tower is 412 feet high", "The tower is 412 metres high"
OTHER = "The tower is 126 metres high"


def _page(words: str) -> str:
    return cited(words, "a.example") + cited("It opened in 1891", "b.example")


@dataclass
class Watched:
    """A real wiki on which edits are noted, and looked at again by a clock of its own."""

    store: Store
    host: str
    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        self.admin = Person(self.host, ADMIN).log_in(ADMIN_PASSWORD)
        self.lists = WikiLists(self.host, user_agent=_AGENT, timeout_s=60)
        reader = WikiReader(self.host, user_agent=_AGENT, timeout_s=60)
        judge = Reader(f"{GOOD}.", "It opened in 1891.")
        points = OperatingPoints(overrides={"*": {CheckKind.NOT_SUPPORTED: 0.9}})
        stops = StopPages(lambda _: self.lists, _BOT, self.clock, is_needed=False)
        self.patrol = Patrol(
            name="patrol",
            store=self.store,
            wiki=lambda _: reader,
            lets_run=stops.lets_run,
            checker=Checker(
                Tools(Web(), judge), Unheard(), now=self.clock, points=points
            ),
            now=self.clock,
            draw=lambda: 0.0,
            sources_per_day=100,
            gather_s=0.03,
        )
        self.sweep = OutcomeSweep(
            self.store.noted_edits, lambda _: self.lists, stops.lets_run, self.clock
        )

    async def note(self, title: str) -> int:
        """Let somebody edit a claim away from its source, and note it."""
        before = self.admin.edit(title, _page(GOOD))
        after = self.admin.edit(title, _page(BAD))
        now = self.clock()
        edit = PatrolEdit(self.host, title, before, after, now, now)
        self.store.patrols.put([edit])
        runner = self.patrol.runner
        while await runner.work_once():
            pass
        for busy in tuple(runner.busy):
            await busy
        assert len(self.store.suggestions_of(self.host, title)) == 1
        return after

    async def tagged(self, edit: int) -> bool:
        """Return whether the wiki, which does a job a view, tags an edit as reverted."""
        for _ in range(_MOST_JOBS):
            tags = await self.lists.tags_of([edit])
            if REVERTED in tags[edit]:
                return True
            self.admin.web.get(f"http://{self.host}/wiki/Mast", timeout=60)
        return False

    async def after_days(self, days: float) -> NotedEdits:
        self.clock.wait_days(days)
        await self.sweep.run([self.host])
        [counts] = self.store.noted_edits.counts(NOON)
        return counts


def _on_status_page(store: Store, now: datetime) -> dict[str, str]:
    """Return the row of noted edits on the status page, by the names of its columns."""
    page = render_status(seen(store, now))
    [table] = re.findall(r"Noted edits</caption>.*?</table>", page, re.DOTALL)
    names = re.findall(r'data-name="([^"]*)"[^>]*>(.*?)</td>', table, re.DOTALL)
    return {
        html.unescape(name): re.sub(r"<[^>]*>", "", value).strip()
        for name, value in names
    }


@pytest.fixture
def working_wiki() -> Iterator[Wiki]:
    with serve_wiki(runs_jobs=True) as wiki:
        yield wiki


@pytest.mark.mediawiki
async def test_edits_of_a_real_wiki_are_seen_again(
    store: Store, working_wiki: Wiki
) -> None:
    at = Watched(store, working_wiki.host)
    titles = ("Reverted", "Put back", "Staying", "Rewritten", "Moved", "Deleted")
    edits = {title: await at.note(f"{title} tower") for title in titles}

    admin = at.admin
    admin.post("edit", title="Reverted tower", undo=str(edits["Reverted"]))
    admin.edit("Put back tower", _page(GOOD) + "It is red.")  # no revert to the wiki
    admin.edit("Rewritten tower", _page(OTHER))
    admin.post("move", **{"from": "Moved tower", "to": "Mast", "noredirect": "1"})
    admin.post("delete", title="Deleted tower", reason="x")

    assert await at.tagged(edits["Reverted"])
    put_back = edits["Put back"]
    assert await at.lists.tags_of([put_back]) == {put_back: frozenset()}
    assert (await at.after_days(1.9)).waiting == 6
    found = await at.after_days(0.2)
    assert found == NotedEdits(
        at.host,
        EditKind.REWORDED,
        reverted=2,
        changed=1,
        stands=1,
        unseen=2,
        right=2,
        undecided=2,
    )
    row = _on_status_page(store, at.clock.moment)
    assert (row["Reverted"], row["Changed again"], row["Not seen"]) == ("2", "1", "2")
    assert (row["Still there, 48 hours"], row["Precision"]) == ("1", "100%")

    await at.after_days(28)
    row = _on_status_page(store, at.clock.moment)
    assert (row["Reverted"], row["Still there, 30 days"]) == ("2", "1")
    assert (row["Right"], row["Wrong"], row["Undecided"]) == ("2", "1", "1")
    assert row["Precision"] == "67%"
    assert row["Noted"] == "6"
    assert "Admin" not in render_status(seen(store, at.clock.moment))


@dataclass
class Told:
    """A wiki that tells what the test says, and counts the requests."""

    texts: dict[str, PageText] = field(default_factory=dict)
    tags: dict[int, frozenset[str]] = field(default_factory=dict)
    stop: str = "run"
    is_away: bool = False
    asked: list[str] = field(default_factory=list)

    async def texts_of(self, titles: Iterable[str]) -> Mapping[str, PageText]:
        titles = list(titles)
        if titles == [stop_page(_BOT, Task.PATROL)]:
            return {titles[0]: _text(titles[0], self.stop)}
        self.asked.append(f"{len(titles)} texts")
        return {one: self.texts[one] for one in titles if one in self.texts}

    async def tags_of(self, revisions: Iterable[int]) -> Mapping[int, frozenset[str]]:
        if self.is_away:
            raise AwayError("it is away", retry_in_s=5)
        self.asked.append(f"{len(list(revisions))} tags")
        return self.tags


def _text(title: str, text: str, page_id: int = 31_000_000) -> PageText:
    return PageText(title, 0, page_id, 1, text, "wikitext", False, NOON)


async def _swept(store: Store, told: Told, days: float = 3) -> NotedEdits:
    stops = StopPages(lambda _: told, _BOT, lambda: day(days), is_needed=False)
    sweep = OutcomeSweep(
        store.noted_edits, lambda _: told, stops.lets_run, lambda: day(days)
    )
    await sweep.run([WIKI])
    [counts] = store.noted_edits.counts(NOON)
    return counts


async def test_the_wikis_own_tag_counts_before_the_words(store: Store) -> None:
    noted(store, ["It has 72 rooms."])
    told = Told(
        {TITLE: _text(TITLE, "Other words.")},
        {12: frozenset({REVERTED})},
    )

    assert (await _swept(store, told)).reverted == 1


@pytest.mark.parametrize(
    ("page", "tags"),
    [
        pytest.param(_text(TITLE, "Words.", page_id=5), {12: frozenset()}, id="moved"),
        pytest.param(_text(TITLE, "Words."), {}, id="revision hidden"),
        pytest.param(None, {12: frozenset({REVERTED})}, id="page deleted or hidden"),
    ],
)
async def test_what_cannot_be_seen_is_told_apart(
    store: Store, page: PageText | None, tags: dict[int, frozenset[str]]
) -> None:
    noted(store, ["It has 72 rooms."])

    found = await _swept(store, Told({TITLE: page} if page else {}, tags))

    assert (found.unseen, found.undecided, found.decided) == (1, 0, 0)


async def test_many_edits_share_requests(store: Store) -> None:
    noted(store, [f"It has {number} rooms." for number in range(120)])
    told = Told()

    assert (await _swept(store, told)).unseen == 120
    assert told.asked == ["1 tags", "1 texts"] * 3


async def test_a_stop_page_or_an_absence_leaves_them_for_later(store: Store) -> None:
    noted(store, ["It has 72 rooms."])
    told = Told(stop="stop")

    assert (await _swept(store, told)).waiting == 1
    assert told.asked == []
    told.stop, told.is_away = "run", True
    assert (await _swept(store, told)).waiting == 1
    told.is_away = False
    assert (await _swept(store, told)).unseen == 1


async def test_nothing_is_asked_while_nothing_is_due(store: Store) -> None:
    noted(store, ["It has 72 rooms."])
    told = Told()

    await _swept(store, told, days=1)

    assert told.asked == []
