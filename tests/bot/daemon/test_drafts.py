"""Topics are drafted where somebody asked, each in its turn, and every end is kept."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import pytest

from bot.app.wiring.drafts import make_cast
from bot.daemon.drafter import Drafter
from bot.daemon.drafts import Drafting
from bot.records.dossiers import DraftOrder, DraftState, NamedTopic, StoredDraft
from bot.records.tasks import TaskKind
from bot.records.watches import CommunityPage, PlanKind, Policy
from bot.store import Store
from bot.surfaces.dossier_page import addresses
from bot.surfaces.messages import Words, from_note, message
from bot.surfaces.opt_in.community import has_decided_since
from bot.surfaces.planning.drafts import IN_THE_WAY
from bot.wiki.escaping import WikiSafe
from bot.wiki.pages import PageText
from handlers.drafts.gather import Reach
from handlers.drafts.roles import NothingToDraftError
from handlers.model import Draft, DraftMethod, Left, LeftOut, SourceFetch, Topic
from handlers.ports import PermanentError, TemporaryError
from tests.bot.report.drafts.makers import draft
from tests.bot.store.runs import NOON
from tests.fakes import FakeSources, FakeVerifier
from tests.handlers.drafts.test_gather import LISTS, Answers, fetch

WIKI = "de.wikipedia.org"
PLACE = "Benutzer:Ada/Sidenote"
TIME_S = 600.0
REST_S = 1200.0


@dataclass
class _World:
    """A wiki, somebody who drafts what the test says, and a clock."""

    made: Draft = field(default_factory=draft)
    now: datetime = NOON
    fault: Exception | None = None
    at_opening: Exception | None = None
    takes_s: float = 0.0
    pages: dict[str, PageText] = field(default_factory=dict)
    refused: frozenset[str] = frozenset()
    asked: list[tuple[Topic, Policy]] = field(default_factory=list)
    began: asyncio.Event = field(default_factory=asyncio.Event)

    async def text_of(
        self, title: str, revision_id: int | None = None
    ) -> PageText | None:
        assert revision_id is None
        return self.pages.get(title)

    async def texts_of(self, titles: Iterable[str]) -> Mapping[str, PageText]:
        return {title: _page(title) for title in titles if title.endswith("Cite web")}

    async def refused_addresses(self, urls: Iterable[str]) -> frozenset[str]:
        return frozenset(urls) & self.refused

    @asynccontextmanager
    async def opened(
        self, draft: StoredDraft, policy: Policy
    ) -> AsyncIterator["_Drafting"]:
        assert draft.wiki == WIKI
        if self.at_opening:
            raise self.at_opening
        yield _Drafting(self, policy)


@dataclass
class _Drafting:
    world: _World
    policy: Policy

    async def draft(self, topic: Topic) -> Draft:
        world = self.world
        world.asked.append((topic, self.policy))
        world.began.set()
        await asyncio.sleep(world.takes_s)
        if world.fault:
            raise world.fault
        return replace(world.made, topic=topic)


def _page(title: str) -> PageText:
    return PageText(title, 2, 1, 1, "words", "wikitext", False, NOON)


def _title(topic: str) -> str:
    return f"Benutzer:Ada/Sidenote drafts/{topic}"


def _ask(store: Store, *topics: str, at: datetime = NOON) -> None:
    named = tuple(NamedTopic(each, _title(each)) for each in topics)
    store.drafts.ask(DraftOrder(WIKI, PLACE, "Ada", named), at)


def _role(store: Store, world: _World, time_s: float = TIME_S) -> Drafting:
    return Drafting(
        store=store,
        wiki=lambda _wiki: world,
        drafter=world.opened,
        now=lambda: world.now,
        bot="SidenoteBot",
        time_s=time_s,
        draw=lambda: 0.0,
    )


def _work(store: Store, world: _World, time_s: float = TIME_S) -> bool:
    return asyncio.run(_role(store, world, time_s).runner.work_once())


def _stored(store: Store, topic: str = "Hafenuhr") -> StoredDraft:
    draft = store.drafts.of_page(WIKI, _title(topic))
    assert draft is not None
    return draft


def test_each_topic_is_drafted_once_in_the_language_of_the_wiki(store: Store) -> None:
    world = _World()
    _ask(store, "Hafenuhr")
    _ask(store, "Hafenuhr", "Turm", at=NOON)

    while _work(store, world):
        world.now += timedelta(hours=1)

    assert [(each.title, each.language) for each, _ in world.asked] == [
        ("Hafenuhr", "de"),
        ("Turm", "de"),
    ]
    draft = _stored(store)
    assert draft.state is DraftState.DRAFTED
    assert Words("de").say("dossier-title", WikiSafe("Hafenuhr")) in draft.text
    assert world.made.troubles == ("gdelt: busy",)
    assert "busy" not in draft.text
    assert store.plans.state().waiting[PlanKind.DRAFT] == 2


def test_the_communitys_policy_says_whose_words_are_shown(store: Store) -> None:
    world = _World()
    page = CommunityPage(json.dumps({"policy": "wording", "drafts": True}), 1, NOON)
    store.communities.keep(WIKI, page)
    _ask(store, "Hafenuhr")

    _work(store, world)

    assert world.asked[0][1] is Policy.WORDING


def test_no_address_is_linked_that_the_wiki_refuses(store: Store) -> None:
    world = _World()
    listed, *_ = sorted(addresses(world.made))
    world.refused = frozenset({listed})
    _ask(store, "Hafenuhr", "Turm")
    _work(store, world)
    assert f"url={listed}" not in _stored(store).text
    assert f"[{listed}" not in _stored(store).text

    world.refused = frozenset()
    _work(store, world)
    assert listed in _stored(store, "Turm").text


@pytest.mark.parametrize(
    ("fault", "why"),
    [
        (NothingToDraftError("name some"), "no documents"),
        (
            NothingToDraftError("name others", [LeftOut("a.example", Left.COPY)] * 2),
            "none of the 2 documents that were found can be used; the most common"
            " reason: it is a copy of a wiki",
        ),
        (PermanentError("the model is not there; name another"), "name another"),
        (None, "none of the 3 documents that could be read has a sentence about it"),
    ],
)
def test_that_nothing_could_be_drafted_is_a_result_shown_to_the_person(
    store: Store, fault: Exception | None, why: str
) -> None:
    world = _World(fault=fault, made=draft(sections=()))
    _ask(store, "Hafenuhr")

    assert _work(store, world)
    world.now += timedelta(days=30)
    assert not _work(store, world)

    assert _stored(store).state is DraftState.NOTHING
    assert why in str(from_note(_stored(store).note))
    assert "name some" not in _stored(store).note
    plan = store.tasks.lease([TaskKind.PLAN_OPT_INS], "me", world.now)
    assert plan is not None
    assert plan.task.subject == PLACE


@pytest.mark.parametrize(
    ("broken", "rests_s"),
    [
        (_World(fault=TemporaryError("busy", retry_in_s=5)), REST_S),
        (_World(at_opening=PermanentError("a setting is wrong")), 86_400),
        (_World(fault=ZeroDivisionError("a fault of ours")), 86_400),
        (_World(takes_s=5), REST_S),
    ],
)
def test_a_draft_that_failed_rests_and_keeps_nobody_else_waiting(
    store: Store, broken: _World, rests_s: float
) -> None:
    _ask(store, "Hafenuhr", "Turm")
    quick = 0.05 if broken.takes_s else TIME_S

    assert _work(store, broken, quick)
    well = _World(now=broken.now)
    assert _work(store, well)
    assert not _work(store, well)
    well.now += timedelta(seconds=rests_s + 1)
    assert _work(store, well)

    assert [topic.title for topic, _ in well.asked] == ["Turm", "Hafenuhr"]
    assert _stored(store).state is DraftState.DRAFTED


def test_a_draft_outlives_searches_that_are_down_for_hours(store: Store) -> None:
    world = _World(fault=TemporaryError("busy", retry_in_s=5))
    _ask(store, "Hafenuhr")
    began = world.now

    while _stored(store).state is DraftState.WAITING:
        if world.now - began > timedelta(hours=5):
            world.fault = None
        _work(store, world)
        world.now += timedelta(minutes=10)

    assert _stored(store).state is DraftState.DRAFTED


def test_nothing_is_drafted_for_a_page_that_is_there(store: Store) -> None:
    world = _World(pages={_title("Hafenuhr"): _page(_title("Hafenuhr"))})
    _ask(store, "Hafenuhr")

    _work(store, world)

    assert world.asked == []
    assert _stored(store).note == IN_THE_WAY


def test_a_program_that_ends_gives_its_draft_back(store: Store) -> None:
    world = _World(takes_s=60)
    _ask(store, "Hafenuhr")

    async def killed() -> None:
        task = asyncio.create_task(_role(store, world).runner.work_once())
        await world.began.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(killed())
    world.takes_s = 0

    assert _work(store, world)
    assert _stored(store).state is DraftState.DRAFTED


def test_what_was_dropped_while_it_was_drafted_is_not_kept(store: Store) -> None:
    world = _World()
    _ask(store, "Hafenuhr")
    role = _role(store, world)
    drop = replace(role, now=lambda: _dropped(store, world))

    asyncio.run(drop.runner.work_once())

    assert _stored(store).state is DraftState.DROPPED
    assert _stored(store).text == ""


def _dropped(store: Store, world: _World) -> datetime:
    """Tell the time, and once the draft is asked for, take it out of the opt-in."""
    if world.asked:
        _ask(store)
    return world.now


def test_what_the_community_decides_while_a_draft_is_in_work_counts_more(
    store: Store,
) -> None:
    _ask(store, "Hafenuhr")
    world = _World(takes_s=0.05)
    decided = world.now + timedelta(seconds=30)

    class _Deciding(_World):
        async def refused_addresses(self, urls: Iterable[str]) -> frozenset[str]:
            world.now = self.now = decided + timedelta(seconds=30)
            return await super().refused_addresses(urls)

    assert _work(store, _Deciding(made=world.made, now=world.now))

    draft, page = _stored(store), CommunityPage("{}", 2, decided, ())
    assert draft.state is DraftState.DRAFTED
    assert has_decided_since(page, draft.drafted_at)


def test_no_draft_is_made_that_is_refused(store: Store) -> None:
    world = _World()
    refused = {"drafts": True, "refuse": {"people": {"Ada": ["drafts"]}}}
    store.communities.keep(WIKI, CommunityPage(json.dumps(refused), 1, NOON))
    _ask(store, "Hafenuhr")

    _work(store, world)

    assert world.asked == []
    assert _stored(store).state is DraftState.NOTHING
    assert from_note(_stored(store).note) == message("draft-refused")


# Where there is nothing to draft from, a person is told why and what to do.

TOPIC = Topic("2024 Port Example flood")


class _Encoder:
    async def likeness(
        self, texts: Sequence[str], others: Sequence[str]
    ) -> Sequence[Sequence[float]]:
        raise AssertionError(f"nothing is to be drafted of {texts} and {others}")


class _Documents:
    """A folder with the readings that the test names."""

    def __init__(self, *fetches: SourceFetch) -> None:
        self._readings = fetches

    async def fetches(self, most: int) -> tuple[tuple[SourceFetch, ...], bool]:
        return self._readings[:most], len(self._readings) > most


def _drafter(*searches: Answers, documents: _Documents | None = None) -> Drafter:
    cast = make_cast(DraftMethod.PRR, "bm25", _Encoder(), FakeVerifier({}))
    return Drafter(cast, Reach(WIKI, searches, FakeSources(()), LISTS), documents)


async def test_a_topic_that_nobody_writes_of() -> None:
    with pytest.raises(PermanentError) as caught:
        await _drafter(Answers("gdelt"), Answers("brave")).draft(TOPIC)

    assert str(caught.value).startswith(
        "no documents on “2024 Port Example flood” were found by gdelt, brave"
    )


async def test_searches_that_are_out_of_reach_can_be_asked_later() -> None:
    busy = Answers("gdelt", error=TemporaryError("busy", retry_in_s=30.0))

    with pytest.raises(TemporaryError, match="were found: gdelt: busy") as caught:
        await _drafter(busy).draft(TOPIC)

    assert caught.value.retry_in_s == 30.0


async def test_documents_that_cannot_be_read_are_counted_by_reason() -> None:
    unread = [
        fetch(f"https://a.example/{number}", detail="the server answered 404")
        for number in range(3)
    ]

    with pytest.raises(PermanentError) as caught:
        await _drafter(documents=_Documents(*unread)).draft(TOPIC)

    assert (
        "none of the 3 documents on “2024 Port Example flood” can be used (it could"
        " not be read: the server answered 404 (3))"
    ) in str(caught.value)
