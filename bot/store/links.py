"""The history of cited addresses: what was seen there, when, and from which machine.

Successive visits with the same result share a row; an address checked for years has a
handful. Functions here run within the caller's transaction.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select

from bot.store import sanitise
from bot.store.database import Repository, change, reads, rows_with, writes
from bot.store.mapping import as_value
from bot.store.schema import ADDRESS_CHARS, KEY_CHARS, link_visits
from handlers.model import LinkVisit, Seen
from handlers.sources.links import LinkRun

_AT_ONCE = 100


class Links(Repository):
    """The addresses that an archive may be asked to save."""

    @reads
    def to_archive(
        self, connection: Connection, since: datetime, most: int
    ) -> tuple[str, ...]:
        """Return addresses that worked at `since` or later and were not yet submitted."""
        columns = link_visits.c
        is_due = (
            (columns.last_seen >= since)
            & (columns.outcome == Seen.WORKS.name)
            & columns.archive_asked_at.is_(None)
        )
        chosen = select(columns.address).where(is_due).order_by(columns.last_seen)
        return tuple(connection.scalars(chosen.limit(most)))

    @reads
    def submitted_since(self, connection: Connection, since: datetime) -> int:
        """Count the addresses submitted at `since` or later."""
        counted = select(func.count()).select_from(link_visits)
        is_recent = link_visits.c.archive_asked_at >= since
        return connection.scalar(counted.where(is_recent)) or 0

    @writes
    def note_submission(
        self, connection: Connection, address: str, now: datetime
    ) -> None:
        """Record that an archive was asked to save an address."""
        key = {"address_sha256": _hash(address), "archive_asked_at": None}
        change(connection, link_visits, {"archive_asked_at": now}, **key)


def note_visits(connection: Connection, visits: Iterable[LinkVisit]) -> int:
    """Add visits to the histories of their addresses, each once; return how many."""
    newest: dict[str, LinkVisit] = {}
    for visit in visits:
        known = newest.get(visit.address)
        if known is None or visit.seen_at > known.seen_at:
            newest[visit.address] = visit
    last = {
        address: max(runs, key=lambda row: (row.last_seen, row.id))
        for address, runs in _rows(connection, newest).items()
    }
    # In the same order for all who do so, so that none waits for another in a circle.
    return sum(
        _note(connection, newest[address], last.get(address))
        for address in sorted(newest)
    )


def _note(connection: Connection, visit: LinkVisit, last: Row[Any] | None) -> bool:
    values = {
        "outcome": visit.seen.name,
        "http_status": visit.http_status,
        "led_to": sanitise.text(visit.led_to, ADDRESS_CHARS),
    }
    if last is not None and last.last_seen >= visit.seen_at:
        return False  # from the cache, and already known
    if last is not None and all(getattr(last, name) == values[name] for name in values):
        seen = {
            "last_seen": visit.seen_at,
            "times": link_visits.c.times + 1,
            "seen_from": sanitise.text(visit.seen_from, KEY_CHARS),
        }
        change(connection, link_visits, seen, id=last.id)
        return True
    connection.execute(
        insert(link_visits).values(
            **values,
            address_sha256=_hash(visit.address),
            address=sanitise.text(visit.address, ADDRESS_CHARS),
            seen_from=sanitise.text(visit.seen_from, KEY_CHARS),
            first_seen=visit.seen_at,
            last_seen=visit.seen_at,
            times=1,
        )
    )
    return True


def runs_of(
    connection: Connection, addresses: Collection[str]
) -> Mapping[str, tuple[LinkRun, ...]]:
    """Return what was seen at addresses; those without a history are left out."""
    return {
        address: tuple(
            as_value(
                LinkRun,
                row,
                address=address,
                seen=Seen.__members__.get(row.outcome, Seen.OTHER),
            )
            for row in rows
        )
        for address, rows in _rows(connection, addresses).items()
    }


def _rows(
    connection: Connection, addresses: Collection[str]
) -> Mapping[str, list[Row[Any]]]:
    by_hash = {_hash(address): address for address in addresses}
    found: dict[str, list[Row[Any]]] = defaultdict(list)
    column, query = link_visits.c.address_sha256, select(link_visits)
    for row in rows_with(connection, query, column, by_hash, _AT_ONCE):
        found[by_hash[row.address_sha256]].append(row)
    return found


def _hash(address: str) -> str:
    return sha256(address.encode("utf-8", "replace")).hexdigest()
