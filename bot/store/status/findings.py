"""What was checked, what was found, and what people made of it."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from sqlalchemy import Connection, Select, case, func, select

from bot.records.spending import PayerKind
from bot.records.watches import (
    CommunityPage,
    PlanKind,
    Surface,
    ToldState,
    WatcherKind,
)
from bot.store import sanitise
from bot.store.decisions import count_decisions, tallies
from bot.store.posts import IS_PLAN, failing_plans
from bot.store.schema import (
    checks,
    communities,
    model_uses,
    pages,
    revisions,
    source_readings,
    spending,
    spending_parts,
    suggestions,
    tasks,
    told_notes,
    turns,
    watched_pages,
    watches,
)
from bot.store.spending import BILLION
from bot.store.status.values import (
    DAY_S,
    WEEK_S,
    Ages,
    CommunitySight,
    DayOfChecks,
    DecidedSight,
    FindingsSight,
    ModelCost,
    PlansSight,
    SourcesSight,
    SpendingSight,
    ToldSight,
    TurnSight,
    WatchesSight,
)
from bot.store.status.work import NOTE_CHARS, ages_by
from bot.store.tasks import WAITING
from handlers.model import CheckKind, SourceOutcome, Verdict

_DAYS = 7
_VERDICTS = {verdict: checks.c[verdict.name.lower()] for verdict in Verdict}

_MOST_PLANS = 20


def costs_since(connection: Connection, then: datetime) -> tuple[ModelCost, ...]:
    """Sum up what each model took in checks after `then`, by name."""
    counted = (
        model_uses.c.calls,
        model_uses.c.remembered,
        model_uses.c.input_tokens,
        model_uses.c.output_tokens,
        model_uses.c.billionths,
    )
    rows = connection.execute(
        select(model_uses.c.model, *map(func.sum, counted))
        .where(model_uses.c.used_at > then)
        .group_by(model_uses.c.model)
        .order_by(model_uses.c.model)
    )
    return tuple(
        ModelCost(
            model,
            int(calls),
            int(remembered),
            int(told_in),
            int(told_out),
            Decimal(int(billionths)) / BILLION,
        )
        for model, calls, remembered, told_in, told_out, billionths in rows
    )


def findings(
    connection: Connection, now: datetime, told: tuple[ToldSight, ...]
) -> FindingsSight:
    """Sum up the checks of the last week and all suggestions that are kept."""
    standing = _open(connection)
    return FindingsSight(
        pages=connection.scalar(select(func.count()).select_from(pages)) or 0,
        last_check_at=connection.scalar(select(func.max(checks.c.checked_at))),
        days=_days(connection, now),
        flagged={kind: standing.get(kind.name, 0) for kind in CheckKind},
        doubtful=standing.get(None, 0),
        closed=connection.scalar(
            select(func.count()).where(suggestions.c.closed_at.is_not(None))
        )
        or 0,
        sources_day=_sources(connection, now, DAY_S),
        sources_week=_sources(connection, now, WEEK_S),
        told=told,
    )


def _days(connection: Connection, now: datetime) -> tuple[DayOfChecks, ...]:
    """Return the sums of each of the last days; all from one look at the table."""
    edges = [now - timedelta(days=days) for days in range(_DAYS + 1)]
    day = case(
        *((checks.c.checked_at > edge, at) for at, edge in enumerate(edges[1:])),
        else_=_DAYS,
    )
    counted = (checks.c.claims, checks.c.unchecked, *_VERDICTS.values())
    rows = connection.execute(
        select(day, func.count(), *map(func.sum, counted))
        .where((checks.c.checked_at > edges[-1]) & (checks.c.checked_at <= now))
        .group_by(day)
    )
    found = {row[0]: [int(number) for number in row[1:]] for row in rows}
    empty = [0] * (len(counted) + 1)
    return tuple(_day(edges[at], found.get(at, empty)) for at in range(_DAYS))


def _day(until: datetime, sums: list[int]) -> DayOfChecks:
    made, claims, unchecked, *verdicts = sums
    return DayOfChecks(
        until, made, claims, dict(zip(_VERDICTS, verdicts, strict=True)), unchecked
    )


def _open(connection: Connection) -> dict[str | None, int]:
    rows = connection.execute(
        select(suggestions.c.flag_kind, func.count())
        .where(suggestions.c.closed_at.is_(None))
        .group_by(suggestions.c.flag_kind)
    )
    return dict(rows.all())


def _sources(connection: Connection, now: datetime, span_s: float) -> SourcesSight:
    newest = _newest_checks(now - timedelta(seconds=span_s)).subquery()
    rows = connection.execute(
        select(source_readings.c.outcome, func.count())
        .join(newest, newest.c.check_id == source_readings.c.check_id)
        .group_by(source_readings.c.outcome)
        .order_by(func.count().desc(), source_readings.c.outcome)
    )
    return SourcesSight(
        pages=connection.scalar(select(func.count()).select_from(newest)) or 0,
        outcomes={SourceOutcome[name]: count for name, count in rows},
    )


def _newest_checks(since: datetime) -> Select[tuple[int]]:
    """Choose the newest check of each page that was checked after `since`."""
    return (
        select(func.max(checks.c.id).label("check_id"))
        .join(revisions, revisions.c.id == checks.c.revision)
        .where(checks.c.checked_at > since)
        .group_by(revisions.c.page)
    )


def planned(connection: Connection, now: datetime) -> PlansSight:
    """Count what waits to be planned, and tell what fails."""
    waits = IS_PLAN & (tasks.c.state == WAITING)
    counted = ages_by(connection, tasks, tasks.c.kind, tasks.c.due_at, now, where=waits)
    return PlansSight(
        waiting={kind: counted.get(kind.task.name, Ages()) for kind in PlanKind},
        failing=tuple(
            replace(one, note=one.note[:NOTE_CHARS])
            for one in failing_plans(connection, _MOST_PLANS)
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


def decided(connection: Connection, since: datetime) -> DecidedSight:
    """Count the decisions at `since` or later."""
    kinds, closed = count_decisions(connection, since)
    return DecidedSight(since, kinds, closed, tallies(connection, since))


def spent_today(connection: Connection, now: datetime) -> SpendingSight:
    """Return what is booked on the day of UTC that `now` is on."""
    day = now.astimezone(UTC).date()
    chosen = select(spending).filter_by(day=day)
    row = connection.execute(chosen).one_or_none()
    refused = _refused(connection, day)
    if row is None:
        return SpendingSight(refused=refused)
    settled, reserved = (Decimal(one) / BILLION for one in (row.settled, row.reserved))
    return SpendingSight(settled, reserved, row.calls, row.refused_at, refused)


def _refused(connection: Connection, day: date) -> Mapping[PayerKind, int]:
    """Return how many payers were not let through last, by kind, where any were."""
    kept = spending_parts.c
    was_refused = (kept.day == day) & kept.refused_at.is_not(None)
    found = {}
    for kind in PayerKind:
        of_kind = kept.payer.startswith(f"{kind.value}:")
        several = select(func.count()).where(was_refused & of_kind)
        if count := connection.scalar(several):
            found[kind] = count
    return found
