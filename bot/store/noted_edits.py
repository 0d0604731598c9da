"""What became of the edits that were noted, each looked at again twice.

A note is counted once for its wiki, by its identity, whatever turns an edit war takes.
What it says is read from the suggestion. Closed ones are kept for as long as the last
look takes to come; where one is gone earlier, its text was hidden.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, func, select, true

from bot.records.noted_edits import (
    FIRST_LOOK,
    LAST_LOOK,
    DueLook,
    NotedEdits,
    bucket_of,
)
from bot.store import mapping
from bot.store.database import (
    Repository,
    change,
    find,
    read_with,
    reads,
    rows_with,
    writes,
)
from bot.store.decisions import is_understood, says_of
from bot.store.schema import decisions, noted_edits, pages, suggestions
from bot.store.suggestions import selected_suggestions, stored_suggestion
from handlers.edits.outcome import EditOutcome, was_right
from handlers.findings import Suggestion
from handlers.model import EditKind

_MOST_DUE = 500

_notes = noted_edits.c


def count_noted(
    connection: Connection, since: datetime, wiki: str | None = None
) -> tuple[NotedEdits, ...]:
    """Count the edits noted at `since` or later, on one wiki or all, by kind."""
    which = (_notes.noted_at >= since) & _is_known()
    if wiki is not None:
        which &= _notes.wiki == wiki
    found: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    columns = (_notes.wiki, _notes.kind, _notes.became, _notes.is_final)
    rows = connection.execute(
        select(*columns, func.count().label("number")).where(which).group_by(*columns)
    )
    for row in rows:
        counts, became = found[row.wiki, row.kind], _became(row)
        counts[bucket_of(became, is_final=bool(row.is_final))] += row.number
        counts[_decided(row, None)] += row.number
    for row, answered in _answered(connection, which, columns):
        counts = found[row.wiki, row.kind]
        counts["said_right" if answered else "said_wrong"] += 1
        counts[_decided(row, None)] -= 1
        counts[_decided(row, answered)] += 1
    return tuple(
        NotedEdits(
            at, EditKind[kind], **{name: n for name, n in counts.items() if name}
        )
        for (at, kind), counts in sorted(found.items(), key=_place)
    )


def _place(one: tuple[tuple[str, str], object]) -> tuple[str, int]:
    (wiki, kind), _ = one
    return wiki, list(EditKind).index(EditKind[kind])


def _is_known() -> ColumnElement[bool]:
    return mapping.known(_notes.kind, EditKind) & mapping.known(
        _notes.became, EditOutcome
    )


def _became(row: Row[*tuple[Any, ...]]) -> EditOutcome | None:
    return EditOutcome[row.became] if row.became else None


def _decided(row: Row[*tuple[Any, ...]], answered: bool | None) -> str:
    """Return the field that counts a note by whether it was right; empty for none."""
    became = _became(row)
    is_right = was_right(became, is_final=bool(row.is_final), answered=answered)
    if is_right is None:
        return "" if became is EditOutcome.UNSEEN else "undecided"
    return "right" if is_right else "wrong"


def _answered(
    connection: Connection,
    which: ColumnElement[bool],
    columns: tuple[ColumnElement[Any], ...],
) -> Iterable[tuple[Row[*tuple[Any, ...]], bool]]:
    """Return the notes that readers answered, with the newest answer that says."""
    made = decisions.c
    rows = connection.execute(
        select(
            *columns,
            _notes.identity,
            made.flag_kind,
            made.kind.label("answer"),
            made.reason,
            made.right_verdict,
        )
        .join_from(
            noted_edits,
            decisions,
            (made.wiki == _notes.wiki) & (made.identity == _notes.identity),
        )
        .where(which & made.undone_at.is_(None) & made.is_own.is_not(true()))
        .where(is_understood() & made.flag_kind.is_not(None))
        .order_by(made.decided_at.desc(), made.id.desc())
    )
    found: dict[tuple[str, str], tuple[Row[*tuple[Any, ...]], bool]] = {}
    for row in rows:
        says = says_of(row.flag_kind, row.answer, row.reason, row.right_verdict)
        if says is not None:
            found.setdefault((row.wiki, row.identity), (row, says))
    return found.values()


class NotedEditRows(Repository):
    """The noted edits of all wikis."""

    counts = read_with(count_noted)

    @reads
    def due(
        self, connection: Connection, wiki: str, now: datetime
    ) -> tuple[DueLook, ...]:
        """Return the notes whose edits are due to be looked at, the oldest first."""
        is_first = _notes.became.is_(None) & (_notes.noted_at <= now - FIRST_LOOK)
        is_last = (
            (_notes.became != EditOutcome.REVERTED.name)
            & _notes.is_final.is_not(true())
            & (_notes.noted_at <= now - LAST_LOOK)
        )
        names = connection.scalars(
            select(_notes.identity)
            .where((_notes.wiki == wiki) & _is_known() & (is_first | is_last))
            .order_by(_notes.noted_at, _notes.id)
            .limit(_MOST_DUE)
        ).all()
        known = _suggestions(connection, wiki, names)
        return tuple(DueLook(name, known.get(name)) for name in names)

    @writes
    def keep(
        self,
        connection: Connection,
        wiki: str,
        seen: Mapping[str, EditOutcome],
        now: datetime,
    ) -> None:
        """Save what became of edits, by the identities of their notes."""
        for identity in sorted(seen):
            row = find(connection, noted_edits, wiki=wiki, identity=identity, lock=True)
            if row is None:
                continue
            values = {
                "became": seen[identity].name,
                "is_final": row.noted_at <= now - LAST_LOOK,
                "looked_at": now,
            }
            change(connection, noted_edits, values, id=row.id)


def _suggestions(
    connection: Connection, wiki: str, names: Collection[str]
) -> dict[str, Suggestion]:
    query = selected_suggestions().where(pages.c.wiki == wiki)
    rows = rows_with(connection, query, suggestions.c.identity, names)
    stored = mapping.understood(stored_suggestion, rows)
    return {one.suggestion.identity: one.suggestion for one in stored}
