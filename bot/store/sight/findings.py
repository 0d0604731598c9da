"""What was checked, what was found, and what people made of it."""

from datetime import datetime, timedelta

from sqlalchemy import Connection, Select, case, func, select

from bot.store.schema import checks, pages, revisions, source_readings, suggestions
from bot.store.sight.values.found import DayOfChecks, FindingsSight, SourcesSight
from bot.store.sight.values.waiting import DAY_S, WEEK_S
from bot.store.sight.values.written import ToldSight
from handlers.model import CheckKind, SourceOutcome, Verdict

_DAYS = 7
_VERDICTS = {verdict: checks.c[verdict.name.lower()] for verdict in Verdict}


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
