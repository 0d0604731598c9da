"""Writes one run over a page, within a transaction of the caller's.

The page's row is locked first, so that two workers on one page take turns. What
is already there is left as it is: saving the same run again changes nothing.

Writes what came of each claim of a run, and of each source, once.

A result that is carried over from an earlier run is written like a new one, with the
time of the look that it came of.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias

from sqlalchemy import Connection, Row, Table, func, insert, select, update

from bot.store import compatibility, sanitise
from bot.store.discoveries import follow_updates
from bot.store.pages import (
    PAGE_COLUMNS,
    inserted,
    of_page,
    page_of,
    page_row,
    plan_anew,
    revision_row,
    row_of,
)
from bot.store.schema import (
    ADDRESS_CHARS,
    NAME_CHARS,
    checks,
    claim_checks,
    claim_readings,
    pages,
    revisions,
    source_readings,
)
from bot.store.spending import keep_consultation
from bot.store.suggestions import (
    close_all_suggestions,
    forget_closed,
    has_runs,
    save_of_kind,
    save_suggestions,
    shown_suggestions,
)
from bot.store.values import (
    Carried,
    CheckCounts,
    CheckedPage,
    KeptCheck,
    KeptClaim,
    KeptReading,
)
from handlers.findings import Suggestion
from handlers.model import (
    Claim,
    ClaimCheck,
    ClaimKind,
    Engine,
    Origin,
    PageId,
    Probabilities,
    SourceOutcome,
    SourceReading,
    Verdict,
)

_PAGES_AT_ONCE = 1000

Columns: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class _Row:
    """A claim's columns, and those of its sources' readings after their place."""

    place: int
    values: dict[str, Any]
    readings: tuple[Columns, ...]


def last_check(
    connection: Connection, wiki: str, title: str, *, only_unchecked: bool = False
) -> KeptCheck | None:
    """Return the last run over the newest revision that was checked.

    On demand its claims are only those without a verdict.
    """
    wanted = (
        select(*PAGE_COLUMNS, checks)
        .join(revisions, revisions.c.page == pages.c.id)
        .join(checks, checks.c.revision == revisions.c.id)
        .order_by(
            revisions.c.number.desc(), checks.c.checked_at.desc(), checks.c.id.desc()
        )
        .limit(1)
    )
    row = connection.execute(of_page(wanted, wiki, title)).first()
    if row is None:
        return None
    return KeptCheck(
        page=page_of(row),
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


def save_check(
    connection: Connection,
    checked: CheckedPage,
    found: Sequence[Suggestion],
    kept: Sequence[Carried],
    beside: Mapping[str, Sequence[Suggestion]],
) -> bool:
    """Save a run and the suggestions that it found; `False` if it is there already.

    At the first look at a page, and where another finds something else, what people
    are shown of the page is planned anew.
    """
    page = page_row(connection, checked.page.id)
    revision = revision_row(connection, page, checked.page)
    values = {
        "revision": revision,
        "checked_at": checked.checked_at,
        "engine_name": sanitise.key(checked.engine.name, "engine's name", NAME_CHARS),
        "engine_version": sanitise.text(checked.engine.version, NAME_CHARS),
    }
    if row_of(connection, checks, values) is not None:
        return False
    is_first = not has_runs(connection, page)
    is_newest = is_first or _is_newest(connection, page, checked)
    was_shown = shown_suggestions(connection, page)
    check = inserted(connection, checks, {**values, **_counts(checked.checks, kept)})
    save_results(connection, check, checked, kept)
    if is_newest:
        save_suggestions(connection, page, revision, checked, found, kept=kept)
        follow_updates(connection, page, checked.page, checked.checked_at)
        for kind, some in beside.items():
            save_of_kind(
                connection, page, revision, some, checked.checked_at, kind=kind
            )
    keep_consultation(connection, checked.consultation, checked.checked_at)
    if is_first:  # of a page whose text was hidden: what is closed now goes, too
        forget_closed(connection, page)
    if is_first or shown_suggestions(connection, page) != was_shown:
        plan_anew(connection, checked.page.id, checked.checked_at)
    return True


def close_page(connection: Connection, wiki: str, title: str, now: datetime) -> int:
    """Close what is suggested for a page that is no more; return how many were open.

    Nothing that came of its claims holds any longer: should the page come back, all of
    it is looked at.
    """
    named = {"wiki": sanitise.key(wiki, "wiki"), "title": sanitise.key(title, "title")}
    page = row_of(connection, pages, named, lock=True)
    if page is None:
        return 0
    of_page = (
        select(checks.c.id)
        .join(revisions, revisions.c.id == checks.c.revision)
        .where(revisions.c.page == page)
    )
    forgotten = update(claim_checks).where(
        claim_checks.c.check_id.in_(of_page), claim_checks.c.fingerprint.is_not(None)
    )
    connection.execute(forgotten.values(fingerprint=None))
    closed = close_all_suggestions(connection, page, now)
    if closed:
        plan_anew(connection, PageId(wiki, title), now)
    if not has_runs(connection, page):  # it was deleted on the wiki
        forget_closed(connection, page)
    return closed


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


def _counts(looked_at: Sequence[ClaimCheck], kept: Sequence[Carried]) -> dict[str, int]:
    verdicts = [one.verdict for one in looked_at]
    verdicts += [one.result.verdict for one in kept]
    counts = {verdict.name.lower(): verdicts.count(verdict) for verdict in Verdict}
    return {"claims": len(verdicts), **counts, "unchecked": verdicts.count(None)}


def save_results(
    connection: Connection, check: int, checked: CheckedPage, kept: Sequence[Carried]
) -> None:
    """Write the claims of a run in their order on the page, and their readings."""
    rows = [
        *(_looked_at(result, checked.checked_at) for result in checked.checks),
        *map(_carried, kept),
    ]
    if kept:
        rows.sort(key=lambda row: row.place)
    places: dict[Columns, int] = {}
    links = {
        (position, places.setdefault(reading, len(places)))
        for position, row in enumerate(rows)
        for reading in row.readings
    }
    _insert_all(
        connection,
        claim_checks,
        [
            {"check_id": check, "position": position, **row.values}
            for position, row in enumerate(rows)
        ],
    )
    named = [column.name for column in source_readings.columns][1:]
    _insert_all(
        connection,
        source_readings,
        [
            {"check_id": check, **dict(zip(named, (place, *reading), strict=True))}
            for reading, place in places.items()
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


def _looked_at(result: ClaimCheck, at: datetime) -> _Row:
    found = result.verification.probabilities if result.verification else None
    values = {
        "fingerprint": result.fingerprint,
        "looked_at": at,
        "advice": sanitise.text(result.advice),
    }
    return _Row(
        result.claim.span.start,
        values | _said(result.claim) | _judged(result.verdict, found),
        tuple(_reading_columns(one.source.key, one) for one in result.readings),
    )


def _carried(one: Carried) -> _Row:
    last = one.result
    values = {
        "fingerprint": last.fingerprint,
        "looked_at": last.looked_at,
        "advice": last.advice,
    }
    return _Row(
        one.claim.span.start,
        values | _said(one.claim) | _judged(last.verdict, last.probabilities),
        tuple(
            _reading_columns(reading.source_key, reading) for reading in last.readings
        ),
    )


def _said(claim: Claim) -> dict[str, Any]:
    return {
        "claim": sanitise.text(claim.text),
        "kind": claim.kind.name,
        "section": sanitise.listed(claim.section),
    }


def _judged(verdict: Verdict | None, found: Probabilities | None) -> dict[str, Any]:
    return {
        "verdict": verdict and verdict.name,
        "p_supported": found and sanitise.share(found.supported),
        "p_partially_supported": found and sanitise.share(found.partially_supported),
        "p_not_supported": found and sanitise.share(found.not_supported),
        "p_contradicted": found and sanitise.share(found.contradicted),
    }


def _reading_columns(key: str, reading: SourceReading | KeptReading) -> Columns:
    """Return a reading's columns, in their order, after its place."""
    return (
        sanitise.text(key, ADDRESS_CHARS),
        reading.outcome.name,
        sanitise.text(reading.detail, ADDRESS_CHARS),
        sanitise.text(reading.url, ADDRESS_CHARS),
        reading.origin and reading.origin.name,
        reading.read_at,
        sanitise.text(reading.content_sha256, 64),
        reading.http_status,
    )
