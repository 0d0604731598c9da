"""Runs of update discovery, and what belongs in the sections of articles.

A run cannot find again what is older than its days or beyond its steps. So what it
misses stays open, unless it read all the sources of it, or found something newer in its
place. What is settled on the page is closed at any check of the page.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Connection, Row, select

from bot.records.spending import Work
from bot.records.tasks import Lease, TaskKind
from bot.records.watches import Check
from bot.store import mapping, sanitise
from bot.store.database import (
    Repository,
    change,
    find,
    inserted,
    put,
    read_with,
    reads,
    rows_with,
    writes,
)
from bot.store.mapping import as_value
from bot.store.pages import of_page, page_row, replan, revision_row
from bot.store.schema import (
    HASH_CHARS,
    discoveries,
    pages,
    stored_criteria,
    suggestions,
    watched_pages,
    watches,
)
from bot.store.spending import book_work, keep_use
from bot.store.suggestion_columns import trace_of, trace_text
from bot.store.suggestions import (
    StoredSuggestion,
    close_suggestions,
    selected_suggestions,
    shown_suggestions,
    stored_suggestion,
    write_suggestions,
)
from bot.store.tasks import Policy, finish, nothing_to_do, queue
from bot.store.watches import watches_of_page
from handlers.findings import Suggestion
from handlers.model import (
    Criteria,
    Discovery,
    Engine,
    Page,
    PageId,
    SectionCriteria,
    Stopped,
    TraceStep,
    UpdateKind,
    Window,
)
from handlers.registry import PageNow, stands
from handlers.updates.suggestions import closed_by_run, with_stored_identities

_MOST_SECTIONS = 500
_MOST_LINES = 50  # for what one section wants
_LINE_CHARS = 1_000
_Texts = tuple[str, ...]
_ROWS = TypeAdapter(list[tuple[_Texts, _Texts, list[Any], bool]])

_LEASE_S, _DEATHS, _DAY_S = 120.0, 3, 86_400.0
# Earlier than all searches: a page without one comes first.
_LONG_AGO = timedelta(days=3_650)
_UNKNOWN = Engine("unknown", "")


@dataclass(frozen=True, slots=True)
class StoredDiscovery:
    """One run of update discovery over a page, and its trace."""

    page: PageId
    searched_at: datetime
    window: Window
    updates: int
    stopped: Stopped
    took_s: float
    engine: Engine
    trace: tuple[TraceStep, ...]
    troubles: tuple[str, ...]
    is_sensitive: bool = False


def last_searches(
    connection: Connection, wiki: str, titles: Iterable[str]
) -> dict[str, datetime]:
    """Return when each of some pages was last searched; those never searched are missing."""
    query = (
        select(pages.c.title, discoveries.c.searched_at)
        .join(discoveries, discoveries.c.page == pages.c.id)
        .where(pages.c.wiki == sanitise.text(wiki))
        .order_by(discoveries.c.searched_at)
    )
    rows = rows_with(connection, query, pages.c.title, map(sanitise.text, titles))
    return {row.title: row.searched_at for row in rows}


class Discoveries(Repository):
    """What was searched for, and found."""

    searched = read_with(last_searches)

    @writes
    def save(
        self,
        connection: Connection,
        run: Discovery,
        found: Sequence[Suggestion],
        searched_at: datetime,
        *,
        model: str = "",
        ends: Lease[str] | None = None,
    ) -> bool:
        """Save a run over one page with its findings, or nothing.

        A finding of an earlier run keeps its identity if it is found again, and is
        closed if it is settled. A page has one run at a time, which ended at
        `searched_at`. `model` is the language model, if one was asked; the task,
        `ends`, is ended in the same transaction.

        Returns:
            `False` if this run was saved before; then nothing changes.
        """
        if ends is not None:
            finish(connection, ends, searched_at)
        article = run.subject.page
        page = page_row(connection, article.id)
        named: dict[str, Any] = {"page": page, "searched_at": searched_at}
        if find(connection, discoveries, **named) is not None:
            return False
        was_shown = shown_suggestions(connection, page)
        stored = _updates(connection, page, with_closed=True)
        same = with_stored_identities(found, [one.suggestion for one in stored])
        revision = revision_row(connection, page, article)
        write_suggestions(connection, page, revision, searched_at, same)
        still = [one.suggestion for one in stored if one.closed_at is None]
        again = {one.identity for one in same}
        rest = [one for one in still if one.identity not in again]
        gone = closed_by_run(rest, same, run) | _settled(rest, article)
        close_suggestions(connection, page, gone, searched_at)
        inserted(connection, discoveries, {**named, **_columns(run)})
        keep_use(connection, model, run.use, searched_at)
        tokens = run.use.input_tokens + run.use.output_tokens
        work = Work(tokens=tokens)
        book_work(connection, article.id.wiki, article.id.title, work, searched_at)
        if shown_suggestions(connection, page) != was_shown:
            replan(connection, article.id, searched_at)
        return True

    @writes
    def enrol(self, connection: Connection, every: timedelta, now: datetime) -> None:
        """Queue watched pages with `updates` switched on that were not searched for so long."""
        titles: dict[str, set[str]] = {}
        watched = select(watches.c.checks, watched_pages.c.wiki, watched_pages.c.title)
        joined = watched.join(watched_pages, watched_pages.c.watch == watches.c.id)
        for row in connection.execute(joined):
            if Check.UPDATES.name in sanitise.unlisted(row.checks):
                titles.setdefault(row.wiki, set()).add(row.title)
        for wiki, some in sorted(titles.items()):
            known = last_searches(connection, wiki, some)
            due = {title: known.get(title, now - _LONG_AGO) + every for title in some}
            due_now = {title: at for title, at in due.items() if at <= now}
            queue(connection, TaskKind.UPDATE, wiki, due_now, now)

    @reads
    def last(
        self, connection: Connection, wiki: str, title: str
    ) -> StoredDiscovery | None:
        """Return the last run over a page."""
        page = pages.c.wiki, pages.c.title, pages.c.wiki_page_id
        query = (
            select(*page, discoveries)
            .join(discoveries, discoveries.c.page == pages.c.id)
            .order_by(discoveries.c.searched_at.desc())
            .limit(1)
        )
        row = connection.execute(of_page(query, wiki, title)).first()
        return None if row is None else _discovery(row)


class StoredCriteriaRow(Repository):
    """What belongs in the sections of articles."""

    @reads
    def get(
        self, connection: Connection, page: PageId, outline_sha256: str
    ) -> Criteria | None:
        """Return the criteria of an article with this outline, if they are stored."""
        row = find(connection, stored_criteria, wiki=page.wiki, title=page.title)
        if row is None or row.outline_sha256 != outline_sha256:
            return None
        try:
            rows = _ROWS.validate_json(row.criteria)
        except ValidationError:
            return None  # unreadable, or another version wrote it: made again
        sections = tuple(
            SectionCriteria(path, wants, is_open) for path, wants, _, is_open in rows
        )
        engine = Engine(row.engine_name, row.engine_version)
        return Criteria(sections, row.outline_sha256, engine)

    @writes
    def put(
        self, connection: Connection, page: PageId, criteria: Criteria, now: datetime
    ) -> None:
        """Save the criteria of an article, replacing earlier ones."""
        rows = list(map(_row, criteria.sections[:_MOST_SECTIONS]))
        values = sanitise.engine(criteria.engine) | {
            "outline_sha256": sanitise.key(
                criteria.outline_sha256, "fingerprint of an outline", HASH_CHARS
            ),
            "criteria": json.dumps(rows, ensure_ascii=False),
            "kept_at": now,
        }
        key = sanitise.page(page.wiki, page.title)
        row = find(connection, stored_criteria, **key, lock=True)
        put(connection, stored_criteria, row, values, **key)


def _row(one: SectionCriteria) -> list[Any]:
    return [
        [sanitise.text(heading, _LINE_CHARS) for heading in one.path],
        [sanitise.text(want, _LINE_CHARS) for want in one.wants[:_MOST_LINES]],
        [],  # earlier versions weighted words here
        one.is_open,
    ]


def follow_updates(
    connection: Connection, page: int, article: Page, now: datetime
) -> None:
    """Close the updates settled on the page as it reads now, and move the rest along."""
    still = [one.suggestion for one in _updates(connection, page, with_closed=False)]
    if not still:
        return
    current = PageNow(article)
    found = {one.identity: stands(one, current) for one in still}
    gone = (identity for identity, one in found.items() if one is None)
    close_suggestions(connection, page, gone, now)
    for identity, one in found.items():
        if one is not None:
            moved = {"section": sanitise.listed(one.section), "place": one.place}
            change(connection, suggestions, moved, page=page, identity=identity)


def update_policy() -> Policy:
    """Return the policy for searches: a page that kills its workers rests for a day."""
    return Policy(_LEASE_S, _DEATHS, _wished, rest_s=_DAY_S)


def _wished(connection: Connection, row: Row[Any], now: datetime) -> str | None:
    """Return the title of a page; `None` if nobody wants it searched any longer."""
    for watch in connection.execute(watches_of_page(row.wiki, row.subject)):
        if Check.UPDATES.name in sanitise.unlisted(watch.checks):
            return str(row.subject)
    nothing_to_do(connection, row, now)
    return None


def _updates(
    connection: Connection, page: int, *, with_closed: bool
) -> list[StoredSuggestion]:
    columns = suggestions.c
    of_updates = columns.update_kind.in_(UpdateKind.__members__)
    query = selected_suggestions().where(columns.page == page, of_updates)
    if not with_closed:
        query = query.where(columns.closed_at.is_(None))
    ordered = query.order_by(columns.first_seen, columns.identity)
    rows = connection.execute(ordered)
    return list(mapping.understood(stored_suggestion, rows))


def _settled(open_ones: Iterable[Suggestion], article: Page) -> frozenset[str]:
    """Return the identities of those that no longer hold on a page."""
    some = tuple(open_ones)
    if not some:
        return frozenset()
    current = PageNow(article)
    return frozenset(one.identity for one in some if stands(one, current) is None)


def _columns(run: Discovery) -> dict[str, Any]:
    engine, window = run.engine or _UNKNOWN, run.subject.window
    return {
        "revision": run.subject.page.id.revision_id or 0,
        "since": window.since and window.since.isoformat(),
        "until": window.until and window.until.isoformat(),
        "stopped": run.stopped.name,
        "updates": len(run.updates),
        "took_s": run.took_s,
        **sanitise.engine(engine),
        "trace": trace_text(run.trace),
        "troubles": sanitise.listed(run.troubles),
        "is_sensitive": run.subject.is_sensitive,
    }


def _discovery(row: Row[Any]) -> StoredDiscovery:
    return as_value(
        StoredDiscovery,
        row,
        page=PageId(row.wiki, row.title, row.wiki_page_id, row.revision or None),
        window=Window(_day(row.since), _day(row.until)),
        trace=trace_of(row.trace),
    )


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None
