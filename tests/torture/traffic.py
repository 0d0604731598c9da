"""Everything that the program does with its store, by its own loops, on a wiki of ours.

Events come from the server of events, go through intake into the queue, and are looked
at by workers; planners plan what was found, publishers post it. Beside them threads do
what people ask for. Only the wiki and the checker are stand-ins: pages whose revisions
are numbers in memory that processes share, and verdicts that are always the same.
"""

import asyncio
import random
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bot.daemon.check import Checker
from bot.daemon.intake.event_stream import EventStreams, StreamSettings
from bot.daemon.intake.harvest import ChangeSelection
from bot.daemon.intake.queue import (
    ActiveWatches,
    QueueSink,
    Router,
    RouteRules,
)
from bot.daemon.intake.stream import Intake, IntakeLimits, Surroundings
from bot.daemon.roles import run_roles, until_stopped
from bot.daemon.runner import Runner
from bot.daemon.worker import Worker
from bot.demo.loopback.event_server import EventServer
from bot.records.posts import Append, Post, PostState
from bot.records.tasks import TaskState
from bot.records.watches import Plan, PlanKind
from bot.report import PageReport
from bot.store import Store
from bot.surfaces.planning.planner import planning
from bot.surfaces.planning.posts import Planned, PlanningTools, post_name
from bot.surfaces.post_summaries import Task
from bot.wiki.keys import Keys, short_name
from bot.wiki.pages import WikiPage
from bot.writing.publisher import Maker, Publisher
from handlers.model import PageId, Verdict
from handlers.ports import TemporaryError, Tools
from tests.bot.daemon.intake.world import WIKI, edit
from tests.fakes import FakeVerifier, Unheard
from tests.torture.hurry import Clock
from tests.torture.ledger import Ledger, Look
from tests.torture.pages import AnySource, Revisions, text_of, titles_of
from tests.torture.people import Chore, People

BOT = "SidenoteBot"
_STREAMS = ("mediawiki.recentchange",)
_CALM_LOOKS = 4
_PATIENCE_S = 90.0  # by a real clock
_SAID = " — the source says something else" * 200  # more than a block of a disk


class _NoWiki:
    """Stands where a planner of ours asks no wiki."""

    def __call__(self, wiki: str) -> Any:
        raise AssertionError(f"nobody asks {wiki}")


@dataclass
class Traffic:
    """What one process does.

    `revisions` holds the newest revision of each page, by title, for all processes.
    `maker` makes posts or shows them; `shown` is given each report. `stop` ends the
    edits and what people ask for; then all that waits is done, and the loops end.
    """

    number: int
    store: Store
    ledger: Ledger
    clock: Clock
    revisions: Revisions
    maker: Maker
    stop: Callable[[], bool]
    shown: Callable[[PageReport], None] = lambda _report: None
    chores: tuple[Chore, ...] = ()
    chance: random.Random = field(default_factory=random.Random)

    async def run(self) -> None:
        """Do it all until nothing is left."""
        people = People(
            self.number,
            self.store,
            self.ledger,
            self.clock,
            self.revisions,
            random.Random(self.chance.random()),
        )
        people.begin(self.chores)
        try:
            async with EventServer(now=self.clock) as server, _streams(server) as feed:
                await self._loops(server, feed, people)
        finally:
            people.end()

    async def _loops(
        self, server: EventServer, feed: EventStreams, people: People
    ) -> None:
        intake = self._intake(feed)

        async def read(stop: asyncio.Event) -> None:
            await until_stopped(intake.run(self.clock()), stop)

        async def live(stop: asyncio.Event) -> None:
            await self._edit(server, lambda: intake.health.is_connected)
            await asyncio.to_thread(people.end)
            await self._rest()
            stop.set()

        roles = {
            "intake": read,
            "life": live,
            "worker 1": self._worker(1).runner.run,
            "worker 2": self._worker(2).runner.run,
            "planner": self._planner().run,
            "publisher": self._publisher().run,
        }
        await run_roles(roles, asyncio.Event(), grace_s=3_600)

    # --- the wiki -----------------------------------------------------------------

    async def _edit(self, server: EventServer, is_heard: Callable[[], bool]) -> None:
        while not is_heard():  # noqa: ASYNC110 - its health is told to nobody
            await asyncio.sleep(1)
        while not self.stop():
            title = self.chance.choice(titles_of(self.number))
            revision_id = self.revisions.next(title)
            now = self.clock()
            dt = now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
            event = edit(
                revision_id,
                title=title,
                timestamp=int(now.timestamp()),
                revision={"old": revision_id - 1, "new": revision_id},
                meta={"id": f"{title} at {revision_id}", "dt": dt},
            )
            server.publish(event)
            await asyncio.sleep(self.chance.uniform(0, 8))

    async def page(self, title: str, revision_id: int | None = None) -> WikiPage:
        """Fulfil `bot.daemon.check.PageReader`."""
        await asyncio.sleep(0)
        number = revision_id or self.revisions.of(title)
        return WikiPage(PageId(WIKI, title, revision_id=number), text_of(title, number))

    # --- the program's own loops --------------------------------------------------

    def _intake(self, feed: EventStreams) -> Intake:
        watches = ActiveWatches(self.store)
        router = Router(RouteRules(frozenset({WIKI}), BOT, "Project:None.json"))
        sink = QueueSink(
            f"feed {self.number}",
            self.store,
            watches,
            settle_s=0,
            trivial_settle_s=0,
            router=router,
        )
        around = Surroundings(
            self.clock,
            asyncio.sleep,
            random.random,
            lambda: self.clock().timestamp(),  # in the same hurry
        )
        wanted = ChangeSelection(frozenset({WIKI}))
        return Intake(feed, sink, wanted, limits=IntakeLimits(), surroundings=around)

    def _worker(self, number: int) -> Worker:
        verifier = FakeVerifier(defaultdict(lambda: Verdict.NOT_SUPPORTED))
        tools = Tools(AnySource(), verifier)
        return Worker(
            f"worker {self.number}.{number}",
            self.store,
            wiki=lambda _wiki: self,
            checker=Checker(tools, Unheard(), now=self.clock),
            now=self.clock,
            draw=random.random,
            shown=self._shown,
        )

    def _shown(self, report: PageReport) -> None:
        page = report.page.id
        claims = len(report.checks) + len(report.unchanged)
        self.ledger.checks.append(
            Look(page.title, page.revision_id or 0, report.checked_at, claims)
        )
        self.shown(report)

    def _planner(self) -> Runner:
        keys = Keys((b"a secret of the tests that is long enough",))
        tools = PlanningTools(
            self.store, keys, BOT, _NoWiki(), self.clock, is_dry=False
        )
        kinds = (PlanKind.REPORT, PlanKind.TALK)
        return Runner(
            "planner",
            tools.store.tasks,
            planning(tools, dict.fromkeys(kinds, self._plan)),
            tools.now,
            random.random,
        )

    async def _plan(self, plan: Plan) -> Planned:
        return await asyncio.to_thread(self._planned, plan)

    def _planned(self, plan: Plan) -> Planned:
        intended_post, store = plan.task, self.store
        pages: tuple[str, ...]
        if intended_post.kind is PlanKind.TALK:
            task, place, pages = (
                Task.TALK,
                f"Talk:{intended_post.subject}",
                (intended_post.subject,),
            )
        else:
            watch = store.watches.get(WIKI, intended_post.subject)
            if watch is None or not watch.report:
                return Planned()
            task, place, pages = Task.REPORT, watch.report, watch.pages
        identities = {note.identity for note in store.shown_notes.on(WIKI, place)}
        found = {
            suggestion.suggestion.identity
            for page in pages
            for suggestion in store.suggestions_of(WIKI, page)
        }
        if not found - identities:
            return Planned()
        name = post_name(plan.task.wiki, place, task, self.clock(), token=plan.token)
        post = Post(
            name,
            WIKI,
            place,
            task.value,
            Append(f"\n\n* {name}: {len(found - identities)} notes{_SAID}"),
            f"Notes ({short_name(name)})",
            self.clock(),
            user="Ada",
            plan=intended_post.kind,
            subject=intended_post.subject,
            adds=tuple(sorted(found - identities)),
            settles=tuple(sorted(identities - found))[:20],
        )
        return Planned((post,))

    def _publisher(self) -> Publisher:
        outbox = self.store.outbox
        return Publisher(WIKI, outbox, self.maker, self.clock, random.random, 1.0)

    # --- the end ---------------------------------------------------------------------

    async def _rest(self) -> None:
        """Wait until all that was asked for is done."""
        until_s = time.monotonic() + _PATIENCE_S
        calm, left = 0, {"looks": 1}
        while calm < _CALM_LOOKS:
            if time.monotonic() > until_s:
                self.ledger.faults.append(f"it never came to rest: {left}")
                return
            try:
                left = await asyncio.to_thread(self._left)
            except TemporaryError:
                left = {"store": 1}
            calm = 0 if any(left.values()) else calm + 1
            await asyncio.sleep(3)

    def _left(self) -> dict[str, int]:
        jobs, plans = self.store.jobs.state().counts, self.store.plans.state()
        posts = self.store.outbox.counts()
        edited = set(self.revisions.edited()) & set(titles_of(self.number))
        checks = {title: self.store.last_check(WIKI, title) for title in edited}
        return {
            "old looks": sum(
                not last or last.page.revision_id != self.revisions.of(title)
                for title, last in checks.items()
            ),
            "jobs": jobs[TaskState.WAITING] + jobs[TaskState.LEASED],
            "plans": sum(plans.waiting.values()) + sum(plans.leased.values()),
            "posts": posts[PostState.WAITING] + posts[PostState.TRIED],
        }


def _streams(server: EventServer) -> EventStreams:
    settings = StreamSettings(
        server.address,
        _STREAMS,
        "Sidenote/test (mail@example.org)",
        connect_s=600,
        answer_s=600,
    )
    return EventStreams(settings)
