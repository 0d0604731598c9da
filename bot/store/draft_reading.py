"""Reads the drafts that people asked for, within a transaction of the caller's."""

from typing import Any

from sqlalchemy import Connection, Row, select

from bot.records.dossiers import DraftState, KeptDraft
from bot.store.draft_tables import drafts


def of_page(connection: Connection, wiki: str, page: str) -> KeptDraft | None:
    """Return the draft for a page."""
    chosen = select(drafts).filter_by(wiki=wiki, page=page)
    row = connection.execute(chosen).one_or_none()
    return None if row is None else kept(row)


def of_place(connection: Connection, wiki: str, place: str) -> tuple[KeptDraft, ...]:
    """Return the drafts that an opt-in asks for, without their texts."""
    chosen = (
        select(*(one for one in drafts.c if one.name != "text"))
        .filter_by(wiki=wiki, place=place)
        .where(drafts.c.state != DraftState.DROPPED.name)
        .order_by(drafts.c.page)
    )
    return tuple(kept(row) for row in connection.execute(chosen))


def kept(row: Row[Any]) -> KeptDraft:
    """Return a row as a value."""
    return KeptDraft(
        wiki=row.wiki,
        page=row.page,
        place=row.place,
        watcher=row.watcher,
        topic=row.topic,
        state=DraftState[row.state],
        changed_at=row.changed_at,
        asked_in=row.asked_in,
        note=row.note,
        text=getattr(row, "text", ""),
        text_sha256=row.text_sha256,
        drafted_at=row.drafted_at,
        revision_id=row.revision,
    )
