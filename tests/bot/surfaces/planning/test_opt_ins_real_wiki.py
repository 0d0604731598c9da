"""Opt-ins on a real MediaWiki that tells its own changes: people edit, the bot answers."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from bot.daemon.intake.queue import (
    ActiveWatches,
    QueueSink,
    Router,
    RouteRules,
)
from bot.daemon.runner import Runner
from bot.demo.loopback.event_server import EventServer
from bot.records.changes import Batch, Position
from bot.records.posts import Posted
from bot.records.tasks import TaskState
from bot.records.watches import ActiveWatch, Plan, PlanKind, Surface
from bot.store import Store
from bot.surfaces.planning.opt_ins import OptInRules, OptIns
from bot.surfaces.planning.planner import planning
from bot.surfaces.planning.posts import Planned, PlanningTools
from bot.wiki.lists import WikiLists
from bot.writing.publisher import Publisher
from tests.bot.daemon.intake.world import Run, following
from tests.bot.wiki.markup.makers import BOT, KEYS
from tests.bot.writing.people import Person
from tests.bot.writing.place import Place, at, gate_of

__all__ = ["at"]

pytestmark = pytest.mark.mediawiki
_COMMUNITY = "MediaWiki:Sidenote.json"
_CLOCK = "Harbour Clock of Eastmere"
_BOX = "<!-- sidenote begin state "
_CALL = f"{{{{User:{BOT}/watch"


def _soon() -> datetime:
    """Return a time at which all that was asked for is due."""
    return datetime.now(UTC) + timedelta(seconds=90)


@dataclass
class Hearing:
    """Keeps what intake reads, and tells which revisions were among it."""

    sink: QueueSink
    revisions: set[int] = field(default_factory=set)

    async def position(self) -> Position | None:
        return await self.sink.position()

    async def commit(self, batch: Batch) -> None:
        await self.sink.commit(batch)
        self.revisions |= {each.revision_id or 0 for each in batch.changes}


@dataclass
class Live:
    """Intake, planner and publisher at a wiki; plans are due at once."""

    at: Place
    store: Store
    hearing: Hearing
    run: Run
    planner: Runner
    publisher: Publisher
    planned: list[str]  # the subjects of the plans that were made
    posted: list[int] = field(default_factory=list)

    async def save(self, who: Person, title: str, text: str) -> None:
        """Let somebody save a page; do what follows until nothing does any more."""
        await self._heard(await asyncio.to_thread(who.edit, title, text))
        while True:
            if await self.planner.work_once():
                continue
            outcome = await asyncio.to_thread(self.publisher.publish_once)
            if outcome is None:
                break
            assert isinstance(outcome, Posted), outcome
            self.posted.append(outcome.revision_id)
            await self._heard(outcome.revision_id)
        assert not self.store.plans.failing()
        assert not self.store.plans.state().waiting.get(PlanKind.OPT_INS)

    async def _heard(self, revision: int) -> None:
        """Wait until intake has kept a revision, and what it asks for with it."""
        await self.run.until(lambda: revision in self.hearing.revisions)

    def watch(self, place: str) -> ActiveWatch:
        watch = self.store.watches.get(self.at.host, place)
        assert watch is not None
        return watch

    def is_watched(self, place: str) -> bool:
        return self.store.watches.get(self.at.host, place) is not None


@pytest.fixture
async def live(at: Place, store: Store, changes_port: int) -> AsyncIterator[Live]:
    host = at.host
    lists = WikiLists(host, user_agent="SidenoteTests/0", account=BOT)
    tools = PlanningTools(store, KEYS, BOT, lambda _: lists, _soon, is_dry=False)
    opt_ins = OptIns(tools, OptInRules(_COMMUNITY))
    planned: list[str] = []

    async def handled(plan: Plan) -> Planned:
        planned.append(plan.task.subject)
        return await opt_ins(plan)

    watches = ActiveWatches(store)
    router = Router(RouteRules(frozenset({host}), BOT, _COMMUNITY))
    sink = QueueSink("recentchange", store, watches, settle_s=0, router=router)
    hearing = Hearing(sink)
    async with EventServer() as server:
        await server.listen(changes_port)
        async with following(server.address, hearing) as run:
            await run.until(lambda: bool(server.connected))
            yield Live(
                at,
                store,
                hearing,
                run,
                Runner(
                    "planner",
                    tools.store.tasks,
                    planning(tools, {PlanKind.OPT_INS: handled}),
                    tools.now,
                    lambda: 0.5,
                ),
                Publisher(
                    host, store.outbox, gate_of(at.session()), _soon, lambda: 0.5, 0
                ),
                planned,
            )


async def test_an_opt_in_lives_and_ends_and_our_own_edits_ask_for_nothing(
    live: Live,
) -> None:
    ada, place = live.at.ada, "User:Ada Penrose/Sidenote"
    template = f"{_CALL}|pages={_CLOCK}}}}}"

    await live.save(ada, place, f"My list.\n{template}\nBye.")
    watch = live.watch(place)
    assert (watch.watcher, watch.pages) == ("Ada Penrose", (_CLOCK,))
    assert live.store.jobs.state().counts[TaskState.WAITING] == 1
    answered = ada.text(place)
    assert answered.startswith(f"My list.\n{template}\n{_BOX}")
    assert len(live.posted) == 1

    slip = answered.replace("}}\n", "|max=many}}\n", 1)
    await live.save(ada, place, slip.replace("My list.", "Our list."))
    assert live.watch(place).pages == (_CLOCK,)
    assert "'''max''' = <code>many</code>" in ada.text(place)
    assert "write a number and a period" in ada.text(place)
    assert ada.text(place).count(_BOX) == 1
    assert len(live.posted) == 2

    await live.save(ada, place, ada.text(place).replace("|max=many}}", "}}"))
    assert "many" not in ada.text(place)
    gone = ada.text(place).replace(f"{template}\n", "")
    await live.save(ada, place, gone)

    assert not live.is_watched(place)
    assert ada.text(place) == "Our list.\n\nBye."
    assert len(live.posted) == 4
    assert live.planned.count(place) == 4  # once for each edit of hers
    mine = {each["revid"] for each in ada.edits_of(BOT) if each["title"] == place}
    assert mine == set(live.posted)


async def test_a_talk_page_is_answered_in_its_lead_and_people_keep_theirs(
    live: Live,
) -> None:
    place = f"Talk:{_CLOCK}"
    lead, rest = (
        f"{{{{Talk header}}}}\n{_CALL}}}}}",
        "== Dials ==\nHow many?\n\n: ''Four.''",
    )

    await live.save(live.at.ada, place, f"{lead}\n\n{rest}")

    watch = live.watch(place)
    assert watch.pages == (_CLOCK,)
    assert Surface.TALK in watch.surfaces
    text = live.at.ada.text(place)
    assert text.startswith(f"{lead}\n{_BOX}")
    assert text.endswith(f"<!-- sidenote end state -->\n\n{rest}")
    assert len(live.posted) == 1

    gone = text.replace(f"{_CALL}}}}}", "")
    await live.save(live.at.ada, place, gone)
    assert not live.is_watched(place)
    assert _BOX not in live.at.ada.text(place)
    assert live.at.ada.text(place).endswith(rest)


async def test_a_community_rules_and_a_broken_page_of_it_changes_nothing(
    live: Live,
) -> None:
    admin, place = live.at.admin, "User:Ada Penrose/Towns"
    await live.save(live.at.ada, place, f"{_CALL}|pages={_CLOCK}}}}}")
    assert live.is_watched(place)

    await live.save(admin, _COMMUNITY, '{"minimumEditCount": 100000}')
    assert not live.is_watched(place)
    assert "edits are required here" in live.at.ada.text(place)

    await live.save(admin, _COMMUNITY, '{"minimumEditCounts": 0}')
    assert not live.is_watched(place)
    community = live.store.communities.get(live.at.host)
    assert "did you mean minimumEditCount?" in community.faults[0]

    await live.save(admin, _COMMUNITY, "{}")
    assert live.is_watched(place)
    assert "watches 1 page for Ada Penrose" in live.at.ada.text(place)
    assert len(live.posted) == 3


async def test_hostile_templates_are_bounded_and_scripts_never_written_to(
    live: Live,
) -> None:
    ada, number = live.at.ada, 2_000
    call = f"{_CALL}|pages="
    titles = "; ".join(f"Nobody {each}" for each in range(number))

    await live.save(ada, "User:Ada Penrose/common.js", f"// {call}{_CLOCK}}}}}")
    assert live.posted == []
    await live.save(ada, "User:Ada Penrose/Long", f"{call}{titles}}}}}")
    nested = f"{call * 60}{_CLOCK}{'}}' * 60}"
    await live.save(ada, "User:Ada Penrose/Deep", f"<div>\n{nested}")

    assert not live.is_watched("User:Ada Penrose/common.js")
    assert not live.is_watched("User:Ada Penrose/Long")
    assert len(live.posted) <= 2
