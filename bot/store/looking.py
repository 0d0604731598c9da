"""Where looks at pages stand that people asked for. Each verb is one transaction.

A look begins when a worker takes its page up, and ends together with the work on the
page, in the same transaction: whoever follows it never waits for one that is over.
"""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from bot.records.accounts import LookState
from bot.records.jobs import JobReason, JobState, PageJob
from bot.store import enqueue, sanitise
from bot.store.queue_tables import jobs
from bot.store.reader_tables import looks
from bot.store.transactions import Transactions

_WORDS_CHARS = 1000
_NOTHING_YET: dict[str, Any] = {
    "begun_at": None,
    "ended_at": None,
    "reading": None,
    "sources": 0,
    "sources_read": 0,
    "claims": 0,
    "claims_checked": 0,
    "revision": None,
    "problem": None,
}


class LookStates:
    """What people who asked for a look at a page are told. Processes may share it."""

    def __init__(self, transactions: Transactions) -> None:
        self._database = transactions

    def ask(self, wiki: str, title: str, now: datetime) -> LookState:
        """Let a page be looked at before all others, and return where that stands.

        Whoever asks while a look is under way follows that one.
        """
        return self._database.write(lambda made: _ask(made, wiki, title, now))

    def begin(self, wiki: str, title: str, now: datetime) -> LookState | None:
        """Take a look up, also one that was broken off; `None` if nobody asked for one."""
        return self._database.write(lambda made: _begin(made, wiki, title, now))

    def step(self, reached: LookState) -> None:
        """Note how far a look has come; of one that has ended, nothing changes."""
        self._database.write(lambda made: _step(made, reached))

    def of(self, wiki: str, title: str) -> LookState | None:
        """Return where the last look at a page stands; `None` if nobody asked for one."""
        row = self._database.read(lambda made: _row(made, wiki, title))
        return row and _state(row)


def end(
    connection: Connection, wiki: str, title: str, now: datetime, problem: str | None
) -> None:
    """End the look that the work on a page was, if anybody asked for one."""
    values: dict[str, Any] = {"ended_at": now, "changed_at": now, "reading": None}
    if problem is not None:
        values |= {"problem": sanitise.text(problem, _WORDS_CHARS)}
    _set(connection, wiki, title, values)


def wait(
    connection: Connection, wiki: str, title: str, now: datetime, problem: str
) -> None:
    """Note that the work on a page is tried again later, and why."""
    told = sanitise.text(problem, _WORDS_CHARS)
    values = {"problem": told, "changed_at": now, "reading": None}
    _set(connection, wiki, title, values)


def _set(connection: Connection, wiki: str, title: str, values: dict[str, Any]) -> None:
    """Change a look that is under way: not one that was asked for meanwhile."""
    under_way = (
        (looks.c.wiki == wiki)
        & (looks.c.title == title)
        & looks.c.begun_at.is_not(None)
        & looks.c.ended_at.is_(None)
    )
    connection.execute(update(looks).where(under_way).values(**values))


def _ask(connection: Connection, wiki: str, title: str, now: datetime) -> LookState:
    # Jobs first, as those do who end the work on a page: one order of locks.
    state = connection.scalar(
        select(jobs.c.state).filter_by(wiki=wiki, title=title).with_for_update()
    )
    row = _row(connection, wiki, title, locked=True)
    if row is not None and row.ended_at is None and _is_in_hand(row, state):
        return _state(row)
    enqueue.put(
        connection, PageJob(wiki, title, JobReason.ASKED, now, now, pause_s=0.0)
    )
    fresh = {**_NOTHING_YET, "asked_at": now, "changed_at": now}
    if row is None:
        named = {
            "wiki": sanitise.key(wiki, "wiki"),
            "title": sanitise.key(title, "title"),
        }
        connection.execute(insert(looks).values(**named, **fresh))
    else:
        mine = (looks.c.wiki == wiki) & (looks.c.title == title)
        connection.execute(update(looks).where(mine).values(**fresh))
    return _known(connection, wiki, title)


def _is_in_hand(row: Row[Any], state: str | None) -> bool:
    """Tell whether a look that has not ended is under way, or will be."""
    if state == JobState.LEASED.name:
        return row.begun_at is not None
    return state == JobState.WAITING.name and row.begun_at is None


def _begin(
    connection: Connection, wiki: str, title: str, now: datetime
) -> LookState | None:
    row = _row(connection, wiki, title)
    if row is None or row.ended_at is not None:
        return None
    mine = (looks.c.wiki == wiki) & (looks.c.title == title)
    begun = {**_NOTHING_YET, "begun_at": now, "changed_at": now}
    connection.execute(
        update(looks).where(mine, looks.c.ended_at.is_(None)).values(**begun)
    )
    return _known(connection, wiki, title)


def _step(connection: Connection, reached: LookState) -> None:
    values = {
        "reading": sanitise.text(reached.reading, _WORDS_CHARS),
        "sources": reached.sources,
        "sources_read": reached.sources_read,
        "claims": reached.claims,
        "claims_checked": reached.claims_checked,
        "revision": reached.revision,
        "problem": sanitise.text(reached.problem, _WORDS_CHARS),
        "changed_at": reached.changed_at,
    }
    _set(connection, reached.wiki, reached.title, values)


def _row(
    connection: Connection, wiki: str, title: str, *, locked: bool = False
) -> Row[Any] | None:
    chosen = select(looks).filter_by(wiki=wiki, title=title)
    return connection.execute(
        chosen.with_for_update() if locked else chosen
    ).one_or_none()


def _known(connection: Connection, wiki: str, title: str) -> LookState:
    return _state(
        connection.execute(select(looks).filter_by(wiki=wiki, title=title)).one()
    )


def _state(row: Row[Any]) -> LookState:
    return LookState(
        wiki=row.wiki,
        title=row.title,
        asked_at=row.asked_at,
        changed_at=row.changed_at,
        begun_at=row.begun_at,
        ended_at=row.ended_at,
        reading=row.reading,
        sources=row.sources,
        sources_read=row.sources_read,
        claims=row.claims,
        claims_checked=row.claims_checked,
        revision=row.revision,
        problem=row.problem,
    )
