"""What people asked to be drafted, and what came of it; no name of a person in it."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, select

from bot.records.dossiers import DraftState
from bot.store.draft_tables import drafts
from bot.store.sight.ages import ages_by
from bot.store.sight.values.waiting import Ages, DraftsSight

_MOST_REASONS = 10
_NOTE_CHARS = 200
_WITHOUT = (DraftState.NOTHING.name, DraftState.REFUSED.name)


def drafted(connection: Connection, now: datetime) -> DraftsSight:
    """Count the drafts in each state, and tell why there are none."""
    state: Any = drafts.c.state
    ages = ages_by(connection, drafts, state, drafts.c.changed_at, now)
    note = func.substr(drafts.c.note, 1, _NOTE_CHARS).label("note")
    rows = connection.execute(
        select(note, func.count().label("count"))
        .where(state.in_(_WITHOUT))
        .group_by(note)
        .order_by(func.count().desc(), note)
        .limit(_MOST_REASONS)
    )
    return DraftsSight(
        states={one: ages.get(one.name, Ages()) for one in DraftState},
        why_none=tuple((row.note, row[1]) for row in rows),
    )
