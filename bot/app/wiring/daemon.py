"""The daemon: the roles of one process, built from the settings and its world."""

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum
from functools import partial
from random import random
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from bot import __version__
from bot.app.wiring.checks import open_checker
from bot.app.wiring.language_model import PagesPay, open_language_model
from bot.app.wiring.serving import Backend, feedback_rules, open_feedback
from bot.app.wiring.sources import make_extractor, open_web
from bot.app.wiring.wiki import World, holder, local_pages, now, user_agent
from bot.daemon.local_reports import LocalReports
from bot.daemon.progress import LoggedProgress
from bot.daemon.roles import Role, until_stopped
from bot.daemon.schedule import ClockWatch, Schedule, ScheduledTask
from bot.records.changes import ChangeKind
from bot.records.dossiers import StoredDraft
from bot.records.spending import PaidModel, payers_of
from bot.records.watches import IntendedPost, PlanKind, Policy, WatcherKind
from bot.settings import Settings
from handlers.model import PageId
from handlers.ports import PermanentError

if TYPE_CHECKING:
    from bot.daemon.check import Checker
    from bot.daemon.discoverer import Discoverer
    from bot.daemon.drafter import Drafter
    from bot.daemon.intake.queue import QueueSink
    from bot.daemon.intake.stream import Health
    from bot.daemon.progress import Progress
    from bot.daemon.runner import Runner
    from bot.daemon.web.guard import Mount
    from bot.report import PageReport
    from bot.store import Store
    from bot.surfaces.planning.posts import PlanningTools
    from bot.writing.publisher import Publisher

_KINDS = frozenset(ChangeKind) - {ChangeKind.CATEGORY, ChangeKind.OTHER}
_BACKFILL_S = 60.0
_PENDING_S = 60.0
_RECHECK_S = 600.0
_RECHECKS = 200  # pages at once, so that new changes are checked first
_LISTS_APART = 4.0  # times as long as a wiki needs to add an edit to its lists
_SWEEP_S = 3600.0
_FORGET_S = 300.0
_REPORTS_S = 900.0
_PAGE_S = 60.0  # expected for checking a page; most of it is waiting
_DAY_S = 86_400.0
_KEPT_DAYS = 30.0  # as in the database
_SAVE_PAGE = "https://web.archive.org/save"
_ARCHIVED_A_DAY = 500
_NAME_CHARS = 100  # of a task's name


class Part(Enum):
    """The parts of the daemon; each can run in a process of its own.

    READ reads sources for workers that leave that to others, as set in `sources_read`.
    """

    INTAKE = "intake"
    WORK = "work"
    READ = "read"
    PUBLISH = "publish"
    SERVE = "serve"


WHOLE = frozenset(Part) - {Part.READ}
"""The roles of a process that does everything: its workers read sources themselves."""


@dataclass(slots=True)
class Daemon:
    """The roles of one process.

    `health` returns the state of its intake, if it has one; `address` is where it
    serves its pages, if it does.
    """

    settings: Settings
    store: "Store"
    world: World
    roles: dict[str, Role] = field(default_factory=dict)
    tasks: list[ScheduledTask] = field(default_factory=list)
    health: "Callable[[], Health] | None" = None
    address: str = ""

    def run(self, name: str, runner: "Runner | Publisher") -> None:
        """Add the role of a runner, or of a publisher."""
        self.roles[name] = partial(runner.run, idle_s=self.world.idle_s)

    def every(
        self, interval_s: float, name: str, task: Callable[[], Awaitable[None]]
    ) -> None:
        """Add a scheduled task."""
        self.tasks.append(ScheduledTask(name, interval_s, task))


@asynccontextmanager
async def open_daemon(
    settings: Settings,
    store: "Store",
    world: World,
    parts: frozenset[Part],
    *,
    since: datetime | None = None,
    shown: "Callable[[PageReport], None] | None" = None,
    backend: Backend | None = None,
    progress: "Progress | None" = None,
) -> AsyncIterator[Daemon]:
    """Open the roles of `parts`, ready to run.

    Args:
        settings: in force.
        store: opened with the rules of posts.
        world: the wikis, or a stand-in for them.
        parts: what this process does.
        since: also handle changes made since then.
        shown: receives the report of each page that was checked.
        backend: opens what is served to readers of the panel.
        progress: receives the progress of each check; without it, progress is logged.
    """
    daemon = Daemon(settings, store, world)
    async with AsyncExitStack() as opened:
        if Part.INTAKE in parts:
            await _add_intake(daemon, opened, since)
        if Part.WORK in parts:
            await _add_workers(daemon, opened, shown, progress or LoggedProgress())
        if Part.READ in parts:
            await _add_readers(daemon, opened)
        if Part.PUBLISH in parts:
            _add_publishing(daemon)
        if Part.SERVE in parts:
            await _add_server(daemon, opened, backend)
        if Part.WORK in parts and settings.save_page_keys.get_secret_value():
            _add_archive_requests(daemon)
        if parts - {Part.SERVE}:
            daemon.every(_SWEEP_S, "retention", partial(_sweep, settings, store))
            _add_health_watch(daemon)
            # The files belong to this machine; the database is shared.
            files = f"files of {holder().rpartition(':')[0]}"[:_NAME_CHARS]
            forget = partial(_forget_files, settings, store)
            daemon.every(_SWEEP_S, files, forget)
            schedule = Schedule(daemon.tasks, store, holder(), now)
            daemon.roles["schedule"] = schedule.run
            daemon.roles["clock"] = ClockWatch(store, now).run
        named = [part.value for part in Part if part in parts]
        _add_heartbeats(daemon, named)
        yield daemon


async def _add_intake(
    daemon: Daemon, opened: AsyncExitStack, since: datetime | None
) -> None:
    """Follow the change feed, fill its gaps, and look for pages to watch."""
    from bot.daemon.intake.backfill import Backfill
    from bot.daemon.intake.event_stream import EventStreams, StreamSettings
    from bot.daemon.intake.harvest import ChangeSelection
    from bot.daemon.intake.stream import Intake, IntakeLimits, Surroundings

    settings, store, world = daemon.settings, daemon.store, daemon.world
    feed, sink_of = ",".join(settings.streams), _sinks(settings, store, world)
    wanted = ChangeSelection(wikis=frozenset(world.wikis), kinds=_KINDS)
    limits = IntakeLimits(silence_s=settings.stream_silence_s)
    around = Surroundings(now, asyncio.sleep, random)
    backfill = Backfill(
        feed,
        [world.lists(wiki) for wiki in world.wikis],
        sink_of,
        store.feeds,
        wanted,
        limits=limits,
        surroundings=around,
    )
    stream = StreamSettings(world.stream, settings.streams, user_agent(settings))
    intake = Intake(
        await opened.enter_async_context(EventStreams(stream)),
        sink_of(feed),
        wanted,
        limits=limits,
        surroundings=around,
        our_names=(world.bot,),
    )
    is_backfill_requested = asyncio.Event()

    async def follow(stop: asyncio.Event) -> None:
        if since is not None:
            await backfill.ask(since)
        is_backfill_requested.set()
        await until_stopped(intake.run(since), stop)

    async def fill() -> None:
        await (
            is_backfill_requested.wait()
        )  # otherwise `since` would wait for the next run
        await backfill.fill()

    daemon.roles["intake"] = follow
    daemon.health = lambda: intake.health
    daemon.every(_BACKFILL_S, "backfill", fill)
    daemon.every(_RECHECK_S, "re-checks", partial(_recheck, store, settings))
    if settings.patrol:
        _add_pending_edits(daemon)
    for wiki in world.wikis:
        ask = partial(_ask_for_opt_ins, store, wiki)
        daemon.every(settings.opt_in_sweep_s, f"opt-ins of {wiki}", ask)
        if settings.bot_watchlist_token.get_secret_value():
            sweep = partial(_sweep_watchlist, store, world, wiki)
            daemon.every(settings.opt_in_sweep_s, f"watchlist of {wiki}", sweep)


def patrolled(settings: Settings, world: World) -> tuple[str, ...]:
    """Return the wikis all of whose edits are looked at.

    Raises:
        PermanentError: one of them is not watched.
    """
    from bot.wiki.address import parse_address
    from bot.wiki.pages import RevisionReader

    named = [one for one in settings.patrol if one != "on"]
    hosts = {parse_address(one).host for one in named}
    if unknown := sorted(hosts - set(world.wikis)):
        raise PermanentError(
            f"{unknown[0]} in `patrol` is not a watched wiki; add it to `wikis`"
        )
    if len(named) < len(settings.patrol):
        hosts = set(world.wikis)
    return tuple(
        wiki
        for wiki in world.wikis
        if wiki in hosts and isinstance(world.pages(wiki), RevisionReader)
    )


def _sinks(
    settings: Settings, store: "Store", world: World
) -> "Callable[[str], QueueSink]":
    from bot.daemon.intake.queue import (
        ActiveWatches,
        QueueSink,
        Router,
        RouteRules,
    )

    rules = RouteRules(
        frozenset(world.wikis),
        world.bot,
        settings.community_page,
        list_in_s=settings.links_settle_s,
        list_every_s=_LISTS_APART * settings.links_settle_s,
    )

    wikis = frozenset(patrolled(settings, world)) if settings.patrol else frozenset()

    def sink_of(feed: str) -> QueueSink:
        watches = ActiveWatches(store)
        return QueueSink(
            feed=feed,
            store=store,
            watched=watches,
            settle_s=settings.settle_s,
            trivial_settle_s=max(settings.settle_s, settings.trivial_settle_s),
            router=Router(rules),
            patrolled=wikis,
        )

    return sink_of


async def _recheck(store: "Store", settings: Settings) -> None:
    """Queue pages that may have claims due for another check; the check finds out which."""
    old_s = min(settings.recheck_days, settings.recheck_unread_days) * _DAY_S
    jobs = await asyncio.to_thread(store.watches.stale, now(), old_s, _RECHECKS)
    if jobs:
        await asyncio.to_thread(store.jobs.put, jobs)


async def _ask_for_opt_ins(store: "Store", wiki: str) -> None:
    intended_post = IntendedPost(PlanKind.OPT_INS, wiki, "", now())
    await asyncio.to_thread(store.plans.ask, [intended_post], now())


async def _sweep_watchlist(store: "Store", world: World, wiki: str) -> None:
    from bot.daemon.intake.queue import sweep_watchlist

    await sweep_watchlist(world.lists(wiki), store, wiki, world.bot, now())


async def _add_workers(
    daemon: Daemon,
    opened: AsyncExitStack,
    shown: "Callable[[PageReport], None] | None",
    progress: "Progress",
) -> None:
    from bot.daemon.supplied import SuppliedChecks
    from bot.daemon.worker import Worker
    from bot.records.jobs import UnansweredPages

    settings, unanswered = daemon.settings, UnansweredPages()
    model = await opened.enter_async_context(
        open_language_model(settings, daemon.store)
    )
    checker = await opened.enter_async_context(
        open_checker(
            settings,
            daemon.world.sources,
            progress,
            model,
            store=daemon.store,
            services=daemon.world.services,
        )
    )
    extractor = await opened.enter_async_context(make_extractor(settings))
    supplied = SuppliedChecks(
        name=f"{holder()}:supplied",
        store=daemon.store,
        wiki=daemon.world.pages,
        checker=checker,
        extractor=extractor,
        now=now,
        draw=random,
    )
    daemon.run("supplied texts", supplied.runner)
    local = LocalReports(settings.data_dir / "reports")

    def show(report: "PageReport") -> None:
        local.keep(report)
        if shown is not None:
            shown(report)

    for number in range(1, settings.workers + 1):
        worker = Worker(
            name=f"{holder()}:{number}",
            store=daemon.store,
            wiki=daemon.world.pages,
            checker=checker,
            now=now,
            draw=random,
            shown=show,
            unanswered=unanswered,
        )
        daemon.run(f"worker {number}", worker.runner)
    if settings.patrol:
        _add_patrol(daemon, checker)
    _add_outcomes(daemon)
    daemon.roles["updates"] = _updates_role(settings, daemon.store, daemon.world, model)
    daemon.roles["drafts"] = _drafts_role(settings, daemon.store, daemon.world, model)


def _add_pending_edits(daemon: Daemon) -> None:
    """Put edits first that wait for review, where a wiki reviews edits."""
    from bot.daemon.intake.pending import PendingEdits

    settings, world = daemon.settings, daemon.world
    pending = PendingEdits(
        daemon.store, world.lists, patrolled(settings, world), now, settings.settle_s
    )
    daemon.every(_PENDING_S, "pending edits", pending.run)


def _add_patrol(daemon: Daemon, checker: "Checker") -> None:
    from bot.daemon.patrol import Patrol, StopPages

    settings, world = daemon.settings, daemon.world
    stops = StopPages(world.lists, world.bot, now, is_needed=not world.is_dry)
    patrol = Patrol(
        name=f"{holder()}:patrol",
        store=daemon.store,
        wiki=world.pages,
        lets_run=stops.lets_run,
        checker=checker,
        now=now,
        draw=random,
        sources_per_day=settings.patrol_sources_per_day,
    )
    # Edits gather meanwhile, so that more of them share a request.
    idle_s = _PATIENCE * world.idle_s
    daemon.roles["patrol"] = partial(patrol.runner.run, idle_s=idle_s)


def _add_outcomes(daemon: Daemon) -> None:
    """Look again at edits that were noted, also without a patrol."""
    from bot.daemon.outcomes import OutcomeSweep
    from bot.daemon.patrol import StopPages

    world = daemon.world
    stops = StopPages(world.lists, world.bot, now, is_needed=False)
    sweep = OutcomeSweep(daemon.store.noted_edits, world.lists, stops.lets_run, now)
    daemon.every(_SWEEP_S, "noted edits", partial(sweep.run, world.wikis))


async def _add_readers(daemon: Daemon, opened: AsyncExitStack) -> None:
    """Read sources for others, as many at once as hosts may be requested."""
    from bot.daemon.sources import Fetcher

    settings, store = daemon.settings, daemon.store
    extractor = await opened.enter_async_context(make_extractor(settings))
    web = await opened.enter_async_context(open_web(settings, extractor, store))
    fetcher = Fetcher(f"{holder()}:read", store, web, now, settings.hosts_at_once)
    daemon.run("reader", fetcher.runner)
    daemon.every(_FORGET_S, "readings", partial(_forget_fetches, store))


def _add_publishing(daemon: Daemon) -> None:
    from bot.daemon.runner import Runner
    from bot.search.services.page_lists import PageLists
    from bot.settings.daemon import list_addresses, tokens_of
    from bot.surfaces.panel_edits import PanelEditSweep
    from bot.surfaces.planning.accuracy import Accuracy
    from bot.surfaces.planning.current_page import community_of
    from bot.surfaces.planning.opt_ins import OptInRules, OptIns
    from bot.surfaces.planning.page_lists import ListRules
    from bot.surfaces.planning.planner import handlers, planning
    from bot.surfaces.planning.posts import PlanningTools
    from bot.surfaces.problem_reports import read_reports

    world, settings = daemon.world, daemon.settings
    tools = PlanningTools(
        store=daemon.store,
        keys=world.keys(),
        bot=world.bot,
        reader=world.lists,
        now=now,
        is_dry=world.is_dry,
        rewrite_s=settings.report_pause_s,
        feedback=open_feedback(settings, daemon.store),
    )
    services = list_addresses(settings.list_services)
    petscan, pagepile = (services.get(name, "") for name in ("petscan", "pagepile"))
    rules = OptInRules(
        settings.community_page,
        settings.opt_in_sweep_s,
        ListRules(
            PageLists(petscan, pagepile, user_agent(settings)),
            tokens_of(settings.watchlist_tokens),
            page_s=_PAGE_S / max(settings.workers, 1),
            page_money=daemon.store.spending.of_a_page,
        ),
    )
    opt_ins = OptIns(tools, rules)
    works = planning(tools, handlers(tools, opt_ins))
    planner = Runner(f"{holder()}:planner", daemon.store.tasks, works, now, random)
    daemon.run("planner", planner)
    for wiki in world.wikis:
        daemon.run(f"publisher of {wiki}", world.publisher(wiki, daemon.store))
    read = partial(
        read_reports,
        daemon.store.problem_reports,
        world.wikis,
        world.lists,
        world.bot,
        now,
    )
    daemon.every(_REPORTS_S, "problem reports", read)
    edits = PanelEditSweep(
        daemon.store.panel_edits,
        world.lists,
        lambda wiki: community_of(daemon.store, wiki).namespaces,
        world.bot,
        now,
    )
    daemon.every(_SWEEP_S, "edits of the panel", partial(edits.run, world.wikis))
    accuracy = Accuracy(
        tools,
        feedback_rules(settings),
        __version__,
        partial(_data_address, settings.panel_address),
    )
    daemon.every(_SWEEP_S, "accuracy", partial(accuracy.run, world.wikis))
    daemon.every(_DAY_S, "digests", partial(_plan_reports, daemon.store))
    _add_own_pages(daemon, tools)


def _add_archive_requests(daemon: Daemon) -> None:
    from bot.daemon.sources import ARCHIVE_EVERY_S, ArchiveRequests, SavePageNow

    keys = daemon.settings.save_page_keys.get_secret_value()
    archive = SavePageNow(_SAVE_PAGE, keys, user_agent(daemon.settings))
    requests = ArchiveRequests(daemon.store.links, archive, _ARCHIVED_A_DAY, now)
    daemon.every(ARCHIVE_EVERY_S, "archive requests", requests.run)


def _data_address(panel: str, wiki: str) -> str:
    """Return where a wiki's public figures are served; empty if nowhere."""
    query = urlencode({"wiki": wiki})
    return f"{panel.rstrip('/')}/api/v1/accuracy?{query}" if panel else ""


def _add_own_pages(daemon: Daemon, tools: "PlanningTools") -> None:
    from bot.surfaces.planning.own_pages import PAUSE_S, DryPage, OwnPage, StatusPage

    world, local = daemon.world, local_pages(daemon.settings)
    pages: list[OwnPage] = []
    if world.dry_page:
        pages.append(DryPage(tools, world.wikis[0], world.dry_page, local.where))
    if daemon.settings.status_page and not world.is_dry:
        pages.append(StatusPage(tools, world.wikis[0], daemon.settings.status_page))

    async def refresh(page: OwnPage) -> None:
        await page.refresh()

    for page in pages:
        daemon.every(PAUSE_S, f"{page.task.value} page", partial(refresh, page))


def _add_health_watch(daemon: Daemon) -> None:
    from bot.app.wiring.serving import read_situation
    from bot.daemon.health_watch import EVERY_S, HealthWatch, Mail, Webhook

    settings = daemon.settings
    channels = [
        Webhook(way) if isinstance(way, str) else Mail(way.server, way.address)
        for way in settings.alert_ways
    ]
    watch = HealthWatch(
        store=daemon.store,
        read_situation=read_situation(settings, daemon.store),
        wikis=daemon.world.wikis,
        reader=daemon.world.lists,
        channels=channels,
        now=now,
    )
    daemon.every(EVERY_S, "health", watch)


async def _add_server(
    daemon: Daemon, opened: AsyncExitStack, backend: Backend | None
) -> None:
    from bot.app.wiring.serving import open_server

    mounts: Sequence[Mount] = ()
    if backend is not None:
        mounts = await opened.enter_async_context(
            backend(daemon.settings, daemon.store, daemon.world)
        )
    server = open_server(daemon.settings, daemon.store, mounts)
    daemon.address = await opened.enter_async_context(server)


async def _plan_reports(store: "Store") -> None:
    """Plan every report once a day, whatever has happened."""
    intended_posts = [
        IntendedPost(PlanKind.REPORT, watch.wiki, watch.place, now())
        for watch in await asyncio.to_thread(store.watches.all)
        if watch.report
    ]
    await asyncio.to_thread(store.plans.ask, intended_posts, now())


async def _forget_fetches(store: "Store") -> None:
    await asyncio.to_thread(store.fetches.forget, now())


async def _sweep(settings: Settings, store: "Store") -> None:
    from bot.store import SweepRules

    rules = SweepRules(closed_days=settings.closed_days)
    await asyncio.to_thread(store.sweep, now(), rules)
    # Also without a reader: workers leave requests behind, and readers answers.
    await asyncio.to_thread(store.fetches.forget, now())


async def _forget_files(settings: Settings, store: "Store") -> None:
    """Remove old local pages and reports that are no longer wanted."""
    before = now() - timedelta(days=_KEPT_DAYS)
    watches = await asyncio.to_thread(store.watches.all)
    pages, reports = local_pages(settings), LocalReports(settings.data_dir / "reports")
    for folder in (pages, reports):
        await asyncio.to_thread(folder.forget, before, watches)
    found = store.first_checks()
    await asyncio.to_thread(reports.forget_taken_back, found, before, now())


_PATIENCE = 10  # times the usual pause when there is nothing to do


def _updates_role(
    settings: Settings, store: "Store", world: World, model: PaidModel | None
) -> "Role":
    """Return the role; its searches are opened for each page and closed again.

    Few installations have pages with `updates` switched on; the others need neither the
    memory nor the time.
    """

    @asynccontextmanager
    async def discoverer(page: PageId, policy: Policy) -> AsyncIterator["Discoverer"]:
        from bot.app.wiring.updates import open_discoverer
        from bot.daemon.updates import StoredCriteria

        folder = world.sources
        paid = await PagesPay(model, store)(page) if model else None
        # Results of services are read from the web; without services, only the folder
        # is read.
        async with open_discoverer(
            settings,
            paid,
            sources_folder=folder if world.services == "" else None,
            folders=(folder,) if folder else (),
            services=world.services,
            wiki=world.addresses.get(page.wiki, page.wiki),
            words_edits=policy is Policy.WORDING,
            cache=StoredCriteria(store, now),
            store=store,
        ) as opened:
            yield opened

    async def run(stop: asyncio.Event) -> None:
        from bot.daemon.updates import UpdateRules, UpdateSearch
        from handlers.updates.suggestions import Thresholds

        search = UpdateSearch(
            name=f"{holder()}:updates",
            store=store,
            wiki=world.pages,
            discoverer=discoverer,
            now=now,
            draw=random,
            rules=UpdateRules(
                settings.updates_every_days,
                settings.updates_days,
                settings.updates_time_s,
            ),
            bar=Thresholds(overrides=settings.operating_points),
            model=model.engine.version if model else "",
        )
        await search.runner.run(stop, idle_s=_PATIENCE * world.idle_s)

    return run


def _drafts_role(
    settings: Settings, store: "Store", world: World, model: PaidModel | None
) -> "Role":
    """Return the role; its tools are opened for each draft and closed again.

    Few wikis allow drafts; elsewhere neither the memory nor the time is needed.
    """

    def drafter(
        order: StoredDraft, policy: Policy
    ) -> AbstractAsyncContextManager["Drafter"]:
        from bot.app.wiring.drafts import open_drafter
        from bot.daemon.threads import ModelOfLoop, in_own_loop
        from bot.store.tasks import tenant_of

        across = None
        if model is not None:
            person = tenant_of(WatcherKind.USER.name, order.watcher)
            paid = model.paid_by(payers_of(order.wiki, order.page, person))
            across = ModelOfLoop(paid, asyncio.get_running_loop())
        folder = world.sources
        return open_drafter(
            settings,
            across,
            folders=(folder,) if folder else (),
            services=world.services,
            wiki=world.addresses.get(order.wiki, order.wiki),
            may_word=policy is not Policy.POINTER,
            store=store,
            run_in=in_own_loop,
        )

    async def run(stop: asyncio.Event) -> None:
        from bot.daemon.drafts import Drafting

        role = Drafting(
            store=store,
            wiki=world.lists,
            drafter=drafter,
            now=now,
            bot=world.bot,
            time_s=float(settings.draft_time_s),
            name=f"{holder()}:drafts",
            model=model.engine.version if model else "",
        )
        await role.runner.run(stop, idle_s=_PATIENCE * world.idle_s)

    return run


def _add_heartbeats(daemon: Daemon, parts: Sequence[str]) -> None:
    """Add the heartbeat in the database, and the one on this machine.

    `sidenote alive` looks for the latter. `parts` are names of what this process does,
    as in `bot.daemon.status.situation.ROLES`.
    """
    from bot.daemon.heartbeat import (
        HeartbeatFile,
        HeartbeatSender,
        ReadVitals,
        only_runs,
        vitals_of_intake,
    )
    from bot.daemon.heartbeat_check import FOLDER
    from bot.daemon.status.situation import INTAKE

    vitals: dict[str, ReadVitals] = dict.fromkeys(parts, only_runs)
    if daemon.health is not None:
        vitals[INTAKE] = vitals_of_intake(daemon.health)
    host, every_s = socket.gethostname(), daemon.settings.heartbeat_s
    sender = HeartbeatSender(daemon.store, vitals, host, os.getpid(), now, every_s)
    folder = daemon.settings.data_dir / FOLDER
    daemon.roles["heartbeat"] = sender.run
    daemon.roles["heartbeat file"] = HeartbeatFile(folder, parts, every_s).run
