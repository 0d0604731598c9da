"""What people asked to be watched, within a transaction of the caller's.

All that changes a watch locks the number of changes first: they are rare, and so
none of them waits for another in a circle.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from bot.records.jobs import PageJob
from bot.records.watches import PlanKind, StandingWatch, Surface, Wish
from bot.store import enqueue, planning, sanitise, watch_reading
from bot.store.standing_tables import versions, watched_pages, watches
from bot.store.watch_reading import AT_ONCE, COUNTED


def keep(
    connection: Connection,
    watch: StandingWatch,
    found: Iterable[PageJob],
    now: datetime,
) -> bool:
    """Add or replace a watch, and put its jobs; `False` if it stands so already."""
    number = _locked_version(connection)
    wanted = _clean(watch)
    row = watch_reading.row_of(connection, watch.wiki, watch.place)
    known = watch_reading.values(connection, [row])[0] if row is not None else None
    if known != wanted:
        _write(connection, row, wanted, known, now)
        _set_version(connection, number + 1)
    enqueue.put_all(connection, found)
    if known != wanted:
        planning.ask(connection, _wishes(wanted, known, now), now)
    return known != wanted


def _clean(watch: StandingWatch) -> StandingWatch:
    """Return a watch as it comes back from the tables, each page once.

    Raises:
        PermanentError: a name in it is empty or too long.
    """
    return StandingWatch(
        wiki=sanitise.key(watch.wiki, "wiki"),
        place=sanitise.key(watch.place, "place"),
        kind=watch.kind,
        watcher=sanitise.key(watch.watcher, "watcher"),
        pages=tuple(
            sanitise.key(title, "title") for title in dict.fromkeys(watch.pages)
        ),
        checks=watch.checks,
        surfaces=watch.surfaces,
        report=watch.report and sanitise.key(watch.report, "report"),
        interval_s=watch.interval_s,
        most=watch.most,
        min_confidence=watch.min_confidence,
        languages=sanitise.unlisted(sanitise.listed(watch.languages)),
    )


def _write(
    connection: Connection,
    row: Row[Any] | None,
    watch: StandingWatch,
    known: StandingWatch | None,
    now: datetime,
) -> None:
    values = watch_reading.columns(watch) | {"kept_at": now}
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
    for at in range(0, len(pages), AT_ONCE):
        connection.execute(insert(watched_pages), pages[at : at + AT_ONCE])


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
    row = watch_reading.row_of(connection, wiki, place)
    if row is None:
        return None
    [known] = watch_reading.values(connection, [row])
    connection.execute(delete(watches).where(watches.c.id == row.id))
    _set_version(connection, number + 1)
    planning.ask(connection, _talks(known, now), now)
    return known


def wishes_of(
    connection: Connection, wiki: str, title: str, due_at: datetime
) -> Iterator[Wish]:
    """Yield what has to be planned anew where the findings of a page change."""
    is_told = False
    for row in connection.execute(watch_reading.watching(wiki, title)):
        is_told |= Surface.TALK.name in sanitise.unlisted(row.surfaces)
        if row.report is not None:
            yield Wish(PlanKind.REPORT, wiki, row.place, due_at)
    if is_told:
        yield Wish(PlanKind.TALK, wiki, title, due_at)


def _locked_version(connection: Connection) -> int:
    named = versions.c.name == COUNTED
    number: int | None = connection.scalar(
        select(versions.c.number).where(named).with_for_update()
    )
    if number is None:
        connection.execute(insert(versions).values(name=COUNTED, number=0))
    return number or 0


def _set_version(connection: Connection, number: int) -> None:
    named = versions.c.name == COUNTED
    connection.execute(update(versions).where(named).values(number=number))
