"""Which page is looked at next, within a transaction of the caller's.

What a worker died over goes first: there are no more of these than workers. Else the
turn is a share's, see `bot.sharing`; while somebody waits for an answer, that of a
share with such a page. Within a share the urgent pages go first, and of those the one
that is due longest.

One process at a time chooses, for it holds the row of all shares. No statement reads
more than the first entries of an index: an empty queue is one statement, a lease some
ten, however many pages wait.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    Row,
    Select,
    and_,
    func,
    insert,
    or_,
    select,
    tuple_,
    update,
)

from bot.jobs import JobReason, JobState, Lease, PageJob
from bot.sharing import Share, after_a_turn
from bot.store import border, looking, newer, queueing
from bot.store.parties import EVERYBODY, fresh_share, let_share
from bot.store.queue_tables import jobs
from bot.store.schema import NAME_CHARS
from bot.store.sharing_tables import shares

_ALL_WIKIS = ""
_URGENCIES = tuple(reason.urgency for reason in JobReason)
_DIED = "its worker died, or took longer than its lease, {attempts} times"


def is_due(connection: Connection, now: datetime) -> bool:
    """Tell whether any page can be leased."""
    return _due(connection, now).is_any


def lease(
    connection: Connection,
    worker: str,
    now: datetime,
    *,
    for_s: float,
    attempts: int,
    weights: Mapping[str, float],
) -> Lease | None:
    """Lease the page whose turn it is; `None` if none is due.

    An attempt is counted before its work begins, since one that kills its worker
    counts, too; a page whose `attempts` are used up that way is parked.
    """
    root = _share(connection, _ALL_WIKIS, EVERYBODY, now)
    while True:
        due = _due(connection, now)
        row = _run_out(connection, now) if due.has_run_out else None
        if row is None and due.by_urgency:
            row = _next(connection, root, due, now)
        if row is None:
            return None
        if row.attempts < attempts:
            _charge(connection, root, row, now, weights.get(row.wiki, 1.0))
            return _leased(connection, row, worker, now, for_s)
        note = _DIED.format(attempts=row.attempts)
        queueing.give_up(connection, row, now, note)
        looking.end(connection, row.wiki, row.title, now, note)


class _Due:
    """What can be leased: since when, by urgency, and whether a lease has run out."""

    def __init__(self, row: Row[Any], now: datetime) -> None:
        since: Sequence[datetime | None] = row[:-1]
        leased_until: datetime | None = row[-1]
        self.by_urgency = {
            urgency: at
            for urgency, at in zip(_URGENCIES, since, strict=True)
            if at is not None and at <= now
        }
        self.has_run_out = leased_until is not None and leased_until <= now

    @property
    def is_any(self) -> bool:
        return self.has_run_out or bool(self.by_urgency)


def _due(connection: Connection, now: datetime) -> _Due:
    waiting = jobs.c.state == JobState.WAITING.name
    first = [
        select(func.min(jobs.c.due_at)).where(waiting & (jobs.c.urgency == urgency))
        for urgency in _URGENCIES
    ]
    leased = jobs.c.state == JobState.LEASED.name
    ends = select(func.min(jobs.c.leased_until)).where(leased)
    asked = [one.scalar_subquery() for one in (*first, ends)]
    return _Due(connection.execute(select(*asked)).one(), now)


def _run_out(connection: Connection, now: datetime) -> Row[Any] | None:
    run_out = (jobs.c.state == JobState.LEASED.name) & (jobs.c.leased_until <= now)
    order = (jobs.c.urgency, jobs.c.due_at)
    return _locked(connection, select(jobs).where(run_out).order_by(*order))


def _next(
    connection: Connection, root: Share, due: _Due, now: datetime
) -> Row[Any] | None:
    asked = JobReason.ASKED.urgency
    is_asked = asked in due.by_urgency and not root.is_patient
    urgencies = (asked,) if is_asked else _URGENCIES
    if root.is_patient:
        _know_who_waits_longest(connection, due, now)
    passed: list[tuple[str, str]] = []
    while True:
        leaf = _whose_turn(connection, urgencies, now, passed)
        if leaf is None:
            if not _know_who_waits_longest(connection, due, now) or passed:
                return None
            continue
        row = _first_of(connection, leaf, now)
        if row is not None:
            return row
        passed.append((leaf.wiki, leaf.party))  # somebody changes its pages just now


def _whose_turn(
    connection: Connection,
    urgencies: tuple[int, ...],
    now: datetime,
    passed: Iterable[tuple[str, str]],
) -> Row[Any] | None:
    """Return the share whose turn it is, of those with a page that is due.

    Both questions go through shares in their order and end at the first that has one.
    """
    wiki, party = shares.alias(), shares.alias()
    waits = _is_due(party, urgencies, now)
    if left_out := list(passed):
        waits &= tuple_(party.c.wiki, party.c.party).not_in(left_out)
    some = select(party.c.wiki).where(party.c.wiki == wiki.c.wiki, waits).limit(1)
    whose = connection.scalar(
        select(wiki.c.wiki)
        .where(wiki.c.party == EVERYBODY, wiki.c.wiki != _ALL_WIKIS)
        .where(some.correlate(wiki).scalar_subquery().is_not(None))
        .order_by(wiki.c.ends, wiki.c.wiki)
        .limit(1)
    )
    if whose is None:
        return None
    first = select(party).where(party.c.wiki == whose, waits)
    return connection.execute(
        first.order_by(party.c.ends, party.c.party).limit(1)
    ).one_or_none()


def _is_due(
    party: FromClause, urgencies: tuple[int, ...], now: datetime
) -> ColumnElement[bool]:
    """Return the condition that a share has a page that is due.

    Not written as EXISTS, for MariaDB makes a list of all pages of that.
    """
    due = (
        select(jobs.c.urgency)
        .where(_of(party.c.wiki, party.c.party), jobs.c.due_at <= now)
        .where(jobs.c.urgency.in_(urgencies))
        .limit(1)
    )
    is_known = due.correlate(party).scalar_subquery().is_not(None)
    return (party.c.party != EVERYBODY) & is_known


def _first_of(connection: Connection, leaf: Row[Any], now: datetime) -> Row[Any] | None:
    """Return the page of a share that is due first; `None` if others hold them all."""
    due = _of(leaf.wiki, leaf.party) & (jobs.c.due_at <= now)
    chosen = select(jobs).where(due & jobs.c.urgency.in_(_URGENCIES))
    if not Share(leaf.ends, leaf.clock, leaf.served).is_patient:
        return _locked(connection, chosen.order_by(jobs.c.urgency, jobs.c.due_at))
    oldest = [
        select(func.min(jobs.c.due_at))
        .where(due & (jobs.c.urgency == urgency))
        .scalar_subquery()
        for urgency in _URGENCIES
    ]
    found = connection.execute(select(*oldest)).one()
    waiting = [pair for pair in zip(found, _URGENCIES, strict=True) if pair[0]]
    for _, urgency in sorted(waiting):
        of_one = select(jobs).where(due & (jobs.c.urgency == urgency))
        row = _locked(connection, of_one.order_by(jobs.c.due_at))
        if row is not None:
            return row
    return None


def _of(wiki: Any, party: Any) -> ColumnElement[bool]:
    return and_(
        jobs.c.wiki == wiki,
        jobs.c.party == party,
        jobs.c.state == JobState.WAITING.name,
    )


def _know_who_waits_longest(connection: Connection, due: _Due, now: datetime) -> bool:
    """Let whoever waits longest have a share; `False` if they had.

    A program of before, that knows of no shares, may have put their page.
    """
    urgency = min(due.by_urgency, key=lambda one: (due.by_urgency[one], one))
    waits = (jobs.c.state == JobState.WAITING.name) & (jobs.c.urgency == urgency)
    oldest = select(jobs.c.wiki, jobs.c.party).where(waits).order_by(jobs.c.due_at)
    row = connection.execute(oldest.limit(1)).one_or_none()
    if row is None:
        return False
    mine = or_(shares.c.party == row.party, shares.c.party == EVERYBODY)
    known = select(func.count()).where(shares.c.wiki == row.wiki, mine)
    if connection.execute(known).scalar_one() == 2:  # noqa: PLR2004 - the party and its wiki
        return False
    let_share(connection, row.wiki, [row.party], now)
    return True


def _charge(
    connection: Connection, root: Share, row: Row[Any], now: datetime, weight: float
) -> None:
    """Write a turn down: for the party of a page, for its wiki, and for all."""
    wiki = _share(connection, row.wiki, EVERYBODY, now)
    party = _share(connection, row.wiki, row.party, now)
    root, wiki = after_a_turn(root, wiki, weight)
    wiki, party = after_a_turn(wiki, party)
    changed = (
        (_ALL_WIKIS, EVERYBODY, replace(root, served=root.served + 1)),
        (row.wiki, EVERYBODY, wiki),
        (row.wiki, row.party, party),
    )
    for name, whose, share in changed:
        mine = (shares.c.wiki == name) & (shares.c.party == whose)
        values = asdict(share) | {"changed_at": now}
        connection.execute(update(shares).where(mine).values(**values))


def _share(connection: Connection, wiki: str, party: str, now: datetime) -> Share:
    """Return a share, its row locked."""
    mine = select(shares).filter_by(wiki=wiki, party=party).with_for_update()
    row = connection.execute(mine).one_or_none()
    if row is None:
        connection.execute(insert(shares).values(**fresh_share(wiki, party, now)))
        return Share()
    return Share(row.ends, row.clock, row.served)


def _locked(connection: Connection, chosen: Select[Any]) -> Row[Any] | None:
    understood = chosen.where(newer.known(jobs.c.reason, JobReason))
    first = understood.limit(1).with_for_update(skip_locked=True)
    return connection.execute(first).one_or_none()


def _leased(
    connection: Connection, row: Row[Any], worker: str, now: datetime, for_s: float
) -> Lease:
    until = now + timedelta(seconds=for_s)
    values = {
        "state": JobState.LEASED.name,
        "attempts": row.attempts + 1,
        "token": row.token + 1,
        "leased_until": until,
        "worker": border.text(worker, NAME_CHARS),
        "begun_at": now,
        "begun_revision": row.revision,
        "again": False,
        "changed_at": now,
    }
    connection.execute(update(jobs).where(jobs.c.id == row.id).values(**values))
    job = PageJob(
        wiki=row.wiki,
        title=row.title,
        reason=JobReason[row.reason],
        asked_at=row.asked_at,
        due_at=row.due_at,
        revision_id=row.revision,
        page_id=row.wiki_page_id,
        pause_s=row.pause_s,
    )
    return Lease(job, row.token + 1, row.attempts + 1, until)
