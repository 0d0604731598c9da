"""The queue of pages, within a transaction of the caller's.

One row for each page; its state moves as the table shows. Every step of a worker
names the fencing number of its lease, so that one that was thought dead changes
nothing when it wakes up.

    put           IDLE, PARKED → WAITING;  LEASED: waits again afterwards
    lease         WAITING, LEASED and run out → LEASED;  see `bot.store.leasing`
    finish        LEASED → IDLE, or WAITING if something came meanwhile
    retry         LEASED → WAITING, later;  after too many attempts → PARKED
    park          LEASED → PARKED
    put_off       LEASED → WAITING, later, as if it had never been leased
    give_back     LEASED → WAITING, as if it had never been leased
"""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, func, select, update

from bot.records.jobs import JobState, Lease, LeaseLost, ParkedJob, QueueState
from bot.store import looking, sanitise
from bot.store.queue_tables import jobs


def renew(connection: Connection, held: Lease, now: datetime, *, for_s: float) -> Lease:
    """Prolong a lease.

    Raises:
        LeaseLost: somebody else has the page.
    """
    row = _held(connection, held)
    until = now + timedelta(seconds=for_s)
    _set(connection, row.id, {"leased_until": until})
    return Lease(held.job, held.token, held.attempt, until)


def finish(connection: Connection, held: Lease, now: datetime) -> None:
    """End the work on a page; it waits again if something came meanwhile.

    Raises:
        LeaseLost: somebody else has the page.
    """
    row = _held(connection, held)
    values = _ended(now) | {"attempts": 0, "note": None}
    if row.again:
        due = max(now, row.begun_at + timedelta(seconds=row.pause_s))
        values |= {"state": JobState.WAITING.name, "due_at": due}
    else:
        values |= {"state": JobState.IDLE.name}
    _set(connection, row.id, values)
    looking.end(connection, row.wiki, row.title, now, None)


def retry(
    connection: Connection,
    held: Lease,
    now: datetime,
    *,
    in_s: float,
    why: str,
    attempts: int,
) -> None:
    """Let a page wait after a failure that may pass; park it after the last attempt.

    Raises:
        LeaseLost: somebody else has the page.
    """
    row = _held(connection, held)
    note = sanitise.text(why)
    if row.attempts >= attempts and not row.again:
        _set(connection, row.id, _parked(note, now))
        looking.end(connection, row.wiki, row.title, now, why)
        return
    waiting = {
        "state": JobState.WAITING.name,
        "due_at": now + timedelta(seconds=in_s),
        "note": note,
    }
    if row.again:
        waiting |= {"attempts": 0}  # a newer revision has all attempts before it
    _set(connection, row.id, _ended(now) | waiting)
    told = f"{why}; tried again in {in_s:.0f} s"
    looking.wait(connection, row.wiki, row.title, now, told)


def put_off(
    connection: Connection, held: Lease, now: datetime, *, in_s: float, why: str
) -> None:
    """Let a page wait that cannot be worked on now, through no fault of its own.

    It counts as no attempt: a page is not given up for what the whole program lacks.

    Raises:
        LeaseLost: somebody else has the page.
    """
    row = _held(connection, held)
    waiting = {
        "state": JobState.WAITING.name,
        "due_at": now + timedelta(seconds=in_s),
        "attempts": max(0, row.attempts - 1),
        "note": sanitise.text(why),
    }
    _set(connection, row.id, _ended(now) | waiting)
    told = f"{why}; tried again in {in_s:.0f} s"
    looking.wait(connection, row.wiki, row.title, now, told)


def park(connection: Connection, held: Lease, now: datetime, *, why: str) -> None:
    """Give a page up until a newer revision comes, or a person asks for it.

    Raises:
        LeaseLost: somebody else has the page.
    """
    row = _held(connection, held)
    if row.again:
        waiting = {"state": JobState.WAITING.name, "due_at": now, "attempts": 0}
        _set(connection, row.id, _ended(now) | waiting)
        looking.wait(connection, row.wiki, row.title, now, why)
    else:
        _set(connection, row.id, _parked(sanitise.text(why), now))
        looking.end(connection, row.wiki, row.title, now, why)


def give_up(connection: Connection, row: Row[Any], now: datetime, note: str) -> None:
    """Park a page that its workers died over."""
    _set(connection, row.id, _parked(note, now))


def give_back(connection: Connection, held: Lease, now: datetime) -> None:
    """Return a page that was not worked on, as a worker does that is told to stop.

    Raises:
        LeaseLost: somebody else has the page.
    """
    row = _held(connection, held)
    waiting = {
        "state": JobState.WAITING.name,
        "due_at": now,
        "attempts": max(0, row.attempts - 1),
    }
    _set(connection, row.id, _ended(now) | waiting)


def take_up(connection: Connection, wiki: str, title: str, now: datetime) -> bool:
    """Let a parked page wait again; `False` if it is not parked."""
    parked = jobs.c.state == JobState.PARKED.name
    named = (jobs.c.wiki == wiki) & (jobs.c.title == title)
    values = {"state": JobState.WAITING.name, "due_at": now, "attempts": 0}
    done = connection.execute(
        update(jobs).where(named & parked).values(**values, note=None, changed_at=now)
    )
    return done.rowcount > 0


def state(connection: Connection) -> QueueState:
    """Count the pages in each state."""
    counted = dict.fromkeys(JobState, 0)
    rows = connection.execute(select(jobs.c.state, func.count()).group_by(jobs.c.state))
    for name, count in rows:
        counted[JobState[name]] = count
    waiting = jobs.c.state == JobState.WAITING.name
    oldest = connection.scalar(
        select(jobs.c.due_at).where(waiting).order_by(jobs.c.due_at).limit(1)
    )
    return QueueState(counted, oldest)


def parked(connection: Connection, limit: int) -> tuple[ParkedJob, ...]:
    """Return parked pages, the one parked last first."""
    rows = connection.execute(
        select(jobs)
        .where(jobs.c.state == JobState.PARKED.name)
        .order_by(jobs.c.changed_at.desc(), jobs.c.id.desc())
        .limit(limit)
    )
    return tuple(
        ParkedJob(
            row.wiki,
            row.title,
            row.revision,
            row.note or "",
            row.changed_at,
            row.attempts,
        )
        for row in rows
    )


def _held(connection: Connection, held: Lease) -> Row[Any]:
    row = connection.execute(
        select(jobs)
        .filter_by(wiki=held.job.wiki, title=held.job.title)
        .with_for_update()
    ).one_or_none()
    leased = row is not None and row.state == JobState.LEASED.name
    if row is None or not leased or row.token != held.token:
        raise LeaseLost(f"{held.job.title} on {held.job.wiki} is no longer leased")
    return row


def _parked(note: str, now: datetime) -> dict[str, Any]:
    return _ended(now) | {"state": JobState.PARKED.name, "note": note}


def _ended(now: datetime) -> dict[str, Any]:
    return {"leased_until": None, "worker": None, "again": False, "changed_at": now}


def _set(connection: Connection, row_id: int, values: dict[str, Any]) -> None:
    connection.execute(update(jobs).where(jobs.c.id == row_id).values(**values))
