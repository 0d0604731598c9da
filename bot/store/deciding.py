"""What readers decide about suggestions, within a transaction of the caller's.

Of one reader one decision about a suggestion stands; another replaces it. All that
decide about the same suggestion lock its row first: so no two of them can each miss
that the other's refusal was the second.

    decide   the reader's standing decision is taken back, the new one stands
    undo     it is taken back

A refusal by a second reader closes the suggestion for everyone, and a decision that is
taken back opens it again if fewer than two refusals are left. A reader is known for a
month only. Whoever refuses after that what they refused before must not count as a
second one, so only refusals of readers that are still known can close. To keep closed
what is, all refusals count.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    Connection,
    Row,
    delete,
    insert,
    select,
    update,
)

from bot.records.accounts import Decision, KeptDecision
from bot.records.watches import PlanKind, WatcherKind, Wish
from bot.store import notified_rows, planning, sanitise, watch_reading, watching
from bot.store.decision_reading import columns_of, is_known, kept_of, standing_of
from bot.store.reader_tables import HASH_CHARS, closures, decisions
from bot.store.schema import pages, suggestions
from handlers.ports import PermanentError

_CLOSES = 2  # refusals by as many readers close a suggestion
# What a closure dismissed is told by its time from what its last refuser dismissed.
_A_MOMENT = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class _Place:
    """The suggestion that a decision is about, and whose reports it can be told on."""

    wiki: str
    title: str
    identity: str
    is_open: bool


def decide(
    connection: Connection, reader: str, decision: Decision, user: str | None
) -> KeptDecision:
    """Keep a decision with all that follows from it; see `Decisions.decide`."""
    place = _locked(connection, decision.wiki, decision.title, decision.identity)
    standing = standing_of(connection, reader, decision.wiki, [decision.identity])
    known = next(iter(standing), None)
    now = decision.decided_at
    if known is not None:
        kept = kept_of(known)
        if replace(kept.decision, decided_at=now) == decision:
            return kept
        _take_back(connection, known, place, now, user)
    values = columns_of(decision) | {
        "reader": sanitise.key(reader, "reader", HASH_CHARS)
    }
    made = connection.execute(insert(decisions).values(**values))
    [number] = made.inserted_primary_key or [0]
    if decision.hides and user is not None:
        _dismiss(connection, place, decision, user)
    _settle(connection, place, now)
    return KeptDecision(number, decision)


def undo(
    connection: Connection, reader: str, number: int, now: datetime, user: str | None
) -> Decision | None:
    """Take a decision back; see `Decisions.undo`."""
    wanted = select(decisions).filter_by(id=number, reader=reader).where(is_known())
    row = connection.execute(wanted).one_or_none()
    if row is None:
        return None
    place = _locked(connection, row.wiki, row.title, row.identity)
    row = connection.execute(wanted.with_for_update()).one_or_none()
    if row is None or row.undone_at not in {None, now}:
        return None
    if row.undone_at is None:
        _take_back(connection, row, place, now, user)
        _settle(connection, place, now)
    return kept_of(row).decision


def _locked(connection: Connection, wiki: str, title: str, identity: str) -> _Place:
    """Lock the suggestion's row.

    Raises:
        PermanentError: there is no such suggestion.
    """
    page = select(pages.c.id).filter_by(wiki=wiki, title=title).scalar_subquery()
    row = connection.execute(
        select(suggestions.c.closed_at)
        .where((suggestions.c.page == page) & (suggestions.c.identity == identity))
        .with_for_update()
    ).one_or_none()
    if row is None:
        raise PermanentError(
            "there is no such suggestion for this page; reload it to see what there is"
        )
    return _Place(wiki, title, identity, row.closed_at is None)


def _take_back(
    connection: Connection,
    row: Row[Any],
    place: _Place,
    now: datetime,
    user: str | None,
) -> None:
    same = decisions.c.id == row.id
    connection.execute(update(decisions).where(same).values(undone_at=now))
    if kept_of(row).decision.hides and user is not None:
        for report in _reports(connection, place, user):
            notified_rows.bring_back(
                connection,
                (place.wiki, report),
                place.identity,
                row.decided_at,
                now,
                is_open=place.is_open,
            )
        _ask_reports(connection, place, user, now)


def _dismiss(
    connection: Connection, place: _Place, decision: Decision, user: str
) -> None:
    """Take the note away from the reader's own reports, also before it is told there."""
    now, kind = decision.decided_at, decision.flag
    for report in _reports(connection, place, user):
        notified_rows.dismiss_ahead(
            connection,
            (place.wiki, report),
            place.identity,
            (place.title, kind.name if kind else ""),
            now,
        )
    _ask_reports(connection, place, user, now)


def _reports(connection: Connection, place: _Place, user: str) -> list[str]:
    return sorted({row.report for row in _own(connection, place, user)})


def _ask_reports(
    connection: Connection, place: _Place, user: str, now: datetime
) -> None:
    wishes = [
        Wish(PlanKind.REPORT, place.wiki, row.place, now)
        for row in _own(connection, place, user)
    ]
    planning.ask(connection, wishes, now)


def _own(connection: Connection, place: _Place, user: str) -> list[Row[Any]]:
    """Return the rows of the reader's own opt-ins that report on the page.

    The watcher of another kind of opt-in is a title, which may be somebody's name.
    """
    rows = connection.execute(watch_reading.watching(place.wiki, place.title))
    return [
        row
        for row in rows
        if row.kind == WatcherKind.USER.name
        and row.watcher == user
        and row.report is not None
    ]


def _settle(connection: Connection, place: _Place, now: datetime) -> None:
    """Close the suggestion, or open it again, as the standing refusals say."""
    here = {"wiki": place.wiki, "identity": place.identity}
    closure = connection.execute(select(closures).filter_by(**here)).one_or_none()
    standing = select(decisions).filter_by(**here, undone_at=None).where(is_known())
    rows = connection.execute(standing).all()
    refusals = [row.reader for row in rows if kept_of(row).decision.is_refusal]
    known = {reader for reader in refusals if reader is not None}
    if closure is None and len(known) >= _CLOSES:
        closed_at = now + _A_MOMENT
        connection.execute(insert(closures).values(**here, closed_at=closed_at))
        notified_rows.dismiss_everywhere(
            connection, place.wiki, place.identity, closed_at
        )
    elif closure is not None and len(known) + refusals.count(None) < _CLOSES:
        connection.execute(delete(closures).filter_by(**here))
        notified_rows.bring_back_everywhere(
            connection,
            place.wiki,
            place.identity,
            closure.closed_at,
            now,
            is_open=place.is_open,
        )
    else:
        return
    wishes = watching.wishes_of(connection, place.wiki, place.title, now)
    planning.ask(connection, wishes, now)
