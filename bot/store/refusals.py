"""What each page's own text refuses, as last read."""

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from itertools import islice

from sqlalchemy import Connection, select, update

from bot.records.watches import NoteKind, PageSays
from bot.store import sanitise
from bot.store.database import Repository, reads, writes
from bot.store.schema import KEY_CHARS, pages
from bot.store.suggestions import page_row, replan
from handlers.model import PageId

_AT_ONCE = 500


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
        changed = update(pages).where(pages.c.id == row)
        connection.execute(changed.values(refusal=written))
        replan(connection, page, now)

    @reads
    def of_pages(
        self, connection: Connection, wiki: str, titles: Iterable[str]
    ) -> Mapping[str, PageSays]:
        """Return what some pages say, by title; those that say nothing are left out."""
        found: dict[str, PageSays] = {}
        left = iter(dict.fromkeys(sanitise.text(title, KEY_CHARS) for title in titles))
        while some := tuple(islice(left, _AT_ONCE)):
            rows = connection.execute(
                select(pages.c.title, pages.c.refusal).where(
                    pages.c.wiki == sanitise.text(wiki, KEY_CHARS),
                    pages.c.title.in_(some),
                    pages.c.refusal.is_not(None),
                )
            )
            found |= {title: _read(text) for title, text in rows}
        return found


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
