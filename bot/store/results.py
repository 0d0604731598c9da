"""Writes what came of each claim of a run, and of each source, once.

A result that is carried over from an earlier run is written like a new one, with the
time of the look that it came of.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias

from sqlalchemy import Connection, Table, insert

from bot.store import sanitise
from bot.store.schema import (
    ADDRESS_CHARS,
    claim_checks,
    claim_readings,
    source_readings,
)
from bot.store.values import Carried, CheckedPage, KeptReading
from handlers.model import Claim, ClaimCheck, Probabilities, SourceReading, Verdict

Columns: TypeAlias = tuple[Any, ...]


def save(
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


@dataclass(frozen=True, slots=True)
class _Row:
    """A claim's columns, and those of its sources' readings after their place."""

    place: int
    values: dict[str, Any]
    readings: tuple[Columns, ...]


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
        tuple(_reading(one.source.key, one) for one in result.readings),
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
        tuple(_reading(reading.source_key, reading) for reading in last.readings),
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


def _reading(key: str, reading: SourceReading | KeptReading) -> Columns:
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
