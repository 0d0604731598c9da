"""The intake: follows the change feed, fills its gaps, and looks for pages to watch."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from random import random
from typing import TYPE_CHECKING

from bot.app.wiring.wiki import World, now, user_agent
from bot.daemon.roles import Role, until_stopped
from bot.daemon.schedule import ScheduledTask
from bot.records.changes import ChangeKind
from bot.records.watches import IntendedPost, PlanKind
from bot.settings import Settings

if TYPE_CHECKING:
    from bot.daemon.intake.queue import QueueSink
    from bot.daemon.intake.stream import Health
    from bot.store import Store

_KINDS = frozenset(ChangeKind) - {ChangeKind.CATEGORY, ChangeKind.OTHER}
_BACKFILL_S = 60.0
_RECHECK_S = 600.0
_RECHECKS = 200  # pages at once, so that new changes are checked first
_DAY_S = 86_400.0


@dataclass(frozen=True, slots=True)
class OpenedIntake:
    """The role that follows the feed, its scheduled tasks, and its state."""

    follow: Role
    tasks: tuple[ScheduledTask, ...]
    health: "Callable[[], Health]"


_LISTS_APART = 4.0  # times as long as a wiki needs to add an edit to its lists


@asynccontextmanager
async def open_intake(
    settings: Settings, store: "Store", world: World, since: datetime | None
) -> AsyncIterator[OpenedIntake]:
    """Open the intake from the feed of `world`.

    Args:
        settings: in force.
        store: keeps what is read.
        world: the wikis, or a stand-in for them.
        since: also handle changes made since then.
    """
    from bot.daemon.intake.backfill import Backfill
    from bot.daemon.intake.event_stream import (
        EventStreams,
        StreamSettings,
    )
    from bot.daemon.intake.harvest import ChangeSelection
    from bot.daemon.intake.stream import (
        Intake,
        IntakeLimits,
        Surroundings,
    )

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
    stream_settings = StreamSettings(
        world.stream, settings.streams, user_agent(settings)
    )
    async with EventStreams(stream_settings) as streams:
        intake = Intake(
            streams,
            sink_of(feed),
            wanted,
            limits=limits,
            surroundings=around,
            our_names=(world.bot,),
        )

        is_asked = asyncio.Event()

        async def follow(stop: asyncio.Event) -> None:
            if since is not None:
                await backfill.ask(since)
            is_asked.set()
            await until_stopped(intake.run(since), stop)

        async def fill() -> None:
            await is_asked.wait()  # otherwise `since` would wait for the next run
            await backfill.fill()

        yield OpenedIntake(
            follow,
            (
                ScheduledTask("backfill", _BACKFILL_S, fill),
                ScheduledTask(
                    "re-checks", _RECHECK_S, partial(_recheck, store, settings)
                ),
                *_sweeps(settings, store, world),
            ),
            lambda: intake.health,
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

    def sink_of(feed: str) -> QueueSink:
        watches = ActiveWatches(store)
        return QueueSink(
            feed=feed,
            store=store,
            watched=watches,
            settle_s=settings.settle_s,
            trivial_settle_s=max(settings.settle_s, settings.trivial_settle_s),
            router=Router(rules),
        )

    return sink_of


async def _recheck(store: "Store", settings: Settings) -> None:
    """Queue pages that may have claims due for another check; the check finds out which."""
    old_s = min(settings.recheck_days, settings.recheck_unread_days) * _DAY_S
    jobs = await asyncio.to_thread(store.watches.stale, now(), old_s, _RECHECKS)
    if jobs:
        await asyncio.to_thread(store.jobs.put, jobs)


def _sweeps(
    settings: Settings, store: "Store", world: World
) -> Iterator[ScheduledTask]:
    """Yield the tasks that look for pages to watch, on each wiki."""
    for wiki in world.wikis:
        yield ScheduledTask(
            f"opt-ins of {wiki}",
            settings.opt_in_sweep_s,
            partial(_ask_for_opt_ins, store, wiki),
        )
        if settings.bot_watchlist_token.get_secret_value():
            yield ScheduledTask(
                f"watchlist of {wiki}",
                settings.opt_in_sweep_s,
                partial(_sweep_watchlist, store, world, wiki),
            )


async def _ask_for_opt_ins(store: "Store", wiki: str) -> None:
    intended_post = IntendedPost(PlanKind.OPT_INS, wiki, "", now())
    await asyncio.to_thread(store.plans.ask, [intended_post], now())


async def _sweep_watchlist(store: "Store", world: World, wiki: str) -> None:
    from bot.daemon.intake.watchlist import sweep_watchlist

    await sweep_watchlist(world.lists(wiki), store, wiki, world.bot, now())
