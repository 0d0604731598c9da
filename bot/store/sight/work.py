"""What waits to be looked at, and what has to be planned anew."""

from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, case, func, select

from bot.records.jobs import JobState
from bot.store import queueing
from bot.store.queue_tables import jobs
from bot.store.sight.ages import ages_by
from bot.store.sight.values.waiting import Ages, QueueSight

_MOST_PARKED = 50
_MOST_REASONS = 10
NOTE_CHARS = 300


def queue(connection: Connection, now: datetime) -> QueueSight:
    """Count the pages by state and age, and tell what is parked."""
    waits = jobs.c.state == JobState.WAITING.name
    counted = ages_by(connection, jobs, jobs.c.state, _since(), now)
    failing = select(func.count()).where(waits & jobs.c.note.is_not(None))
    return QueueSight(
        states={state: counted.get(state.name, Ages()) for state in JobState},
        parked=queueing.parked(connection, _MOST_PARKED),
        why_parked=notes_of(
            connection, jobs.c.note, jobs.c.state == JobState.PARKED.name
        ),
        next_due_at=connection.scalar(
            select(func.min(jobs.c.due_at)).where(waits & (jobs.c.due_at > now))
        ),
        failing=connection.scalar(failing) or 0,
    )


def _since() -> ColumnElement[datetime]:
    """Return from when a page counts as old in its state."""
    return case(
        (jobs.c.state == JobState.WAITING.name, jobs.c.due_at),
        (
            jobs.c.state == JobState.LEASED.name,
            func.coalesce(jobs.c.begun_at, jobs.c.changed_at),
        ),
        else_=jobs.c.changed_at,
    )


def notes_of(
    connection: Connection, note: ColumnElement[Any], where: ColumnElement[bool]
) -> tuple[tuple[str, int], ...]:
    """Return the notes of rows with their numbers, the most frequent first."""
    short = func.substr(note, 1, NOTE_CHARS)
    rows = connection.execute(
        select(short, func.count())
        .where(where & note.is_not(None))
        .group_by(short)
        .order_by(func.count().desc(), short)
        .limit(_MOST_REASONS)
    )
    return tuple((text, count) for text, count in rows if text)
