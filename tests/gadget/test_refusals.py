"""Every surface asks what is refused: what shows without a refusal is gone with it."""

from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from bot.records.accounts import Reader, RefusedError
from bot.records.dossiers import DraftOrder, NamedTopic
from bot.records.tasks import TaskKind
from bot.records.watches import CommunityPage, NoteKind, PlanKind, Surface
from bot.store import Store, open_store
from bot.surfaces.feedback import Feedback
from bot.surfaces.opt_in.refusal import Refusals
from bot.wiki.pages import ListedPage
from gadget.cards.repository import StoredPages
from gadget.checks import Checks
from tests.bot.surfaces.planning.makers import (
    ARTICLE,
    PLACE,
    REPORT,
    TALK,
    WIKI,
    watch,
)
from tests.bot.surfaces.planning.world import World
from tests.rig.databases import ready_sqlite

_ADA = Reader(WIKI, "1", "Ada", "a" * 64)
_DRAFT = "Benutzer:Ada/Sidenote drafts/Hafenuhr"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(ready_sqlite(tmp_path / "sidenote.sqlite")) as opened_store:
        yield opened_store


@dataclass
class _Scene:
    """An article with one note, watched by Ada; a draft that she asked for."""

    store: Store

    def __post_init__(self) -> None:
        self.world = World(self.store)
        self.world.at.go("draft")
        self.pages = StoredPages(self.store, Feedback, self.world.now)
        both = (Surface.REPORT, Surface.TALK)
        self.world.watch(watch(surfaces=both))
        self.world.check(1)

    async def facts_of(self, titles: Iterable[str]) -> dict[str, ListedPage]:
        empty: frozenset[str] = frozenset()
        listed = ListedPage(ARTICLE, 0, empty, empty, is_redirect=False, revision_id=1)
        return dict.fromkeys(titles, listed)

    async def report(self) -> int:
        await self.world.replan(PlanKind.REPORT)
        return len(self.world.notes_on(REPORT))

    async def talk(self) -> int:
        await self.world.replan(PlanKind.TALK)
        return len(self.world.notes_on(TALK))

    async def panel(self) -> int:
        return len(self.pages.page(WIKI, ARTICLE, _ADA).found)

    async def unchecked_in_the_panel(self) -> int:
        return self.pages.page(WIKI, ARTICLE, _ADA).last_check is not None

    async def counts(self) -> int:
        return len(self.pages.ranked(WIKI, [ARTICLE]))

    async def queue(self) -> int:
        return len(self.pages.queued(_ADA))

    async def a_check_that_is_asked_for(self) -> int:
        checks = Checks(self.store, lambda _: self, self.world.now)
        try:
            await checks.ask(_ADA, WIKI, ARTICLE)
        except RefusedError:
            return 0
        return 1

    async def draft(self) -> int:
        order = DraftOrder(WIKI, PLACE, "Ada", (NamedTopic("Hafenuhr", _DRAFT),))
        self.store.drafts.ask(order, self.world.now())
        turn = self.store.tasks.lease([TaskKind.DRAFT], "me", self.world.now())
        assert turn is not None
        self.store.drafts.save(turn, "A draft.", self.world.now())
        await self.world.go_on()
        return _DRAFT in self.world.at.pages


_Surface = Callable[[_Scene], Awaitable[int]]
_OF_THE_PAGE: tuple[_Surface, ...] = (
    _Scene.report,
    _Scene.talk,
    _Scene.panel,
    _Scene.unchecked_in_the_panel,
    _Scene.counts,
    _Scene.queue,
    _Scene.a_check_that_is_asked_for,
)
_OF_THE_PERSON: tuple[_Surface, ...] = (_Scene.report, _Scene.panel, _Scene.queue)


def _names(surface: object) -> str:
    return getattr(surface, "__name__", "")


@pytest.mark.parametrize("surface", [*_OF_THE_PAGE, _Scene.draft], ids=_names)
async def test_a_surface_shows_what_nobody_refuses(
    store: Store, surface: _Surface
) -> None:
    assert await surface(_Scene(store))


@pytest.mark.parametrize("surface", _OF_THE_PAGE, ids=_names)
async def test_a_surface_heeds_the_page(store: Store, surface: _Surface) -> None:
    scene = _Scene(store)
    kinds = Refusals(store, scene.world.now).read(
        WIKI, ARTICLE, "{{bots|optout=sidenote-citations}}"
    )

    assert kinds == {NoteKind.CITATIONS}
    assert not await surface(scene)


@pytest.mark.parametrize("surface", [*_OF_THE_PAGE, _Scene.draft], ids=_names)
async def test_a_surface_heeds_the_wiki(store: Store, surface: _Surface) -> None:
    scene = _Scene(store)
    page = '{"refuse": {"everywhere": ["citations", "drafts"]}, "drafts": true}'
    store.communities.keep(WIKI, CommunityPage(page, 7, scene.world.now()))

    assert not await surface(scene)


@pytest.mark.parametrize("surface", _OF_THE_PERSON, ids=_names)
async def test_a_surface_heeds_the_person(store: Store, surface: _Surface) -> None:
    scene = _Scene(store)
    [active_watch] = store.watches.all(WIKI)
    scene.world.watch(replace(active_watch, refuses=(NoteKind.CITATIONS,)))

    assert not await surface(scene)
    assert await scene.counts(), "others are shown it"


@pytest.mark.parametrize("title", [REPORT, TALK])
async def test_a_page_refuses_what_would_be_written_to_it(
    store: Store, title: str
) -> None:
    scene = _Scene(store)
    scene.world.at.put(title, "{{bots|optout=sidenote-citations}}", "Ada")
    await scene.report()
    await scene.talk()

    assert scene.world.notes_on(title) == []
    assert scene.world.notes_on(TALK if title == REPORT else REPORT) == [1]


async def test_what_a_page_no_longer_refuses_comes_back(store: Store) -> None:
    scene = _Scene(store)
    refusals = Refusals(store, scene.world.now)
    await scene.report()
    assert scene.world.notes_on(REPORT) == [1]
    refusals.read(WIKI, ARTICLE, "{{bots|optout=sidenote}}")
    await scene.world.go_on()
    assert scene.world.notes_on(REPORT) == []
    refusals.read(WIKI, ARTICLE, "A page.")
    await scene.world.go_on()
    await scene.world.go_on(60 * 24)  # a page has its limit for a day

    assert scene.world.notes_on(REPORT) == [1]
