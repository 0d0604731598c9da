"""Leases the page whose turn it is, within a transaction of the caller's.

Which that is, `bot.store.lease_order` says. One process at a time chooses, for it holds
the row of all shares. An empty queue is one statement, a lease some ten, however many
pages wait.
"""

from collections.abc import Collection, Mapping
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from bot.records.fair_schedule import Share, after_a_turn
from bot.records.jobs import JobReason, JobState, Lease, PageJob
from bot.store import looking, queueing, sanitise
from bot.store.lease_order import ALL_WIKIS, Turn, what_is_due
from bot.store.queue_tables import jobs
from bot.store.schema import NAME_CHARS
from bot.store.tenant_tables import shares
from bot.store.tenants import EVERYBODY, fresh_share

_DIED = "its worker died, or took longer than its lease, {attempts} times"


def is_due(connection: Connection, now: datetime) -> bool:
    """Tell whether any page can be leased."""
    return what_is_due(connection, now).is_any


def lease(
    connection: Connection,
    worker: str,
    now: datetime,
    *,
    for_s: float,
    attempts: int,
    weights: Mapping[str, float],
    without: Collection[str],
) -> Lease | None:
    """Lease the page whose turn it is; `None` if none is due but of wikis in `without`.

    An attempt is counted before its work begins, since one that kills its worker
    counts, too; a page whose `attempts` are used up that way is parked. A revision that
    came meanwhile has all of them before it.
    """
    root = _share(connection, ALL_WIKIS, EVERYBODY, now)
    turn = Turn(connection, now, without)
    while True:
        row = turn.page(root)
        if row is None:
            return None
        if _tried(row) < attempts:
            _charge(connection, root, row, now, weights.get(row.wiki, 1.0))
            return _leased(connection, row, worker, now, for_s)
        note = _DIED.format(attempts=row.attempts)
        queueing.give_up(connection, row, now, note)
        looking.end(connection, row.wiki, row.title, now, note)


def _charge(
    connection: Connection, root: Share, row: Row[Any], now: datetime, weight: float
) -> None:
    """Write a turn down: for the party of a page, for its wiki, and for all."""
    wiki = _share(connection, row.wiki, EVERYBODY, now)
    party = _share(connection, row.wiki, row.party, now)
    root, wiki = after_a_turn(root, wiki, weight)
    wiki, party = after_a_turn(wiki, party)
    changed = (
        (ALL_WIKIS, EVERYBODY, replace(root, served=root.served + 1)),
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


def _tried(row: Row[Any]) -> int:
    """Return how often the revision was tried that would be looked at now."""
    return 0 if row.again else int(row.attempts)


def _leased(
    connection: Connection,
    row: Row[Any],
    worker: str,
    now: datetime,
    for_s: float,
) -> Lease:
    until, attempt = now + timedelta(seconds=for_s), _tried(row) + 1
    values = {
        "state": JobState.LEASED.name,
        "attempts": attempt,
        "token": row.token + 1,
        "leased_until": until,
        "worker": sanitise.text(worker, NAME_CHARS),
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
    return Lease(job, row.token + 1, attempt, until)
