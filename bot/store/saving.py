"""Writes one run over a page, within a transaction of the caller's.

The page's row is locked first, so that two workers on one page take turns. What
is already there is left as it is: saving the same run again changes nothing.
"""

import hashlib
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Table, insert, select, update

from bot.store import border, findings
from bot.store.schema import (
    ADDRESS_CHARS,
    NAME_CHARS,
    checks,
    claim_checks,
    claim_readings,
    pages,
    revisions,
    source_readings,
    suggestions,
)
from bot.store.values import CheckedPage
from handlers.model import ClaimCheck, Page, PageId, SourceReading, Suggestion, Verdict


def save_check(
    connection: Connection, checked: CheckedPage, found: Sequence[Suggestion]
) -> bool:
    """Save a run and the suggestions that it found; `False` if it is there already."""
    page = _page_row(connection, checked.page.id)
    revision = _revision_row(connection, page, checked.page)
    values = {
        "revision": revision,
        "checked_at": checked.checked_at,
        "engine_name": border.key(checked.engine.name, "engine's name", NAME_CHARS),
        "engine_version": border.text(checked.engine.version, NAME_CHARS),
    }
    if _row_of(connection, checks, values) is not None:
        return False
    is_newest = _is_newest(connection, page, checked)
    check = _insert(connection, checks, {**values, **_counts(checked.checks)})
    _save_results(connection, check, checked.checks)
    if is_newest:
        _save_suggestions(connection, page, revision, checked, found)
    return True


def _page_row(connection: Connection, page: PageId) -> int:
    named = {
        "wiki": border.key(page.wiki, "wiki"),
        "title": border.key(page.title, "title"),
    }
    row = _row_of(connection, pages, named, lock=True)
    if row is None:
        return _insert(connection, pages, {**named, "wiki_page_id": page.page_id})
    if page.page_id is not None:
        changed = update(pages).where(pages.c.id == row)
        connection.execute(changed.values(wiki_page_id=page.page_id))
    return row


def _revision_row(connection: Connection, page: int, checked: Page) -> int:
    named = {
        "page": page,
        "number": checked.id.revision_id or 0,
        "text_sha256": hashlib.sha256(
            checked.wikitext.encode("utf-8", "surrogatepass")
        ).hexdigest(),
    }
    row = _row_of(connection, revisions, named)
    if row is None:
        values = {**named, "revised_at": checked.id.revised_at}
        return _insert(connection, revisions, values)
    return row


def _row_of(
    connection: Connection, table: Table, named: dict[str, Any], *, lock: bool = False
) -> int | None:
    wanted = select(table.c.id).filter_by(**named)
    row: int | None = connection.scalar(wanted.with_for_update() if lock else wanted)
    return row


def _insert(connection: Connection, table: Table, values: dict[str, Any]) -> int:
    return connection.execute(insert(table).values(**values)).lastrowid


def _is_newest(connection: Connection, page: int, checked: CheckedPage) -> bool:
    """Tell whether no later revision, and no later run over this one, is known."""
    latest = connection.execute(
        select(revisions.c.number, checks.c.checked_at)
        .join(checks, checks.c.revision == revisions.c.id)
        .where(revisions.c.page == page)
        .order_by(revisions.c.number.desc(), checks.c.checked_at.desc())
        .limit(1)
    ).first()
    if latest is None:
        return True
    number: int = checked.page.id.revision_id or 0
    known: tuple[int, datetime] = (latest.number, latest.checked_at)
    return (number, checked.checked_at) >= known


def _counts(results: Sequence[ClaimCheck]) -> dict[str, int]:
    verdicts = [result.verdict for result in results]
    counts = {verdict.name.lower(): verdicts.count(verdict) for verdict in Verdict}
    return {"claims": len(verdicts), **counts, "unchecked": verdicts.count(None)}


# --- claims and readings ----------------------------------------------------


def _save_results(
    connection: Connection, check: int, results: Sequence[ClaimCheck]
) -> None:
    readings: dict[tuple[Any, ...], int] = {}
    links = set()
    for position, result in enumerate(results):
        for reading in result.readings:
            place = readings.setdefault(_reading(reading), len(readings))
            links.add((position, place))
    claims = [_claim(check, number, result) for number, result in enumerate(results)]
    _insert_all(connection, claim_checks, claims)
    named = [column.name for column in source_readings.columns][1:]
    _insert_all(
        connection,
        source_readings,
        [
            {"check_id": check, **dict(zip(named, (place, *reading), strict=True))}
            for reading, place in readings.items()
        ],
    )
    _insert_all(
        connection,
        claim_readings,
        [
            {"check_id": check, "claim": claim, "reading": reading}
            for claim, reading in sorted(links)
        ],
    )


def _insert_all(
    connection: Connection, table: Table, rows: Sequence[dict[str, Any]]
) -> None:
    if rows:
        connection.execute(insert(table), rows)


def _claim(check: int, position: int, result: ClaimCheck) -> dict[str, Any]:
    found = result.verification.probabilities if result.verification else None
    return {
        "check_id": check,
        "position": position,
        "claim": border.text(result.claim.text),
        "kind": result.claim.kind.name,
        "section": border.listed(result.claim.section),
        "verdict": result.verdict and result.verdict.name,
        "p_supported": found and border.share(found.supported),
        "p_partially_supported": found and border.share(found.partially_supported),
        "p_not_supported": found and border.share(found.not_supported),
        "p_contradicted": found and border.share(found.contradicted),
        "advice": border.text(result.advice),
    }


def _reading(reading: SourceReading) -> tuple[Any, ...]:
    """Return a reading's columns, in their order, after its place."""
    return (
        border.text(reading.source.key, ADDRESS_CHARS),
        reading.outcome.name,
        border.text(reading.detail, ADDRESS_CHARS),
        border.text(reading.url, ADDRESS_CHARS),
        reading.origin and reading.origin.name,
        reading.read_at,
        border.text(reading.content_sha256, 64),
        reading.http_status,
    )


# --- suggestions ------------------------------------------------------------


def _save_suggestions(
    connection: Connection,
    page: int,
    revision: int,
    checked: CheckedPage,
    found: Iterable[Suggestion],
) -> None:
    of_page = suggestions.c.page == page
    known = connection.execute(select(suggestions).where(of_page)).all()
    now = {border.key(one.identity, "identity"): one for one in found}
    new = now.keys() - {row.identity for row in known}
    for identity, one in now.items():
        values = _suggestion(revision, checked.checked_at, one)
        if identity in new:
            named = {"page": page, "identity": identity}
            values |= named | {"first_seen": checked.checked_at}
            connection.execute(insert(suggestions).values(**values))
        else:
            same = update(suggestions).where(
                of_page, suggestions.c.identity == identity
            )
            connection.execute(same.values(**values))
    gone = _gone([row for row in known if row.identity not in now], checked)
    closed = update(suggestions).where(of_page, suggestions.c.identity.in_(gone))
    connection.execute(closed.values(closed_at=checked.checked_at))


def _gone(missed: Iterable[Row[Any]], checked: CheckedPage) -> list[str]:
    """Return which open suggestions to close, of those that were not found again.

    A claim that stands there as before, and could not be checked, is not gone.
    """
    unchecked = {_said(result) for result in checked.checks if result.verdict is None}
    return [
        row.identity
        for row in missed
        if row.closed_at is None
        and (_folded(row.claim), frozenset(border.unlisted(row.source_keys)))
        not in unchecked
    ]


def _said(result: ClaimCheck) -> tuple[str, frozenset[str]]:
    """Return what a claim says and cites, as a suggestion about it is kept."""
    keys = border.listed(source.key for source in result.claim.sources)
    words = border.text(result.claim.text)
    return _folded(words), frozenset(border.unlisted(keys))


def _folded(words: str) -> str:
    return " ".join(words.split())


def _suggestion(revision: int, seen_at: datetime, one: Suggestion) -> dict[str, Any]:
    return {
        "revision": revision,
        "claim": border.text(one.claim),
        "section": border.listed(one.section),
        "source_keys": border.listed(one.source_keys),
        "verdict": one.verdict.name,
        "probability": border.share(one.probability),
        "quote": border.text(one.quote),
        "quote_url": border.text(one.quote_url, ADDRESS_CHARS),
        "engine_name": border.key(one.engine.name, "engine's name", NAME_CHARS),
        "engine_version": border.text(one.engine.version, NAME_CHARS),
        "last_seen": seen_at,
        "closed_at": None,
        **findings.flag_columns(one.flag),
        "place": one.place,
        "remedies": findings.remedies_text(one.remedies),
    }
