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

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    delete,
    func,
    insert,
    select,
    update,
)

from bot.readers import Decision, DecisionKind, DismissReason, KeptDecision
from bot.store import border, newer, planning, telling, watch_reading, watching
from bot.store.reader_tables import HASH_CHARS, closures, decisions
from bot.store.schema import NAME_CHARS, pages, suggestions
from bot.watches import PlanKind, WatcherKind, Wish
from handlers.model import CheckKind, Engine, Verdict
from handlers.ports import PermanentError

_CLOSES = 2  # refusals by as many readers close a suggestion
_AT_ONCE = 500  # identities in one query
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
    standing = _standing(connection, reader, decision.wiki, [decision.identity])
    known = next(iter(standing), None)
    now = decision.decided_at
    if known is not None:
        kept = kept_of(known)
        if replace(kept.decision, decided_at=now) == decision:
            return kept
        _take_back(connection, known, place, now, user)
    values = _columns(decision) | {"reader": border.key(reader, "reader", HASH_CHARS)}
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


def _standing(
    connection: Connection, reader: str, wiki: str, identities: Iterable[str]
) -> list[Row[Any]]:
    wanted = sorted(set(identities))
    found: list[Row[Any]] = []
    for at in range(0, len(wanted), _AT_ONCE):
        found += connection.execute(
            select(decisions)
            .filter_by(reader=reader, wiki=wiki, undone_at=None)
            .where(decisions.c.identity.in_(wanted[at : at + _AT_ONCE]))
            .where(is_known())
            .order_by(decisions.c.id)
        ).all()
    return found


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
            telling.bring_back(
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
        telling.dismiss_ahead(
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
        telling.dismiss_everywhere(connection, place.wiki, place.identity, closed_at)
    elif closure is not None and len(known) + refusals.count(None) < _CLOSES:
        connection.execute(delete(closures).filter_by(**here))
        telling.bring_back_everywhere(
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


def of_reader(
    connection: Connection, reader: str, wiki: str, identities: Iterable[str]
) -> dict[str, KeptDecision]:
    """Return what a reader decided about each of these suggestions, where they did."""
    rows = _standing(connection, reader, wiki, identities)
    return {row.identity: kept_of(row) for row in rows}


def closed(
    connection: Connection, wiki: str, identities: Iterable[str] | None
) -> frozenset[str]:
    """Return which suggestions of a wiki are closed: of these, or of all."""
    every = select(closures.c.identity).filter_by(wiki=wiki)
    if identities is None:
        return frozenset(connection.scalars(every))
    wanted, found = sorted(set(identities)), set[str]()
    for at in range(0, len(wanted), _AT_ONCE):
        some = closures.c.identity.in_(wanted[at : at + _AT_ONCE])
        found |= set(connection.scalars(every.where(some)))
    return frozenset(found)


def version(connection: Connection, wiki: str, title: str) -> str:
    """Return what changes with every decision about a page, and when one is undone."""
    newest, undone = connection.execute(
        select(func.max(decisions.c.id), func.count(decisions.c.undone_at)).filter_by(
            wiki=wiki, title=title
        )
    ).one()
    return f"{newest or 0}-{undone}"


def is_known() -> ColumnElement[bool]:
    """Return the condition that this version understands a decision."""
    kept = decisions.c
    return (
        newer.known(kept.kind, DecisionKind)
        & newer.known(kept.reason, DismissReason)
        & newer.known(kept.flag_kind, CheckKind)
    )


def _columns(one: Decision) -> dict[str, Any]:
    chance = one.flag_probability
    return {
        "wiki": border.key(one.wiki, "wiki"),
        "title": border.key(one.title, "title"),
        "identity": border.key(one.identity, "identity", HASH_CHARS),
        "kind": one.kind.name,
        "reason": one.reason.name if one.reason else None,
        "right_verdict": one.right_verdict.name if one.right_verdict else None,
        "verdict": one.verdict.name,
        "flag_kind": one.flag.name if one.flag else None,
        "flag_probability": None if chance is None else border.share(chance),
        "engine_name": border.key(one.engine.name, "engine's name", NAME_CHARS),
        "engine_version": border.text(one.engine.version, NAME_CHARS),
        "revision": one.revision,
        "decided_at": one.decided_at,
    }


def kept_of(row: Row[Any]) -> KeptDecision:
    """Return a row of `decisions` as a value."""
    decision = Decision(
        wiki=row.wiki,
        title=row.title,
        identity=row.identity,
        kind=DecisionKind[row.kind],
        verdict=Verdict[row.verdict],
        engine=Engine(row.engine_name, row.engine_version),
        flag=CheckKind[row.flag_kind] if row.flag_kind else None,
        flag_probability=row.flag_probability,
        revision=row.revision,
        decided_at=row.decided_at,
        reason=DismissReason[row.reason] if row.reason else None,
        right_verdict=Verdict[row.right_verdict] if row.right_verdict else None,
    )
    return KeptDecision(row.id, decision, row.undone_at)
