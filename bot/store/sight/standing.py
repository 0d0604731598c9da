"""What people asked for, what is planned for them, and what became of the notes."""

from collections import defaultdict
from datetime import datetime

from sqlalchemy import Connection, func, select

from bot.records.watches import (
    CommunityPage,
    FailingPlan,
    PlanKind,
    Surface,
    ToldState,
    WatcherKind,
    Wish,
)
from bot.store import compatibility, sanitise
from bot.store.sight.ages import ages_by
from bot.store.sight.values.running import CommunitySight, TurnSight, WatchesSight
from bot.store.sight.values.waiting import Ages, PlansSight
from bot.store.sight.values.written import ToldSight
from bot.store.sight.work import NOTE_CHARS
from bot.store.standing_tables import (
    communities,
    plans,
    told_notes,
    turns,
    watched_pages,
    watches,
)

_MOST_PLANS = 20
_WAITING = "WAITING"


def planned(connection: Connection, now: datetime) -> PlansSight:
    """Count what waits to be planned, and tell what fails."""
    waits = plans.c.state == _WAITING
    counted = ages_by(connection, plans, plans.c.kind, plans.c.due_at, now, where=waits)
    note = func.substr(plans.c.note, 1, NOTE_CHARS).label("note")
    failing = connection.execute(
        select(
            plans.c.kind,
            plans.c.wiki,
            plans.c.subject,
            plans.c.attempts,
            plans.c.due_at,
            plans.c.changed_at,
            note,
        )
        .where(
            waits
            & plans.c.note.is_not(None)
            & compatibility.known(plans.c.kind, PlanKind)
        )
        .order_by(plans.c.changed_at.desc())
        .limit(_MOST_PLANS)
    )
    return PlansSight(
        waiting={kind: counted.get(kind.name, Ages()) for kind in PlanKind},
        failing=tuple(
            FailingPlan(
                Wish(PlanKind[row.kind], row.wiki, row.subject, row.due_at),
                row.attempts,
                row.note,
                row.changed_at,
            )
            for row in failing
        ),
    )


def told(connection: Connection) -> tuple[ToldSight, ...]:
    """Count the notes that people were shown, by check kind, and what became of them."""
    rows = connection.execute(
        select(told_notes.c.check_kind, told_notes.c.state, func.count())
        .group_by(told_notes.c.check_kind, told_notes.c.state)
        .order_by(told_notes.c.check_kind)
    )
    found: dict[str, dict[ToldState, int]] = defaultdict(
        lambda: dict.fromkeys(ToldState, 0)
    )
    for kind, state, count in rows:
        found[kind or ""][ToldState[state]] = count
    return tuple(
        ToldSight(
            kind,
            sum(states.values()),
            states[ToldState.SETTLED],
            states[ToldState.DISMISSED],
        )
        for kind, states in found.items()
    )


def watched(connection: Connection) -> tuple[WatchesSight, ...]:
    """Return the opt-ins in force on each wiki."""
    pages: dict[str, int] = dict(
        connection.execute(
            select(
                watched_pages.c.wiki, func.count(watched_pages.c.title.distinct())
            ).group_by(watched_pages.c.wiki)
        ).all()
    )
    kinds: dict[str, dict[WatcherKind, int]] = defaultdict(
        lambda: dict.fromkeys(WatcherKind, 0)
    )
    talk: dict[str, int] = defaultdict(int)
    chosen = select(watches.c.wiki, watches.c.kind, watches.c.surfaces)
    for wiki, kind, surfaces in connection.execute(chosen):
        kinds[wiki][WatcherKind[kind]] += 1
        talk[wiki] += Surface.TALK.name in sanitise.unlisted(surfaces)
    return tuple(
        WatchesSight(wiki, kinds[wiki], pages.get(wiki, 0), talk[wiki])
        for wiki in sorted(kinds)
    )


def configured(connection: Connection) -> tuple[CommunitySight, ...]:
    """Return the configuration pages of wikis as they were read last."""
    rows = connection.execute(select(communities).order_by(communities.c.wiki))
    return tuple(
        CommunitySight(
            row.wiki,
            CommunityPage(
                row.text, row.revision, row.read_at, sanitise.unlisted(row.faults)
            ),
        )
        for row in rows
    )


def in_turn(connection: Connection) -> tuple[TurnSight, ...]:
    """Return the scheduled tasks that ever had their turn."""
    rows = connection.execute(select(turns).order_by(turns.c.name))
    return tuple(
        TurnSight(row.name, row.began_at, row.holder, row.until) for row in rows
    )
