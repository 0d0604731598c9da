"""The parts of the JSON report that stand in more than one place of it."""

from typing import TypeAlias

from handlers.citations.quoting.links import quote_href, quote_page, safe_href
from handlers.citations.quoting.words import shifted
from handlers.model import (
    BetterSources,
    Contrary,
    Drift,
    Evidence,
    Flag,
    Recommendation,
    Reliability,
    SourceReading,
)

Json: TypeAlias = dict[str, object]


def evidence_json(evidence: Evidence, reading: SourceReading | None) -> Json:
    """Return `evidence`, found in what `reading` read."""
    passage = evidence.passage
    in_quote = shifted(evidence.matched, passage.span.start - evidence.span.start)
    length = len(evidence.quote)
    return {
        "source_key": passage.source_key,
        "quote": evidence.quote,
        "span": evidence.span,
        "matched": [
            [one.start, min(one.end, length)] for one in in_quote if one.start < length
        ],
        "page": quote_page(evidence, reading),
        "score": evidence.score,
        "url": quote_href(evidence, reading) if reading else None,
    }


def flag_json(flag: Flag | None) -> Json | None:
    """Return a flag with how often such flags are right, if that is known."""
    if flag is None:
        return None
    expected = flag.expected
    return {
        "kind": flag.kind.value,
        "probability": flag.probability,
        "threshold": flag.threshold,
        "expected_precision": {
            "1 in 10": expected.one_in_10,
            "1 in 40": expected.one_in_40,
        }
        if expected
        else None,
        "measured_on": {
            "file": expected.file,
            "sets": list(expected.sets),
            "rows": expected.rows,
        }
        if expected
        else None,
    }


def reading_json(reading: SourceReading) -> Json:
    """Return what came of reading a source, without its text."""
    document = reading.document
    return {
        "source_key": reading.source.key,
        "outcome": reading.outcome,
        "detail": reading.detail,
        "origin": reading.origin,
        "url": reading.url,
        "read_at": reading.read_at,
        "http_status": reading.http_status,
        "content_sha256": reading.content_sha256,
        "document": {
            "title": document.title,
            "site": document.site,
            "author": document.author,
            "published": document.published,
            "language": document.language,
        }
        if document
        else None,
    }


# --- what was found for a claim that fails ----------------------------------------


def better_json(better: BetterSources | None) -> Json | None:
    """Return what a search for better sources came to."""
    if better is None:
        return None
    found, contrary = better.recommendation, better.contrary
    return {
        "recommendation": _recommendation(found) if found else None,
        "contrary": _other(contrary) if contrary else None,
        "candidates_read": better.candidates_read,
        "troubles": better.troubles,
    }


def drift_json(drift: Drift | None) -> Json | None:
    """Return that a page said this when it was cited."""
    if drift is None:
        return None
    return {
        "archive_url": safe_href(drift.archive_url),
        "cited_on": drift.cited_on,
        "probability": drift.probability,
        "present": drift.present,
        "evidence": evidence_json(drift.evidence, drift.archived),
        "reading": reading_json(drift.archived),
        "template": drift.template,
    }


def _recommendation(found: Recommendation) -> Json:
    return {**_other(found), "present": found.present, "template": found.template}


def _other(found: Recommendation | Contrary) -> Json:
    return {
        "url": safe_href(found.reading.url),
        "probability": found.probability,
        "evidence": evidence_json(found.evidence, found.reading),
        "reading": reading_json(found.reading),
        "reliability": _reliability(found.reliability),
        "search": found.search,
    }


def _reliability(reliability: Reliability) -> Json:
    return {
        "trust": reliability.trust,
        "note": reliability.note,
        "shortcut": reliability.shortcut,
    }
