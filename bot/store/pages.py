"""Rows of pages and their revisions, within a transaction of the caller's."""

import hashlib
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, Table, insert, select, update

from bot.store import sanitise
from bot.store.plans import ask_for_plans
from bot.store.schema import pages, revisions
from bot.store.watches import wishes_of
from handlers.model import Page, PageId

PAGE_COLUMNS = (
    pages.c.wiki,
    pages.c.title,
    pages.c.wiki_page_id,
    revisions.c.number,
    revisions.c.revised_at,
)


def of_page(wanted: Select[Any], wiki: str, title: str) -> Select[Any]:
    """Return a query for what is of one page."""
    return wanted.where(
        pages.c.wiki == sanitise.key(wiki, "wiki"),
        pages.c.title == sanitise.key(title, "title"),
    )


def page_of(row: Row[Any]) -> PageId:
    """Return the page that a row with `PAGE_COLUMNS` is of."""
    return PageId(
        wiki=row.wiki,
        title=row.title,
        page_id=row.wiki_page_id,
        revision_id=row.number or None,
        revised_at=row.revised_at,
    )


def plan_anew(connection: Connection, page: PageId, now: datetime) -> None:
    """Have all thought through that is shown of a page."""
    wishes = wishes_of(connection, page.wiki, page.title, now)
    ask_for_plans(connection, wishes, now)


def page_row(connection: Connection, page: PageId) -> int:
    """Return the number of a page's row, which is made if it is missing, and lock it."""
    named = {
        "wiki": sanitise.key(page.wiki, "wiki"),
        "title": sanitise.key(page.title, "title"),
    }
    row = row_of(connection, pages, named, lock=True)
    if row is None:
        return inserted(connection, pages, {**named, "wiki_page_id": page.page_id})
    if page.page_id is not None:
        changed = update(pages).where(pages.c.id == row)
        connection.execute(changed.values(wiki_page_id=page.page_id))
    return row


def revision_row(connection: Connection, page: int, checked: Page) -> int:
    """Return the number of a revision's row, which is made if it is missing."""
    named = {
        "page": page,
        "number": checked.id.revision_id or 0,
        "text_sha256": hashlib.sha256(
            checked.wikitext.encode("utf-8", "surrogatepass")
        ).hexdigest(),
    }
    row = row_of(connection, revisions, named)
    if row is None:
        values = {**named, "revised_at": checked.id.revised_at}
        return inserted(connection, revisions, values)
    return row


def row_of(
    connection: Connection, table: Table, named: dict[str, Any], *, lock: bool = False
) -> int | None:
    """Return the number of the row that has these values."""
    wanted = select(table.c.id).filter_by(**named)
    row: int | None = connection.scalar(wanted.with_for_update() if lock else wanted)
    return row


def inserted(connection: Connection, table: Table, values: dict[str, Any]) -> int:
    """Insert a row; return its number."""
    return connection.execute(insert(table).values(**values)).lastrowid
