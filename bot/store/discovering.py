"""Writes a run of update discovery, within a transaction of the caller's.

A run does not find again what lies before its days, or beyond its steps: so what it
misses stays open, unless it read all the sources of that, or found something newer in
its place. What is settled on the page goes at any look at the page.
"""

import json
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, select, update

from bot.store import compatibility, notes_json, reading, rows, sanitise, suggesting
from bot.store.schema import NAME_CHARS, pages, suggestions
from bot.store.sight import costs
from bot.store.update_tables import discoveries
from bot.store.values import KeptDiscovery, KeptSuggestion
from handlers.model import (
    Discovery,
    Engine,
    Page,
    PageId,
    Stopped,
    Suggestion,
    UpdateKind,
    Window,
)
from handlers.updates.renewing import as_kept, outlived
from handlers.updates.standing import Article
from handlers.updates.subjects import statements_of

_AT_ONCE = 500  # titles in one statement
_UNKNOWN = Engine("unknown", "")


def save_discovery(
    connection: Connection,
    run: Discovery,
    found: Sequence[Suggestion],
    searched_at: datetime,
    model: str,
) -> bool:
    """Save a run and what it found; `False` if it is there already."""
    article = run.subject.page
    page = rows.page_row(connection, article.id)
    named = {"page": page, "searched_at": searched_at}
    if rows.row_of(connection, discoveries, named) is not None:
        return False
    was_shown = suggesting.shown(connection, page)
    kept = _updates(connection, page, with_closed=True)
    same = as_kept(found, [one.suggestion for one in kept])
    revision = rows.revision_row(connection, page, article)
    suggesting.write(connection, page, revision, searched_at, same)
    still = [one.suggestion for one in kept if one.closed_at is None]
    again = {one.identity for one in same}
    rest = [one for one in still if one.identity not in again]
    gone = outlived(rest, same, run) | _settled(rest, article)
    suggesting.close_some(connection, page, gone, searched_at)
    rows.inserted(connection, discoveries, {**named, **_columns(run)})
    costs.keep_use(connection, model, run.use, searched_at)
    if suggesting.shown(connection, page) != was_shown:
        rows.plan_anew(connection, article.id, searched_at)
    return True


def follow(connection: Connection, page: int, article: Page, now: datetime) -> None:
    """Close the updates that are settled on a page as it reads now, move on the rest."""
    still = [one.suggestion for one in _updates(connection, page, with_closed=False)]
    if not still:
        return
    suggesting.close_some(connection, page, _settled(still, article), now)
    standing = Article(article, statements_of(article))
    for one in still:
        stood = standing.find(one)
        if stood is not None:
            same = (suggestions.c.page == page) & (
                suggestions.c.identity == one.identity
            )
            moved = {"section": sanitise.listed(stood.section), "place": stood.place}
            connection.execute(update(suggestions).where(same).values(**moved))


def last(connection: Connection, wiki: str, title: str) -> KeptDiscovery | None:
    """Return the last run over a page."""
    wanted = _of_page(wiki, title).order_by(discoveries.c.searched_at.desc()).limit(1)
    row = connection.execute(wanted).first()
    return None if row is None else _kept(row)


def searched(
    connection: Connection, wiki: str, titles: Sequence[str]
) -> dict[str, datetime]:
    """Return when updates of each of some pages were last looked for."""
    found: dict[str, datetime] = {}
    for at in range(0, len(titles), _AT_ONCE):
        some = [sanitise.text(one) for one in titles[at : at + _AT_ONCE]]
        wanted = (
            select(pages.c.title, discoveries.c.searched_at)
            .join(discoveries, discoveries.c.page == pages.c.id)
            .where((pages.c.wiki == sanitise.text(wiki)) & pages.c.title.in_(some))
            .order_by(discoveries.c.searched_at)
        )
        found |= {row.title: row.searched_at for row in connection.execute(wanted)}
    return found


def _updates(
    connection: Connection, page: int, *, with_closed: bool
) -> list[KeptSuggestion]:
    kept = suggestions.c
    of_updates = kept.update_kind.in_(UpdateKind.__members__)
    wanted = reading.selected().where(kept.page == page, of_updates)
    if not with_closed:
        wanted = wanted.where(kept.closed_at.is_(None))
    ordered = wanted.order_by(kept.first_seen, kept.identity)
    rows = connection.execute(ordered)
    return list(compatibility.understood(reading.kept_of, rows))


def _settled(open_ones: Iterable[Suggestion], article: Page) -> frozenset[str]:
    """Return the identities of those that no longer hold on a page."""
    some = tuple(open_ones)
    if not some:
        return frozenset()
    standing = Article(article, statements_of(article))
    return frozenset(one.identity for one in some if standing.find(one) is None)


def _columns(run: Discovery) -> dict[str, Any]:
    engine, window = run.engine or _UNKNOWN, run.subject.window
    trace = notes_json.trace_json(run.trace)
    return {
        "revision": run.subject.page.id.revision_id or 0,
        "since": window.since and window.since.isoformat(),
        "until": window.until and window.until.isoformat(),
        "stopped": run.stopped.name,
        "updates": len(run.updates),
        "took_s": run.took_s,
        "engine_name": sanitise.key(engine.name, "engine's name", NAME_CHARS),
        "engine_version": sanitise.text(engine.version, NAME_CHARS),
        "trace": json.dumps(trace, ensure_ascii=False),
        "troubles": sanitise.listed(run.troubles),
        "is_sensitive": run.subject.is_sensitive,
    }


def _of_page(wiki: str, title: str) -> Select[Any]:
    return (
        select(pages.c.wiki, pages.c.title, pages.c.wiki_page_id, discoveries)
        .join(discoveries, discoveries.c.page == pages.c.id)
        .where(
            pages.c.wiki == sanitise.key(wiki, "wiki"),
            pages.c.title == sanitise.key(title, "title"),
        )
    )


def _kept(row: Row[Any]) -> KeptDiscovery:
    return KeptDiscovery(
        page=PageId(row.wiki, row.title, row.wiki_page_id, row.revision or None),
        searched_at=row.searched_at,
        window=Window(_day(row.since), _day(row.until)),
        updates=row.updates,
        stopped=Stopped[row.stopped],
        took_s=row.took_s,
        engine=Engine(row.engine_name, row.engine_version),
        trace=notes_json.trace_of(json.loads(row.trace)),
        troubles=sanitise.unlisted(row.troubles),
        is_sensitive=row.is_sensitive,
    )


def _day(kept: str | None) -> date | None:
    return date.fromisoformat(kept) if kept else None
