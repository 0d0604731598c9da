"""The edits that readers saved through the panel, and what became of them.

An edit is stored once, whoever finds it. It is checked again until it is a month old;
if it was not reverted by then, it is expected to stay.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from sqlalchemy import Connection, case, func, insert, select, update

from bot.records.panel_edits import (
    STAYED_AFTER,
    EditCounts,
    EditKind,
    EditState,
    PanelEdit,
)
from bot.store import sanitise
from bot.store.database import Repository, reads, writes
from bot.store.schema import panel_edit_sweeps, panel_edits

_CHECKED_FOR = timedelta(days=30)
_AGAIN_AFTER = timedelta(hours=20)
_MOST_DUE = 500
_AT_ONCE = 100

_edits = panel_edits.c


class PanelEdits(Repository):
    """Edits of all wikis."""

    @reads
    def swept_until(self, connection: Connection, wiki: str) -> datetime | None:
        """Return up to when a wiki's changes were searched; `None` if they never were."""
        return connection.scalar(
            select(panel_edit_sweeps.c.until).where(panel_edit_sweeps.c.wiki == wiki)
        )

    @writes
    def keep(
        self,
        connection: Connection,
        wiki: str,
        edits: Iterable[PanelEdit],
        until: datetime,
        now: datetime,
    ) -> int:
        """Save new edits, and that changes were searched up to `until`."""
        wiki = sanitise.key(wiki, "wiki")
        found = {one.revision: one for one in edits}
        new = sorted(found.keys() - _known(connection, wiki, found))
        for revision in new:
            edit = found[revision]
            connection.execute(
                insert(panel_edits).values(
                    wiki=wiki,
                    revision=revision,
                    kind=edit.kind.name,
                    found_by=edit.found_by.name,
                    saved_at=edit.saved_at,
                    state=edit.state.name,
                    checked_at=now,
                )
            )
        mine = panel_edit_sweeps.c.wiki == wiki
        before = connection.scalar(
            select(panel_edit_sweeps.c.until).where(mine).with_for_update()
        )
        if before is None:
            swept = insert(panel_edit_sweeps).values(wiki=wiki, until=until)
            connection.execute(swept)
        elif before < until:
            connection.execute(
                update(panel_edit_sweeps).where(mine).values(until=until)
            )
        return len(new)

    @reads
    def due(self, connection: Connection, wiki: str, now: datetime) -> tuple[int, ...]:
        """Return the revisions that are due to be checked for a revert."""
        is_due = (
            (_edits.wiki == wiki)
            & (_edits.state == EditState.STANDS.name)
            & (_edits.saved_at > now - _CHECKED_FOR - _AGAIN_AFTER)
            & (_edits.checked_at < now - _AGAIN_AFTER)
        )
        some = select(_edits.revision).where(is_due).order_by(_edits.checked_at)
        return tuple(connection.scalars(some.limit(_MOST_DUE)))

    @writes
    def keep_states(
        self,
        connection: Connection,
        wiki: str,
        states: Mapping[int, EditState],
        now: datetime,
    ) -> None:
        """Save what became of edits."""
        for revision in sorted(states):
            same = (_edits.wiki == wiki) & (_edits.revision == revision)
            values = {"state": states[revision].name, "checked_at": now}
            connection.execute(update(panel_edits).where(same).values(**values))

    @reads
    def counts(
        self, connection: Connection, wiki: str, since: datetime, now: datetime
    ) -> tuple[EditCounts, ...]:
        """Count the edits of a wiki saved at `since` or later, by kind."""
        return count_panel_edits(connection, wiki, since, now)


def count_panel_edits(
    connection: Connection, wiki: str, since: datetime, now: datetime
) -> tuple[EditCounts, ...]:
    """Count the edits of a wiki saved at `since` or later, by kind."""
    is_old = _edits.saved_at <= now - STAYED_AFTER
    stands = _edits.state == EditState.STANDS.name

    def where(condition: object) -> object:
        return func.sum(case((condition, 1), else_=0))  # type: ignore[arg-type]  # a condition

    rows = connection.execute(
        select(
            _edits.kind,
            where(_edits.state == EditState.REVERTED.name),
            where(_edits.state == EditState.GONE.name),
            where(stands & is_old),
            where(stands & ~is_old),
        )  # type: ignore[call-overload]  # sums
        .where((_edits.wiki == wiki) & (_edits.saved_at >= since))
        .group_by(_edits.kind)
    )
    found = {name: tuple(map(int, counts)) for name, *counts in rows}
    return tuple(
        EditCounts(kind, *found[kind.name]) for kind in EditKind if kind.name in found
    )


def _known(connection: Connection, wiki: str, revisions: Iterable[int]) -> set[int]:
    distinct, known = sorted(revisions), set[int]()
    for at in range(0, len(distinct), _AT_ONCE):
        some = _edits.revision.in_(distinct[at : at + _AT_ONCE])
        chosen = select(_edits.revision).where((_edits.wiki == wiki) & some)
        known |= set(connection.scalars(chosen))
    return known
