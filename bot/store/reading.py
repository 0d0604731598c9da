"""Reads back what was saved, as values of the core."""

from collections import defaultdict
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, func, select

from bot.store import compatibility, details_json, findings, sanitise
from bot.store.schema import (
    checks,
    claim_checks,
    claim_readings,
    pages,
    revisions,
    source_readings,
    suggestions,
)
from bot.store.values import (
    CheckCounts,
    KeptCheck,
    KeptClaim,
    KeptReading,
    KeptSuggestion,
)
from handlers.model import (
    ClaimKind,
    Engine,
    Origin,
    PageId,
    Probabilities,
    SourceOutcome,
    Suggestion,
    UpdateKind,
    Verdict,
)

_PAGES_AT_ONCE = 1000
WRITING = "WRITING"  # in the place of the kind of an update
_KINDS = {None, WRITING, *UpdateKind.__members__}
_PAGE = (
    pages.c.wiki,
    pages.c.title,
    pages.c.wiki_page_id,
    revisions.c.number,
    revisions.c.revised_at,
)


def suggestions_of(
    connection: Connection,
    wiki: str,
    title: str,
    *,
    with_closed: bool,
    all_or_none: bool,
) -> tuple[KeptSuggestion, ...]:
    """Return the suggestions of a page, those that were found first before others.

    Raises:
        NotKnown: a newer version keeps one that this one does not know, and
            `all_or_none`; else it is left out.
    """
    wanted = selected().order_by(suggestions.c.first_seen, suggestions.c.identity)
    if not with_closed:
        wanted = wanted.where(suggestions.c.closed_at.is_(None))
    rows = connection.execute(_of_page(wanted, wiki, title))
    return tuple(
        map(kept_of, rows) if all_or_none else compatibility.understood(kept_of, rows)
    )


def selected() -> Select[Any]:
    """Return the query for suggestions with their pages; `kept_of` reads its rows."""
    return (
        select(*_PAGE, suggestions)
        .join(suggestions, suggestions.c.page == pages.c.id)
        .join(revisions, revisions.c.id == suggestions.c.revision)
    )


def last_check(
    connection: Connection, wiki: str, title: str, *, only_unchecked: bool = False
) -> KeptCheck | None:
    """Return the last run over the newest revision that was checked.

    On demand its claims are only those without a verdict.
    """
    wanted = (
        select(*_PAGE, checks)
        .join(revisions, revisions.c.page == pages.c.id)
        .join(checks, checks.c.revision == revisions.c.id)
        .order_by(
            revisions.c.number.desc(), checks.c.checked_at.desc(), checks.c.id.desc()
        )
        .limit(1)
    )
    row = connection.execute(_of_page(wanted, wiki, title)).first()
    if row is None:
        return None
    return KeptCheck(
        page=_page(row),
        engine=Engine(row.engine_name, row.engine_version),
        checked_at=row.checked_at,
        counts=CheckCounts(
            claims=row.claims,
            supported=row.supported,
            partially_supported=row.partially_supported,
            not_supported=row.not_supported,
            contradicted=row.contradicted,
            unchecked=row.unchecked,
        ),
        claims=_claims(connection, row.id, row.checked_at, only_unchecked),
    )


def _of_page(wanted: Select[Any], wiki: str, title: str) -> Select[Any]:
    return wanted.where(
        pages.c.wiki == sanitise.key(wiki, "wiki"),
        pages.c.title == sanitise.key(title, "title"),
    )


def _page(row: Row[Any]) -> PageId:
    return PageId(
        wiki=row.wiki,
        title=row.title,
        page_id=row.wiki_page_id,
        revision_id=row.number or None,
        revised_at=row.revised_at,
    )


def _claims(
    connection: Connection, check: int, checked_at: datetime, only_unchecked: bool
) -> tuple[KeptClaim, ...]:
    readings: dict[int, list[KeptReading]] = defaultdict(list)
    of_check = claim_readings.c.check_id == check
    wanted = select(claim_checks).where(claim_checks.c.check_id == check)
    if only_unchecked:
        wanted = wanted.where(claim_checks.c.verdict.is_(None))
        some = wanted.with_only_columns(claim_checks.c.position)
        of_check &= claim_readings.c.claim.in_(some)
    linked = (
        select(claim_readings.c.claim, source_readings)
        .join(
            source_readings,
            (source_readings.c.check_id == claim_readings.c.check_id)
            & (source_readings.c.position == claim_readings.c.reading),
        )
        .where(of_check)
        .order_by(claim_readings.c.claim, claim_readings.c.reading)
    )
    for row in connection.execute(linked):
        readings[row.claim].append(_reading(row))
    rows = connection.execute(wanted.order_by(claim_checks.c.position))
    return tuple(_claim(row, tuple(readings[row.position]), checked_at) for row in rows)


def _claim(
    row: Row[Any], readings: tuple[KeptReading, ...], checked_at: datetime
) -> KeptClaim:
    shares = (
        row.p_supported,
        row.p_partially_supported,
        row.p_not_supported,
        row.p_contradicted,
    )
    return KeptClaim(
        text=row.claim,
        kind=compatibility.kind_of(ClaimKind, row.kind),
        section=sanitise.unlisted(row.section),
        verdict=Verdict[row.verdict] if row.verdict else None,
        probabilities=None if None in shares else Probabilities(*shares),
        advice=row.advice,
        readings=readings,
        looked_at=row.looked_at or checked_at,
        fingerprint=row.fingerprint,
    )


def _reading(row: Row[Any]) -> KeptReading:
    return KeptReading(
        source_key=row.source_key,
        outcome=compatibility.kind_of(SourceOutcome, row.outcome),
        detail=row.detail,
        url=row.url,
        origin=compatibility.kind_of(Origin, row.origin) if row.origin else None,
        read_at=row.read_at,
        content_sha256=row.content_sha256,
        http_status=row.http_status,
    )


def kept_of(row: Row[Any]) -> KeptSuggestion:
    """Return a suggestion's row as a value.

    Raises:
        NotKnown: a newer version kept it.
    """
    if row.update_kind not in _KINDS:
        raise compatibility.NotKnown(f"a note of “{row.update_kind[:40]}”")
    return KeptSuggestion(
        suggestion=Suggestion(
            identity=row.identity,
            page=_page(row),
            claim=row.claim,
            section=sanitise.unlisted(row.section),
            source_keys=sanitise.unlisted(row.source_keys),
            verdict=Verdict[row.verdict],
            probability=row.probability,
            quote=row.quote,
            quote_url=row.quote_url,
            engine=Engine(row.engine_name, row.engine_version),
            flag=findings.flag_of(row),
            place=row.place or 0,
            remedies=findings.remedies_of(row),
            details=details_json.details_of(row.details),
        ),
        first_seen=row.first_seen,
        last_seen=row.last_seen,
        closed_at=row.closed_at,
    )


def first_looks(
    connection: Connection, *, after: int
) -> list[tuple[int, tuple[str, str, datetime]]]:
    """Return wiki, title and oldest run of some pages, by the numbers of their rows."""
    wanted = (
        select(pages.c.id, pages.c.wiki, pages.c.title, func.min(checks.c.checked_at))
        .join(revisions, revisions.c.page == pages.c.id)
        .join(checks, checks.c.revision == revisions.c.id)
        .where(pages.c.id > after)
        .group_by(pages.c.id, pages.c.wiki, pages.c.title)
        .order_by(pages.c.id)
        .limit(_PAGES_AT_ONCE)
    )
    rows = connection.execute(wanted)
    return [(number, (wiki, title, first)) for number, wiki, title, first in rows]
