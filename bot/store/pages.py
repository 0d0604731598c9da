"""The rows of pages and revisions, and what each page's own text refuses."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, TypeVarTuple

from sqlalchemy import Connection, Row, Select, select

from bot.records.watches import NoteKind, PageSays
from bot.store import sanitise
from bot.store.database import (
    Repository,
    change,
    find,
    inserted,
    reads,
    rows_with,
    writes,
)
from bot.store.posts import ask_for_plans
from bot.store.schema import KEY_CHARS, checks, pages, revisions
from bot.store.watches import intended_posts_of
from handlers.model import Page, PageId

_Columns = TypeVarTuple("_Columns")

PAGE_COLUMNS = (
    pages.c.wiki,
    pages.c.title,
    pages.c.wiki_page_id,
    revisions.c.number,
    revisions.c.revised_at,
)


def of_page(query: Select[*_Columns], wiki: str, title: str) -> Select[*_Columns]:
    """Restrict a query to the rows of one page."""
    return query.where(
        pages.c.wiki == sanitise.text(wiki, KEY_CHARS),
        pages.c.title == sanitise.text(title, KEY_CHARS),
    )


def page_of(row: Row[Any]) -> PageId:
    """Return the page of a row with `PAGE_COLUMNS`."""
    return PageId(
        wiki=row.wiki,
        title=row.title,
        page_id=row.wiki_page_id,
        revision_id=row.number or None,
        revised_at=row.revised_at,
    )


def replan(connection: Connection, page: PageId, now: datetime) -> None:
    """Have everything that is shown about a page planned again."""
    intended_posts = intended_posts_of(connection, page.wiki, page.title, now)
    ask_for_plans(connection, intended_posts, now)


def page_row(connection: Connection, page: PageId) -> int:
    """Return the number of a page's row, locked; insert it if it is missing."""
    named = sanitise.page(page.wiki, page.title)
    row = find(connection, pages, **named, lock=True)
    if row is None:
        return inserted(connection, pages, {**named, "wiki_page_id": page.page_id})
    if page.page_id is not None:
        change(connection, pages, {"wiki_page_id": page.page_id}, id=row.id)
    return int(row.id)


def revision_row(connection: Connection, page: int, checked: Page) -> int:
    """Return the number of a revision's row; insert it if it is missing."""
    named: dict[str, Any] = {
        "page": page,
        "number": checked.id.revision_id or 0,
        "text_sha256": hashlib.sha256(
            checked.wikitext.encode("utf-8", "surrogatepass")
        ).hexdigest(),
    }
    row = find(connection, revisions, **named)
    if row is None:
        values = {**named, "revised_at": checked.id.revised_at}
        return inserted(connection, revisions, values)
    return int(row.id)


def has_runs(connection: Connection, page: int) -> bool:
    """Return whether any run over a page is stored."""
    of_page = checks.c.revision == revisions.c.id
    query = select(checks.c.id).join(revisions, of_page)
    return connection.scalar(query.where(revisions.c.page == page).limit(1)) is not None


class PageRefusals(Repository):
    """What pages say about notes."""

    @writes
    def keep(
        self,
        connection: Connection,
        wiki: str,
        title: str,
        says: PageSays,
        now: datetime,
    ) -> None:
        """Save what a page says; if that has changed, what is shown is planned again."""
        page = PageId(wiki, title)
        row = page_row(connection, page)
        stored = connection.scalar(select(pages.c.refusal).where(pages.c.id == row))
        written = _written(says)
        if written == stored:
            return
        change(connection, pages, {"refusal": written}, id=row)
        replan(connection, page, now)

    @reads
    def of_pages(
        self, connection: Connection, wiki: str, titles: Iterable[str]
    ) -> Mapping[str, PageSays]:
        """Return what some pages say, by title; those that say nothing are left out."""
        names = {sanitise.text(title, KEY_CHARS) for title in titles}
        query = select(pages.c.title, pages.c.refusal).where(
            pages.c.wiki == sanitise.text(wiki, KEY_CHARS),
            pages.c.refusal.is_not(None),
        )
        rows = rows_with(connection, query, pages.c.title, names)
        return {row.title: _read(row.refusal) for row in rows}


def _written(says: PageSays) -> str | None:
    if not says.optout and not says.templates:
        return None
    values = {
        "optout": sorted(kind.name for kind in says.optout),
        "templates": sorted(sanitise.text(name) for name in says.templates),
    }
    return json.dumps(values, ensure_ascii=False)


def _read(text: str) -> PageSays:
    known = json.loads(text)
    return PageSays(
        frozenset(NoteKind[name] for name in known["optout"]),
        frozenset(known["templates"]),
    )
