"""Watches as values, and what they say of pages, within a caller's transaction."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, func, or_, select

from bot.records.jobs import JobReason, JobState, PageJob
from bot.records.watches import Check, Period, Rate, StandingWatch, Surface, WatcherKind
from bot.store import sanitise
from bot.store.queue_tables import jobs
from bot.store.standing_tables import versions, watched_pages, watches

COUNTED = "watches"  # the row of `versions`
AT_ONCE = 1000  # rows in one statement


def get(connection: Connection, wiki: str, place: str) -> StandingWatch | None:
    """Return the watch of an opt-in, if it is in force."""
    row = row_of(connection, wiki, place)
    return None if row is None else values(connection, [row])[0]


def every(connection: Connection, wiki: str | None) -> tuple[StandingWatch, ...]:
    """Return the watches of a wiki or of all, in order of their places."""
    chosen = select(watches).order_by(watches.c.wiki, watches.c.place)
    if wiki is not None:
        chosen = chosen.where(watches.c.wiki == wiki)
    return values(connection, connection.execute(chosen).all())


def of_page(connection: Connection, wiki: str, title: str) -> tuple[StandingWatch, ...]:
    """Return the watches of a page, in order of their places."""
    return values(connection, connection.execute(watching(wiki, title)).all())


def of_user(connection: Connection, wiki: str, user: str) -> tuple[StandingWatch, ...]:
    """Return the watches of a person, in order of their places."""
    chosen = (
        select(watches)
        .filter_by(wiki=wiki, kind=WatcherKind.USER.name, watcher=user)
        .order_by(watches.c.place)
    )
    return values(connection, connection.execute(chosen).all())


def watching(wiki: str, title: str) -> Select[Any]:
    """Return the query for the rows of the watches that name a page."""
    return (
        select(watches)
        .join(watched_pages, watched_pages.c.watch == watches.c.id)
        .where((watched_pages.c.wiki == wiki) & (watched_pages.c.title == title))
        .order_by(watches.c.place)
    )


def row_of(connection: Connection, wiki: str, place: str) -> Row[Any] | None:
    """Return the row of a watch, if there is one."""
    return connection.execute(
        select(watches).filter_by(wiki=wiki, place=place)
    ).one_or_none()


def values(
    connection: Connection, rows: Iterable[Row[Any]]
) -> tuple[StandingWatch, ...]:
    """Return rows as values, with their pages."""
    rows = list(rows)
    titles: dict[int, list[str]] = defaultdict(list)
    for at in range(0, len(rows), AT_ONCE):
        numbers = [row.id for row in rows[at : at + AT_ONCE]]
        for watch, title in connection.execute(
            select(watched_pages.c.watch, watched_pages.c.title)
            .where(watched_pages.c.watch.in_(numbers))
            .order_by(watched_pages.c.watch, watched_pages.c.position)
        ):
            titles[watch].append(title)
    return tuple(_watch(row, titles[row.id]) for row in rows)


def _watch(row: Row[Any], titles: list[str]) -> StandingWatch:
    return StandingWatch(
        wiki=row.wiki,
        place=row.place,
        kind=WatcherKind[row.kind],
        watcher=row.watcher,
        pages=tuple(titles),
        checks=tuple(Check[name] for name in sanitise.unlisted(row.checks)),
        surfaces=tuple(Surface[name] for name in sanitise.unlisted(row.surfaces)),
        report=row.report,
        interval_s=row.interval_s,
        most=Rate(row.most_count, Period[row.most_per]),
        min_confidence=row.min_confidence,
        languages=sanitise.unlisted(row.languages),
    )


def columns(watch: StandingWatch) -> dict[str, Any]:
    """Return a watch as columns, but for its pages."""
    return {
        "wiki": watch.wiki,
        "place": watch.place,
        "kind": watch.kind.name,
        "watcher": watch.watcher,
        "checks": sanitise.listed(each.name for each in watch.checks),
        "surfaces": sanitise.listed(each.name for each in watch.surfaces),
        "languages": sanitise.listed(watch.languages),
        "report": watch.report,
        "interval_s": watch.interval_s,
        "most_count": watch.most.count,
        "most_per": watch.most.per.name,
        "min_confidence": watch.min_confidence,
    }


def pauses(connection: Connection) -> dict[tuple[str, str], float]:
    """Return how long each watched page rests, in seconds: the least of its watches."""
    rows = connection.execute(
        select(
            watched_pages.c.wiki,
            watched_pages.c.title,
            func.min(watches.c.interval_s),
        )
        .join(watches, watches.c.id == watched_pages.c.watch)
        .group_by(watched_pages.c.wiki, watched_pages.c.title)
    )
    return {(wiki, title): float(least) for wiki, title, least in rows}


def stale(
    connection: Connection, now: datetime, older_than_s: float, limit: int
) -> tuple[PageJob, ...]:
    """Return watched pages not looked at for long, those never looked at first.

    What waits or is in work is none of them; what was given up is tried again.
    """
    rows = connection.execute(
        select(
            watched_pages.c.wiki,
            watched_pages.c.title,
            func.min(watches.c.interval_s).label("pause_s"),
        )
        .join(watches, watches.c.id == watched_pages.c.watch)
        .outerjoin(
            jobs,
            (jobs.c.wiki == watched_pages.c.wiki)
            & (jobs.c.title == watched_pages.c.title),
        )
        .where(_is_stale(now - timedelta(seconds=older_than_s)))
        .group_by(watched_pages.c.wiki, watched_pages.c.title)
        .order_by(
            func.min(jobs.c.begun_at), watched_pages.c.wiki, watched_pages.c.title
        )
        .limit(limit)
    )
    return tuple(
        PageJob(
            wiki=row.wiki,
            title=row.title,
            reason=JobReason.RECHECK,
            asked_at=now,
            due_at=now,
            pause_s=float(row.pause_s),
        )
        for row in rows
    )


def _is_stale(before: datetime) -> ColumnElement[bool]:
    rests = jobs.c.state.in_([JobState.IDLE.name, JobState.PARKED.name])
    return or_(jobs.c.id.is_(None), rests & (jobs.c.begun_at < before))


def version(connection: Connection) -> int:
    """Return how often watches were changed."""
    named = versions.c.name == COUNTED
    return connection.scalar(select(versions.c.number).where(named)) or 0
