"""All edits of a wiki are looked at: which are read, what is noted, and what it costs."""

import asyncio
import random
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from bot.daemon.check import Checker
from bot.daemon.intake.pending import PendingEdits
from bot.daemon.patrol import Patrol, SharedRequests, StopPages
from bot.records.changes import Batch, Change, ChangeKind, UserKind
from bot.records.jobs import JobReason
from bot.records.patrol import PatrolCounts, PatrolEdit
from bot.store import Store, open_store
from bot.surfaces.post_summaries import Task, stop_page
from bot.wiki.pages import PageText, PendingPage, WikiPage
from handlers.citations.flags import OperatingPoints
from handlers.edits.finding import ChangedFinding
from handlers.findings import Suggestion
from handlers.model import CheckKind, EditKind
from handlers.ports import AwayError, PermanentError, Tools
from tests.bot.daemon.checks_world import Clock, Reader, Web, Wiki, World, cited
from tests.bot.store.runs import NOON, WIKI
from tests.fakes import Unheard
from tests.rig.databases import ready_sqlite

TITLE, BOT = "Skarholm", "ExampleBot"
GOOD, BAD = "The tower is 412 feet high", "The tower is 412 metres high"
OTHER = cited("It opened in 1891", "b.example")


def _page(*sentences: str) -> str:
    return "".join(cited(words, "a.example") for words in sentences) + OTHER


class PatientClock(Clock):
    """A clock by which no lease runs out while many tasks are in hand."""

    def __call__(self) -> datetime:
        self.moment += timedelta(milliseconds=1)
        return self.moment


@dataclass
class EditedWiki(Wiki):
    """A wiki that gives many revisions at once, and counts the requests."""

    asked: list[frozenset[int]] = field(default_factory=list)
    is_away: bool = False
    stop: str | None = "run"
    waits: tuple[PendingPage, ...] | None = None

    async def revisions(
        self, numbers: Collection[int]
    ) -> Mapping[int, WikiPage | PermanentError]:
        self.asked.append(frozenset(numbers))
        await asyncio.sleep(0.001)
        if self.is_away:
            raise AwayError("it is away", retry_in_s=5)
        found: dict[int, WikiPage | PermanentError] = {}
        for number in numbers:
            title, _ = self.past.get(number, ("", ""))
            try:
                found[number] = await self.page(title, number)
            except PermanentError as error:
                found[number] = error
        return found

    async def texts_of(self, titles: Iterable[str]) -> Mapping[str, PageText]:
        [title] = titles
        assert title == stop_page(BOT, Task.PATROL)
        if self.stop is None:
            return {}
        return {title: PageText(title, 2, 1, 1, self.stop, "wikitext", False, NOON)}

    async def pending(self, most: int) -> tuple[PendingPage, ...] | None:
        assert most >= len(self.waits or ())
        return self.waits


@dataclass
class Patrolled:
    """A wiki whose edits are looked at as they come."""

    store: Store
    wiki: EditedWiki = field(default_factory=EditedWiki)
    web: Web = field(default_factory=Web)
    clock: Clock = field(default_factory=PatientClock)
    judge: Reader = field(
        default_factory=lambda: Reader(f"{GOOD}.", "It opened in 1891.")
    )
    sources_per_day: int = 100
    newest: dict[str, int] = field(default_factory=dict)
    is_live: bool = True

    def __post_init__(self) -> None:
        self.patrol = Patrol(
            name="patrol",
            store=self.store,
            wiki=lambda _: self.wiki,
            lets_run=StopPages(
                lambda _: self.wiki, BOT, self.clock, is_needed=self.is_live
            ).lets_run,
            checker=Checker(
                Tools(self.web, self.judge),
                Unheard(),
                now=self.clock,
                points=OperatingPoints(overrides={"*": {CheckKind.NOT_SUPPORTED: 0.9}}),
            ),
            now=self.clock,
            draw=lambda: 0.0,
            sources_per_day=self.sources_per_day,
            gather_s=0.03,
        )

    def save(self, text: str, title: str = TITLE, *, is_by_bot: bool = False) -> None:
        """Save a page, and hear of it."""
        self.wiki.edit(title, text)
        before, now = self.newest.get(title), self.clock()
        self.newest[title] = self.wiki.revision
        if before is not None:
            edit = PatrolEdit(
                *(WIKI, title, before, self.wiki.revision, now, now),
                is_by_bot=is_by_bot,
            )
            self.store.patrols.put([edit])

    async def look(self) -> None:
        """Look at all that is due."""
        runner = self.patrol.runner
        while await runner.work_once():
            pass
        await asyncio.gather(*runner.busy)

    async def saved(self, *texts: str) -> None:
        """Save texts of the page, and look at each."""
        for text in texts:
            self.save(text)
            await self.look()

    @property
    def notes(self) -> list[Suggestion]:
        """The open ones of the page."""
        found = self.store.suggestions_of(WIKI, TITLE)
        assert all(one.suggestion.kind == ChangedFinding.kind for one in found)
        return [one.suggestion for one in found]

    @property
    def counts(self) -> PatrolCounts:
        """What was counted today."""
        return self.store.patrols.counts(self.clock()).get(WIKI, PatrolCounts())


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(ready_sqlite(tmp_path / "sidenote.sqlite")) as store:
        yield store


@pytest.fixture
def world(store: Store) -> Patrolled:
    return Patrolled(store)


async def test_an_edit_away_from_the_source_is_noted(world: Patrolled) -> None:
    await world.saved(_page(GOOD), _page(BAD))

    [one] = world.notes
    earlier = one.finding.facts.earlier
    assert one.claim == f"{BAD}."
    assert earlier
    assert (earlier.text, earlier.since, earlier.until) == (f"{GOOD}.", 2, 3)
    assert world.counts == PatrolCounts(0, 1, 0, 1, 0, 1, 1)


async def test_of_several_edits_the_note_names_the_one_that_brought_it(
    world: Patrolled,
) -> None:
    world.save(_page(GOOD))
    world.save(_page(GOOD) + "It is red.")
    world.save(_page(BAD) + "It is red.")
    world.save(_page(BAD) + "It is green.")
    await world.look()

    [one] = world.notes
    earlier = one.finding.facts.earlier
    assert earlier
    assert (earlier.since, earlier.until) == (3, 4)


async def test_a_page_that_was_only_patrolled_is_no_checked_page(
    world: Patrolled,
) -> None:
    await world.saved(_page(GOOD), _page(BAD))

    assert world.store.last_check(WIKI, TITLE) is None
    assert world.store.status(world.clock()).findings.pages == 0
    assert world.store.patrols.noted(WIKI) == (TITLE,)
    [ranked] = world.store.panel.ranked(WIKI, [TITLE])
    assert ranked.kind == ChangedFinding.kind


async def test_a_revert_closes_the_note_without_reading_a_source(
    world: Patrolled,
) -> None:
    await world.saved(_page(GOOD), _page(BAD))
    world.web.reads.clear()

    await world.saved(_page(GOOD))

    assert world.notes == []
    assert not world.web.reads


async def test_what_is_reverted_before_the_page_rested_costs_nothing(
    world: Patrolled,
) -> None:
    for text in (_page(GOOD), _page(BAD), _page(GOOD)):
        world.save(text)
    await world.look()

    assert not world.web.reads
    assert world.counts == PatrolCounts(diffs=1)


async def test_a_copyedit_reads_no_source_and_leaves_the_note(world: Patrolled) -> None:
    await world.saved(_page(GOOD), _page(BAD))
    [before] = world.notes
    world.web.reads.clear()

    await world.saved(_page(BAD) + "A '''bold''' word without a source.")

    assert [one.identity for one in world.notes] == [before.identity]
    assert not world.web.reads


async def test_the_next_turn_of_an_edit_war_updates_the_note(world: Patrolled) -> None:
    worse = "The tower is 421 metres high"
    await world.saved(_page(GOOD), _page(BAD), _page(worse))

    [one] = world.notes
    assert one.claim == f"{worse}."
    assert one.finding.facts.earlier
    assert one.finding.facts.earlier.text == f"{GOOD}."
    assert world.counts.notes == 1


@pytest.mark.parametrize(
    ("after", "done"),
    [
        (f"{GOOD}.\n\n{OTHER}", EditKind.REMOVED),
        (_page(f"{GOOD}. Nobody else has ever been there"), EditKind.INSERTED),
    ],
)
async def test_footnotes_are_looked_at(
    world: Patrolled, after: str, done: EditKind
) -> None:
    await world.saved(_page(GOOD), after)

    [one] = world.notes
    assert isinstance(one.finding, ChangedFinding)
    assert one.finding.done is done


async def test_of_bots_only_other_values_are_read(world: Patrolled) -> None:
    without = f"{GOOD}.\n\n{OTHER}"
    world.save(_page(GOOD))
    world.save(without, is_by_bot=True)
    await world.look()
    assert world.counts == PatrolCounts(diffs=1)

    world.save(_page(GOOD), is_by_bot=True)
    world.save(_page(BAD), is_by_bot=True)
    await world.look()

    assert world.counts.candidates == 0  # compared with the page without the footnote
    world.save(_page("The tower is 421 feet high"), is_by_bot=True)
    await world.look()
    assert world.counts.candidates == 1


async def test_a_persons_edit_among_a_bots_counts_as_a_persons(
    world: Patrolled,
) -> None:
    world.save(_page(GOOD))
    world.save(f"{GOOD}.\n\n{OTHER}")
    world.save(f"{GOOD}.\n\n{OTHER} ", is_by_bot=True)
    await world.look()

    assert len(world.notes) == 1


async def test_both_sides_of_25_edits_come_in_one_request() -> None:
    wiki = EditedWiki()
    for _ in range(120):
        wiki.edit(TITLE, GOOD)
    shared = SharedRequests(wiki, gather_s=0.05)

    pairs = [(number, number + 1) for number in range(2, 121, 2)]
    found = await asyncio.gather(*(shared.pair(*pair) for pair in pairs))

    assert [len(numbers) for numbers in wiki.asked] == [50, 50, 20]
    assert [
        tuple(one.id.revision_id for one in pair if isinstance(one, WikiPage))
        for pair in found
    ] == pairs


async def test_a_request_that_fails_fails_for_all_that_share_it() -> None:
    wiki = EditedWiki(is_away=True)
    shared = SharedRequests(wiki, gather_s=0.01)

    found = await asyncio.gather(
        *(shared.pair(number, number + 1) for number in range(3)),
        return_exceptions=True,
    )

    assert [type(one) for one in found] == [AwayError] * 3
    wiki.is_away = False
    wiki.edit(TITLE, GOOD)
    [before, _] = await shared.pair(2, 3)
    assert isinstance(before, WikiPage)


async def test_many_edits_are_looked_at_side_by_side(world: Patrolled) -> None:
    titles = [f"Page {number}" for number in range(60)]
    for text in (_page(GOOD), _page(f"{GOOD} indeed")):
        for title in titles:
            world.save(text, title)

    await world.look()

    assert world.counts.diffs == len(titles)
    assert max(map(len, world.wiki.asked)) <= 50


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(_page(GOOD) * 20, "Nothing.", id="blanked"),
        pytest.param(_page(GOOD), "Long words. " * 20_000, id="large"),
        pytest.param(_page(GOOD) * 9, "#REDIRECT [[Oslo]] " + "x" * 300, id="merged"),
    ],
)
async def test_odd_edits_are_counted_and_not_read(
    world: Patrolled, before: str, after: str
) -> None:
    await world.saved(before, after)

    assert world.counts == PatrolCounts(not_read=1)
    assert not world.web.reads


async def test_a_blanked_page_has_no_notes(world: Patrolled) -> None:
    await world.saved(_page(GOOD), _page(BAD), "Nothing.")

    assert world.notes == []


async def test_a_hidden_or_missing_side_is_not_read(world: Patrolled) -> None:
    world.save(_page(GOOD))
    world.wiki.hidden.add(world.wiki.revision)
    await world.saved(_page(BAD))
    del world.wiki.past[world.wiki.revision]
    await world.saved(_page(GOOD))

    assert world.notes == []
    assert world.counts == PatrolCounts(not_read=2)


async def test_a_days_budget_of_sources(store: Store) -> None:
    world = Patrolled(store, sources_per_day=1)
    for title in ("One", "Two"):
        for text in (_page(GOOD), _page(BAD)):
            world.save(text, title)
    await world.look()
    assert world.counts == PatrolCounts(0, 2, 0, 2, 1, 1, 1)

    world.clock.wait_days(1)
    for text in (_page(GOOD), _page(BAD)):
        world.save(text, "Three")
    await world.look()
    assert world.counts == PatrolCounts(0, 1, 0, 1, 0, 1, 1)


@pytest.mark.parametrize("stop", ["stop, please", None])
async def test_a_stop_page_stops_it_before_anything_is_read(
    world: Patrolled, stop: str | None
) -> None:
    world.wiki.stop = stop
    await world.saved(_page(GOOD), _page(BAD))
    assert not world.wiki.asked

    world.wiki.stop = "run"
    world.clock.moment += timedelta(minutes=3)
    await world.look()
    assert len(world.notes) == 1


async def test_a_dry_run_needs_no_page_to_run(store: Store) -> None:
    world = Patrolled(store, is_live=False)
    world.wiki.stop = None
    await world.saved(_page(GOOD), _page(BAD))

    assert len(world.notes) == 1


async def test_nothing_is_given_up_while_a_wiki_is_away(world: Patrolled) -> None:
    world.save(_page(GOOD))
    world.save(_page(BAD))
    world.wiki.is_away = True
    for _ in range(8):
        await world.look()
        world.clock.moment += timedelta(minutes=15)
    assert len(world.wiki.asked) == 8

    world.wiki.is_away = False
    await world.look()
    assert len(world.notes) == 1


async def test_a_check_that_a_person_asks_for_keeps_the_note(world: Patrolled) -> None:
    await world.saved(_page(GOOD), _page(BAD))
    [before] = world.notes

    checking = World(world.store, world.wiki, world.web, world.clock, judge=world.judge)
    await checking.check(TITLE, JobReason.ASKED)

    found = world.store.suggestions_of(WIKI, TITLE)
    assert before.identity in {one.suggestion.identity for one in found}


@pytest.mark.parametrize(
    "kind", [ChangeKind.DELETE, ChangeKind.VISIBILITY, ChangeKind.MOVE]
)
async def test_a_page_that_is_deleted_hidden_or_moved_has_no_notes(
    world: Patrolled, kind: ChangeKind
) -> None:
    await world.saved(_page(GOOD), _page(BAD))

    now = world.clock()
    gone = Change(kind, WIKI, TITLE, 0, now, UserKind.REGISTERED, "event-1")
    world.store.feeds.keep("feed", Batch(now, None, (gone,)), [])

    assert world.notes == []
    # Nobody watches it, so no check of the whole page is asked for.
    assert not any(world.store.jobs.state().counts.values())


async def test_text_that_is_hidden_while_it_is_read_leaves_no_note(
    world: Patrolled,
) -> None:
    world.save(_page(GOOD))
    world.save(_page(BAD))
    runner = world.patrol.runner
    await runner.work_once()
    now = world.clock()
    world.wiki.hidden.add(world.wiki.revision)
    gone = Change(
        ChangeKind.VISIBILITY, WIKI, TITLE, 0, now, UserKind.REGISTERED, "event-1"
    )
    world.store.feeds.keep("feed", Batch(now, None, (gone,)), [])
    await asyncio.gather(*runner.busy)
    await world.look()

    assert world.notes == []


@pytest.mark.parametrize("seed", range(12))
async def test_no_note_twice_and_none_left_with_flips_in_flight(
    world: Patrolled, seed: int
) -> None:
    draw = random.Random(seed)
    texts = [_page(GOOD), _page(BAD), _page("The tower is 421 feet high")]
    text = texts[0]
    world.save(text)
    runner = world.patrol.runner
    for _ in range(25):
        text = draw.choice([one for one in texts if one != text])
        world.save(text)
        for _ in range(draw.randrange(3)):
            await runner.work_once()
        await asyncio.sleep(draw.choice([0, 0, 0.001, 0.01, 0.03]))
        assert len(world.notes) <= 1
    while runner.busy or await runner.work_once():
        await asyncio.gather(*runner.busy)
        runner.busy.clear()

    assert len(world.notes) == (text != texts[0])
    assert all(one.claim in text.replace("<ref", ".<ref") for one in world.notes)


async def test_edits_that_wait_for_review_come_first_beside_the_reviewed_revision(
    world: Patrolled,
) -> None:
    for title in ("Before", TITLE):
        for text in (_page(GOOD), _page(BAD), _page(BAD, "It is red")):
            world.save(text, title)
            await asyncio.sleep(0)
    reviewed, _, newest = (
        number for number, (title, _) in world.wiki.past.items() if title == TITLE
    )
    since = world.clock() - timedelta(minutes=5)
    world.wiki.waits = (PendingPage(TITLE, reviewed, newest, since),)
    pending = PendingEdits(
        world.store, lambda _: world.wiki, [WIKI], world.clock, settle_s=120
    )
    await pending.run()

    held = world.store.tasks.lease(
        tuple(world.patrol.runner.works), "other", world.clock()
    )

    assert held
    assert (held.subject, held.task.since_id) == (TITLE, reviewed)
    assert held.task.revision_id == newest


async def test_a_wiki_without_reviews_is_asked_once_a_day(world: Patrolled) -> None:
    pending = PendingEdits(
        world.store, lambda _: world.wiki, [WIKI], world.clock, settle_s=120
    )
    await pending.run()
    world.wiki.waits = (PendingPage(TITLE, 1, 2, world.clock() - timedelta(days=2)),)
    await pending.run()
    kinds = tuple(world.patrol.runner.works)
    assert not world.store.tasks.is_due(kinds, world.clock())

    world.clock.wait_days(1.1)
    await pending.run()
    assert world.store.tasks.is_due(kinds, world.clock())
