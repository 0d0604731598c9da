"""Pages are searched for newer facts where somebody asked, each in its turn."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from types import SimpleNamespace

import pytest

from bot.daemon.updates import StoredCriteria, UpdateRules, UpdateSearch
from bot.records.watches import Check, CommunityPage, Policy
from bot.store import Store
from bot.wiki.pages import WikiPage
from handlers.model import Criteria, Discovery, Engine, PageId, Update, Window
from handlers.page import parse
from handlers.ports import PermanentError, TemporaryError
from tests import update_runs as runs
from tests.bot.store.runs import NOON
from tests.bot.surfaces.planning.makers import watch

_RULES = UpdateRules(every_days=7, days=30, time_s=60)


@dataclass
class _World:
    """A wiki, a search that finds what the test says, and a clock."""

    updates: tuple[Update, ...] = ()
    now: datetime = NOON
    text: str = runs.WIKITEXT
    asked: list[tuple[str, Window, Policy]] = field(default_factory=list)
    fault: Exception | None = None
    troubles: tuple[str, ...] = ()
    meanwhile: Callable[[], None] = lambda: None
    instead: WikiPage | None = None

    async def page(self, title: str, revision_id: int | None = None) -> WikiPage:
        assert revision_id is None, "the newest revision is what counts"
        await asyncio.sleep(0)
        return self.instead or WikiPage(PageId(runs.WIKI, title, 7, 70), self.text)

    @asynccontextmanager
    async def opened(self, page: PageId, policy: Policy) -> AsyncIterator["_Searching"]:
        assert page.wiki == runs.WIKI
        yield _Searching(self, policy)


@dataclass
class _Searching:
    world: _World
    policy: Policy

    async def discover(
        self, wikitext: str, page_id: PageId, window: Window
    ) -> Discovery:
        await asyncio.sleep(0)
        world = self.world
        world.asked.append((page_id.title, window, self.policy))
        if world.fault:
            raise world.fault
        world.meanwhile()
        run = runs.discovery(*world.updates, of=parse(wikitext, page_id))
        found = 0 if world.troubles else 1
        return replace(run, troubles=world.troubles, pages_found=found)


def _follow(store: Store, *titles: str, checks: tuple[Check, ...]) -> None:
    active_watch = watch(
        wiki=runs.WIKI, pages=titles, checks=checks, place=f"User:{titles}"
    )
    store.watches.keep(active_watch, (), NOON)


def _work(store: Store, world: _World) -> bool:
    search = UpdateSearch(
        name=f"process {len(world.asked)}",
        store=store,
        wiki=lambda _wiki: world,
        discoverer=world.opened,
        now=lambda: world.now,
        draw=lambda: 0.0,
        rules=_RULES,
    )
    return asyncio.run(search.runner.work_once())


def _claims(store: Store) -> list[str]:
    found = store.suggestions_of(runs.WIKI, runs.TITLE)
    return [one.suggestion.claim for one in found]


def test_a_page_is_searched_whose_watchers_asked_for_updates(store: Store) -> None:
    world = _World((runs.outdated(),))
    _follow(store, "Other page", checks=(Check.CITATIONS,))
    _follow(store, runs.TITLE, checks=(Check.CITATIONS, Check.UPDATES))

    assert _work(store, world)

    window = Window(date(2026, 10, 21), date(2026, 11, 20))
    assert world.asked == [(runs.TITLE, window, Policy.POINTER)]
    assert _claims(store) == [runs.CARS]
    assert not _work(store, world)


def test_it_is_searched_again_after_some_days_the_one_that_waits_longest_first(
    store: Store,
) -> None:
    world = _World()
    _follow(store, runs.TITLE, checks=(Check.UPDATES,))
    _work(store, world)
    world.now += timedelta(days=6)
    _follow(store, "New page", checks=(Check.UPDATES,))

    for _ in range(3):
        _work(store, world)
    world.now += timedelta(days=2)
    for _ in range(3):
        _work(store, world)

    assert [title for title, *_ in world.asked] == [
        runs.TITLE,
        "New page",
        runs.TITLE,
    ]


@pytest.mark.parametrize(
    ("fault", "rests_s"),
    [
        (TemporaryError("busy", retry_in_s=5), _RULES.rest_s),
        (PermanentError("a redirect"), 86_400),
        (ZeroDivisionError("a fault of ours"), 86_400),
    ],
)
def test_a_page_that_failed_rests_and_keeps_nobody_else_waiting(
    store: Store, fault: Exception, rests_s: float
) -> None:
    world = _World(fault=fault)
    _follow(store, runs.TITLE, checks=(Check.UPDATES,))

    assert _work(store, world)
    assert not _work(store, world)
    _follow(store, "New page", checks=(Check.UPDATES,))
    assert _work(store, world)
    world.now += timedelta(seconds=rests_s + 1)
    assert _work(store, world)

    assert [title for title, *_ in world.asked][:2] == [runs.TITLE, "New page"]
    assert len(world.asked) == 3
    assert _claims(store) == []


def test_a_page_for_which_no_search_answered_is_searched_again_soon(
    store: Store,
) -> None:
    world = _World((), troubles=("gdelt: busy",))
    _follow(store, runs.TITLE, checks=(Check.UPDATES,))

    assert _work(store, world)
    assert not _work(store, world), "its turn is not over yet"
    world.now += timedelta(hours=1)
    world.troubles, world.updates = (), (runs.outdated(),)
    assert _work(store, world)

    assert _claims(store) == [runs.CARS]


def test_a_passage_edited_meanwhile_is_not_reported(store: Store) -> None:
    world = _World((runs.outdated(), runs.new_fact()))

    def edit() -> None:
        world.text = runs.WIKITEXT.replace("12,000", "15,500")

    world.meanwhile = edit
    _follow(store, runs.TITLE, checks=(Check.UPDATES,))

    _work(store, world)

    assert _claims(store) == [runs.CLOSED]


@pytest.mark.parametrize(
    "latest",
    [
        WikiPage(PageId(runs.WIKI, "New name", 7, 71), "", redirected_from=runs.TITLE),
        WikiPage(PageId(runs.WIKI, runs.TITLE, 8, 71), runs.WIKITEXT),
    ],
    ids=["moved", "made anew"],
)
def test_a_page_deleted_meanwhile_is_not_reported(
    store: Store, latest: WikiPage
) -> None:
    world = _World((runs.outdated(),))
    world.meanwhile = lambda: setattr(world, "instead", latest)
    _follow(store, runs.TITLE, checks=(Check.UPDATES,))

    assert _work(store, world)

    assert _claims(store) == []
    assert store.discoveries.last(runs.WIKI, runs.TITLE) is None
    assert not _work(store, world)


def test_a_title_that_the_wiki_writes_otherwise_is_not_searched_without_end(
    store: Store,
) -> None:
    world = _World()
    title = runs.TITLE.lower()
    world.instead = WikiPage(PageId(runs.WIKI, runs.TITLE, 7, 70), runs.WIKITEXT)
    _follow(store, title, checks=(Check.UPDATES,))

    assert [_work(store, world) for _ in range(3)] == [True, False, False]


def test_the_wikis_policy_says_whether_a_model_may_word_edits(store: Store) -> None:
    world = _World()
    page = CommunityPage('{"policy": "wording"}', 3, NOON)
    store.communities.keep(runs.WIKI, page)
    _follow(store, runs.TITLE, checks=(Check.UPDATES,))

    _work(store, world)

    assert world.asked[0][2] is Policy.WORDING


def test_criteria_are_given_to_the_engine_that_made_them(store: Store) -> None:
    cache, page = StoredCriteria(store, lambda: NOON), runs.page().id
    engine = Engine("gpt", "5")
    criteria = Criteria((), "a" * 64, engine)

    async def ask() -> list[Criteria | None]:
        await cache.put(page, criteria)
        other = replace(engine, version="6")
        return [await cache.get(page, "a" * 64, each) for each in (engine, other)]

    assert asyncio.run(ask()) == [criteria, None]


def test_a_shelf_that_is_away_gives_nothing_and_stops_nobody() -> None:
    class Away:
        def get(self, page: PageId, outline_sha256: str) -> Criteria | None:
            raise TemporaryError(f"no {page} {outline_sha256}", retry_in_s=1)

        def put(self, page: PageId, criteria: Criteria, now: datetime) -> None:
            raise PermanentError(f"no {page} {criteria} {now}")

    cache, page, engine = (
        StoredCriteria(SimpleNamespace(criteria=Away()), lambda: NOON),
        runs.page().id,
        Engine("g", "5"),
    )

    async def ask() -> Criteria | None:
        await cache.put(page, Criteria((), "a" * 64, engine))
        return await cache.get(page, "a" * 64, engine)

    assert asyncio.run(ask()) is None


def test_nothing_is_searched_for_a_page_that_refuses_updates(store: Store) -> None:
    world = _World((runs.outdated(),), text="{{bots|optout=sidenote-updates}} A page.")
    _follow(store, runs.TITLE, checks=(Check.UPDATES,))

    assert _work(store, world)
    assert world.asked == []
    assert _claims(store) == []
