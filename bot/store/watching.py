"""What people asked to be watched, within a transaction of the caller's.

All that changes a watch locks the number of changes first: they are rare, and so
none of them waits for another in a circle.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    delete,
    func,
    insert,
    or_,
    select,
    update,
)

from bot.jobs import JobReason, JobState, PageJob
from bot.store import border, planning, queueing
from bot.store.queue_tables import jobs
from bot.store.standing_tables import versions, watched_pages, watches
from bot.watches import (
    Check,
    Period,
    PlanKind,
    Rate,
    StandingWatch,
    Surface,
    WatcherKind,
    Wish,
)

_COUNTED = "watches"
_AT_ONCE = 1000  # rows in one statement


def keep(
    connection: Connection,
    watch: StandingWatch,
    found: Iterable[PageJob],
    now: datetime,
) -> bool:
    """Add or replace a watch, and put its jobs; `False` if it stands so already."""
    number = _locked_version(connection)
    wanted = _clean(watch)
    row = _row(connection, watch.wiki, watch.place)
    known = _values(connection, [row])[0] if row is not None else None
    if known != wanted:
        _write(connection, row, wanted, known, now)
        _set_version(connection, number + 1)
    in_order = sorted(found, key=lambda job: (job.wiki, job.title, job.asked_at))
    for job in in_order:
        queueing.put(connection, job)
    if known != wanted:
        planning.ask(connection, _wishes(wanted, known, now), now)
    return known != wanted


def _clean(watch: StandingWatch) -> StandingWatch:
    """Return a watch as it comes back from the tables, each page once.

    Raises:
        PermanentError: a name in it is empty or too long.
    """
    return StandingWatch(
        wiki=border.key(watch.wiki, "wiki"),
        place=border.key(watch.place, "place"),
        kind=watch.kind,
        watcher=border.key(watch.watcher, "watcher"),
        pages=tuple(border.key(title, "title") for title in dict.fromkeys(watch.pages)),
        checks=watch.checks,
        surfaces=watch.surfaces,
        report=watch.report and border.key(watch.report, "report"),
        interval_s=watch.interval_s,
        most=watch.most,
        min_confidence=watch.min_confidence,
        languages=border.unlisted(border.listed(watch.languages)),
    )


def _write(
    connection: Connection,
    row: Row[Any] | None,
    watch: StandingWatch,
    known: StandingWatch | None,
    now: datetime,
) -> None:
    values = _columns(watch) | {"kept_at": now}
    if row is None:
        made = connection.execute(insert(watches).values(**values))
        [number] = made.inserted_primary_key or [0]
    else:
        number = row.id
        same = watches.c.id == number
        connection.execute(update(watches).where(same).values(**values))
    if known is not None and known.pages == watch.pages:
        return
    connection.execute(delete(watched_pages).where(watched_pages.c.watch == number))
    pages = [
        {"watch": number, "position": at, "wiki": watch.wiki, "title": title}
        for at, title in enumerate(watch.pages)
    ]
    for at in range(0, len(pages), _AT_ONCE):
        connection.execute(insert(watched_pages), pages[at : at + _AT_ONCE])


def _columns(watch: StandingWatch) -> dict[str, Any]:
    return {
        "wiki": watch.wiki,
        "place": watch.place,
        "kind": watch.kind.name,
        "watcher": watch.watcher,
        "checks": border.listed(each.name for each in watch.checks),
        "surfaces": border.listed(each.name for each in watch.surfaces),
        "languages": border.listed(watch.languages),
        "report": watch.report,
        "interval_s": watch.interval_s,
        "most_count": watch.most.count,
        "most_per": watch.most.per.name,
        "min_confidence": watch.min_confidence,
    }


def _wishes(
    watch: StandingWatch, known: StandingWatch | None, now: datetime
) -> Iterator[Wish]:
    if watch.report is not None:
        yield Wish(PlanKind.REPORT, watch.wiki, watch.place, now)
    yield from _talks(watch, now)
    if known is not None:
        yield from _talks(known, now)  # what it no longer watches has notes to lose


def _talks(watch: StandingWatch, now: datetime) -> Iterator[Wish]:
    if Surface.TALK in watch.surfaces:
        for title in watch.pages:
            yield Wish(PlanKind.TALK, watch.wiki, title, now)


def end(
    connection: Connection, wiki: str, place: str, now: datetime
) -> StandingWatch | None:
    """Remove a watch and return it, if there is one; its talk pages are planned."""
    number = _locked_version(connection)
    row = _row(connection, wiki, place)
    if row is None:
        return None
    [known] = _values(connection, [row])
    connection.execute(delete(watches).where(watches.c.id == row.id))
    _set_version(connection, number + 1)
    planning.ask(connection, _talks(known, now), now)
    return known


def get(connection: Connection, wiki: str, place: str) -> StandingWatch | None:
    """Return the watch of an opt-in, if it is in force."""
    row = _row(connection, wiki, place)
    return None if row is None else _values(connection, [row])[0]


def every(connection: Connection, wiki: str | None) -> tuple[StandingWatch, ...]:
    """Return the watches of a wiki or of all, in order of their places."""
    chosen = select(watches).order_by(watches.c.wiki, watches.c.place)
    if wiki is not None:
        chosen = chosen.where(watches.c.wiki == wiki)
    return _values(connection, connection.execute(chosen).all())


def of_page(connection: Connection, wiki: str, title: str) -> tuple[StandingWatch, ...]:
    """Return the watches of a page, in order of their places."""
    return _values(connection, connection.execute(_watching(wiki, title)).all())


def wishes_of(
    connection: Connection, wiki: str, title: str, due_at: datetime
) -> Iterator[Wish]:
    """Yield what has to be planned anew where the findings of a page change."""
    is_told = False
    for row in connection.execute(_watching(wiki, title)):
        is_told |= Surface.TALK.name in border.unlisted(row.surfaces)
        if row.report is not None:
            yield Wish(PlanKind.REPORT, wiki, row.place, due_at)
    if is_told:
        yield Wish(PlanKind.TALK, wiki, title, due_at)


def _watching(wiki: str, title: str) -> Any:
    return (
        select(watches)
        .join(watched_pages, watched_pages.c.watch == watches.c.id)
        .where((watched_pages.c.wiki == wiki) & (watched_pages.c.title == title))
        .order_by(watches.c.place)
    )


def _row(connection: Connection, wiki: str, place: str) -> Row[Any] | None:
    return connection.execute(
        select(watches).filter_by(wiki=wiki, place=place)
    ).one_or_none()


def _values(
    connection: Connection, rows: Iterable[Row[Any]]
) -> tuple[StandingWatch, ...]:
    rows = list(rows)
    titles: dict[int, list[str]] = defaultdict(list)
    for at in range(0, len(rows), _AT_ONCE):
        numbers = [row.id for row in rows[at : at + _AT_ONCE]]
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
        checks=tuple(Check[name] for name in border.unlisted(row.checks)),
        surfaces=tuple(Surface[name] for name in border.unlisted(row.surfaces)),
        report=row.report,
        interval_s=row.interval_s,
        most=Rate(row.most_count, Period[row.most_per]),
        min_confidence=row.min_confidence,
        languages=border.unlisted(row.languages),
    )


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
    named = versions.c.name == _COUNTED
    return connection.scalar(select(versions.c.number).where(named)) or 0


def _locked_version(connection: Connection) -> int:
    named = versions.c.name == _COUNTED
    number: int | None = connection.scalar(
        select(versions.c.number).where(named).with_for_update()
    )
    if number is None:
        connection.execute(insert(versions).values(name=_COUNTED, number=0))
    return number or 0


def _set_version(connection: Connection, number: int) -> None:
    named = versions.c.name == _COUNTED
    connection.execute(update(versions).where(named).values(number=number))
