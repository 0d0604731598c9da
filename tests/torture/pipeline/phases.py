"""What a life of the daemon had in hand when it was killed, as its database tells."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path

_FORM = "%Y-%m-%d %H:%M:%S.%f"


class Phase(Enum):
    """A part of the pipeline that was at work; the value is its name in the report."""

    INTAKE = "intake: changes told and not yet kept"
    LOOK = "look: a page leased"
    PLAN = "plan: a plan leased"
    POST = "post: a post tried, outcome unknown"
    WRITE = "post: a write sent and not yet answered"
    NONE = "starting, or nothing in hand"


_LEASED = {
    Phase.LOOK: "SELECT count(*) FROM tasks WHERE kind = 'CHECK'"
    " AND state = 'LEASED' AND begun_at >= ?",
    Phase.PLAN: "SELECT count(*) FROM tasks WHERE kind LIKE 'PLAN_%'"
    " AND state = 'LEASED' AND begun_at >= ?",
    Phase.POST: "SELECT count(*) FROM posts WHERE state = 'TRIED'"
    " AND leased_until IS NOT NULL AND changed_at >= ?",
}
_READ_UP_TO = "SELECT max(received_at) FROM positions WHERE feed = 'recentchange'"


def phases(
    database: Path,
    began_at: datetime,
    told_at: datetime | None,
    *,
    is_writing: bool,
) -> frozenset[Phase]:
    """Return what a life that began then, and has just been killed, was doing.

    Args:
        database: the SQLite file of its store.
        began_at: when it began.
        told_at: when the feed sent its last event.
        is_writing: whether a write of its is on the way, or at the wiki.
    """
    found = {Phase.WRITE} if is_writing else set()
    since = began_at.astimezone(UTC).strftime(_FORM)
    with closing(sqlite3.connect(database, timeout=30)) as reading:
        for phase, query in _LEASED.items():
            if reading.execute(query, (since,)).fetchone()[0]:
                found.add(phase)
    if not is_read(database, told_at):
        found.add(Phase.INTAKE)
    return frozenset(found or {Phase.NONE})


def is_read(database: Path, told_at: datetime | None) -> bool:
    """Tell whether the changes of a feed are kept, the last of which it sent then."""
    sent_at = told_at.astimezone(UTC).strftime(_FORM) if told_at else ""
    with closing(sqlite3.connect(database, timeout=30)) as reading:
        [read_up_to] = reading.execute(_READ_UP_TO).fetchone()
    return sent_at <= (read_up_to or "")


def table(counts: Mapping[Phase, int]) -> list[tuple[str, int]]:
    """Return a line for each phase."""
    return [(phase.value, counts.get(phase, 0)) for phase in Phase]
