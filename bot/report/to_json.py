"""Renders reports as JSON for other programs; `schema.json` describes every field.

Values become JSON by what they are: a record is an object with its fields, an enum its
value, a span its two ends, a message its English text.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields, is_dataclass, replace
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import TypeAlias

from bot.report.claims import claim_href, page_href, section_at
from bot.report.notes import Note, notes_of
from bot.report.page_report import PageReport, Summary, claim_state
from bot.report.words import advice_for, clean, probability_of, shares_by_verdict
from handlers.citations.quote_links import quote_href, quote_page, safe_href, shifted
from handlers.model import (
    BetterSources,
    Citation,
    Claim,
    ClaimCheck,
    Comparison,
    Consultation,
    Contrary,
    Drift,
    Evidence,
    Flag,
    Message,
    Opinion,
    Page,
    PageId,
    Recommendation,
    Reliability,
    Source,
    SourceFetch,
    Span,
    Verification,
)

Json: TypeAlias = dict[str, object]


def _evidence(evidence: Evidence, fetch: SourceFetch | None) -> Json:
    """Return `evidence`, found in what `fetch` read."""
    passage = evidence.passage
    in_quote = shifted(evidence.matched, passage.span.start - evidence.span.start)
    length = len(evidence.quote)
    return {
        "source_key": fetch.source.key if fetch else passage.source_key,
        "copy_key": passage.source_key,
        "quote": evidence.quote,
        "span": evidence.span,
        "matched": [
            [one.start, min(one.end, length)] for one in in_quote if one.start < length
        ],
        "page": quote_page(evidence, fetch),
        "score": evidence.score,
        "url": quote_href(evidence, fetch) if fetch else None,
    }


def flag_json(flag: Flag | None) -> Json | None:
    """Return a flag with how often such flags are right, if known."""
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


def _fetch(fetch: SourceFetch) -> Json:
    """Return the result of fetching a source, without its text."""
    document = fetch.document
    return {
        "source_key": fetch.source.key,
        "copy_key": fetch.key,
        "outcome": fetch.outcome,
        "detail": fetch.detail,
        "origin": fetch.origin,
        "url": fetch.url,
        "read_at": fetch.read_at,
        "http_status": fetch.http_status,
        "content_sha256": fetch.content_sha256,
        "document": {
            "title": document.title,
            "site": document.site,
            "author": document.author,
            "published": document.published,
            "language": document.language,
            "missing": document.missing,
        }
        if document
        else None,
    }


# --- what was found for a claim that fails ----------------------------------------


def _better(better: BetterSources | None) -> Json | None:
    """Return the result of a search for better sources."""
    if better is None:
        return None
    found, contrary = better.recommendation, better.contrary
    return {
        "recommendation": _recommendation(found) if found else None,
        "contrary": _other(contrary) if contrary else None,
        "candidates_read": better.candidates_read,
        "troubles": better.troubles,
    }


def _drift(drift: Drift | None) -> Json | None:
    """Return that a page said this when it was cited."""
    if drift is None:
        return None
    return {
        "archive_url": safe_href(drift.archive_url),
        "cited_on": drift.cited_on,
        "probability": drift.probability,
        "present": drift.present,
        "evidence": _evidence(drift.evidence, drift.archived),
        "reading": _fetch(drift.archived),
        "template": drift.template,
    }


def _recommendation(found: Recommendation) -> Json:
    return {**_other(found), "present": found.present, "template": found.template}


def _other(found: Recommendation | Contrary) -> Json:
    return {
        "url": safe_href(found.fetch.url),
        "probability": found.probability,
        "evidence": _evidence(found.evidence, found.fetch),
        "reading": _fetch(found.fetch),
        "reliability": _reliability(found.reliability),
        "search": found.search,
    }


def _reliability(reliability: Reliability) -> Json:
    return {
        "trust": reliability.trust,
        "note": reliability.note,
        "shortcut": reliability.shortcut,
        "named_by": reliability.named_by or None,
    }


SCHEMA_VERSION = "2.2"


def render_json(reports: Sequence[PageReport]) -> str:
    """Return one JSON document with all of `reports`, in their order."""
    return json_document(
        {
            "schema_version": SCHEMA_VERSION,
            "reports": [_report(report) for report in reports],
        }
    )


def json_document(document: Json, *, indent: int = 2) -> str:
    """Return a document as text that can be printed and encoded."""
    written = json.dumps(document, ensure_ascii=False, indent=indent, default=_plain)
    return f"{clean(written)}\n"  # a lone surrogate could not be encoded


def _plain(value: object) -> object:
    match value:
        case Span():
            return [value.start, value.end]
        case Enum():
            return value.value
        case date():
            return value.isoformat()
        case Message() | Decimal():
            return str(value)
        case _ if is_dataclass(value):
            return {one.name: getattr(value, one.name) for one in fields(value)}
    message = f"{type(value).__name__} has no JSON form"
    raise TypeError(message)


def _report(report: PageReport) -> Json:
    page = report.page
    return {
        "page": _page(page.id, page),
        "engine": report.engine,
        "checked_at": report.checked_at,
        "took_s": report.took_s,
        "notes": report.notes,
        "language_model": _consultation(report.consultation),
        "summary": _summary(report.summary),
        "compared_with": _comparison(report.comparison),
        "findings": [_note(note) for note in notes_of(report)],
        "claims": [_claim_check(check, page.id) for check in report.in_order],
        "unattached_references": [
            {
                "reason": one.reason,
                "section": section_at(page.sections, one.span.start),
                "span": one.span,
                "raw": one.raw,
            }
            for one in page.unattached
        ],
    }


def _note(note: Note) -> Json:
    """Return a note in the words that all surfaces use."""
    return {
        "identity": note.identity,
        "kind": note.kind,
        "headline": note.headline,
        "section": note.section,
        "cell": note.cell,
        "place": note.place,
        "said_as": note.text_label,
        "said": note.text,
        "marked": note.marked,
        "quoted_as": note.quotes_label,
        "quotes": [replace(one, href=safe_href(one.href)) for one in note.quotes],
        "difference": note.difference,
        "reason": note.reason,
        "lines": note.lines,
        "certainty": note.certainty,
        "is_flagged": note.is_flagged,
        "is_question": note.is_question,
        "tag": note.tag,
        "citation": note.citation,
        "earlier": _earlier(note),
    }


def _earlier(note: Note) -> Json | None:
    """Return what stood there before an edit."""
    found = note.earlier
    if found is None:
        return None
    return {
        "said": found.text,
        "marked": found.marked,
        "since": found.since,
        "until": found.until,
        "at": found.at,
        "url": safe_href(note.diff_href),
    }


def _comparison(found: Comparison | None) -> Json | None:
    """Return what was compared with an earlier revision."""
    if found is None:
        return None
    return {
        "revision_id": found.earlier.revision_id,
        "changed": found.changed,
        "judged": len(found.checks),
        "not_compared": found.not_compared,
        "edits": [
            {
                "kind": one.change.kind,
                "before": one.change.before.text if one.change.before else None,
                "after": one.change.words,
                "moved": one.moved,
                "supported_before": one.judgement.before.probabilities.supported
                if one.change.before
                else None,
                "supported_after": one.judgement.after.probabilities.supported,
                "is_flagged": one.flag is not None,
                "why_not": one.why_not,
            }
            for one in found.checks
            if one.judgement is not None
        ],
        "unjudged": [
            {
                "kind": one.change.kind,
                "before": one.change.before.text if one.change.before else None,
                "after": one.change.words,
                "why_not": one.why_not,
            }
            for one in found.unjudged
        ],
        "hardly_alike": found.hardly_alike,
    }


def _consultation(consultation: Consultation | None) -> Json | None:
    if consultation is None:
        return None
    return {
        "engine": consultation.engine,
        "asked": consultation.asked,
        "counted": consultation.counted,
        "calls": consultation.use.calls,
        "remembered": consultation.use.remembered,
        "input_tokens": consultation.use.input_tokens,
        "output_tokens": consultation.use.output_tokens,
        "cost": float(consultation.use.cost),
        "expected": {
            "calls": consultation.expected.calls,
            "input_tokens": consultation.expected.input_tokens,
            "output_tokens": consultation.expected.output_tokens,
            "cost": float(consultation.expected.cost),
        },
        "stopped": consultation.stopped,
    }


def _page(identity: PageId, page: Page) -> Json:
    return {
        "wiki": identity.wiki,
        "title": identity.title,
        "page_id": identity.page_id,
        "revision_id": identity.revision_id,
        "revised_at": identity.revised_at,
        "url": page_href(identity),
        "redirect_to": page.redirect_to,
        "is_disambiguation": page.is_disambiguation,
    }


def _summary(summary: Summary) -> Json:
    return {
        "claims": summary.claims,
        "checked": summary.checked,
        "verdicts": _counts(summary.verdicts.items()),
        "to_compare": summary.to_compare,
        "unchecked": summary.unchecked,
        "could_not_check": _counts(summary.could_not_check.items()),
        "without_source": summary.without_source,
        "undecided": summary.undecided,
        "uncited": summary.uncited,
        "flagged": summary.flagged,
        "doubtful": summary.doubtful,
        "unattached_references": _counts(summary.unattached.items()),
    }


def _counts(counts: Iterable[tuple[Enum, int]]) -> dict[str, int]:
    return {one.value: number for one, number in counts}


# --- one claim --------------------------------------------------------------


def _claim_check(check: ClaimCheck, page: PageId) -> Json:
    fetches = check.copies
    found = check.verification
    return {
        **_claim(check.claim),
        "url": claim_href(check.claim, page),
        "standing": claim_state(check),
        "verdict": check.verdict,
        "probability": probability_of(check.verdict, found.probabilities)
        if check.verdict and found
        else None,
        "probabilities": _probabilities(found),
        "engine": found.engine if found else None,
        "unsupported": found.unsupported if found else (),
        "evidence": [
            _evidence(one, fetches.get(one.passage.source_key))
            for one in found.evidence
        ]
        if found
        else [],
        "readings": [_fetch(fetch) for fetch in check.fetches],
        "advice": advice_for(check),
        "flag": flag_json(check.flag),
        "opinion": _opinion(check.opinion),
        "better": _better(check.better),
        "drift": _drift(check.drift),
    }


def _claim(claim: Claim) -> Json:
    return {
        "text": claim.text,
        "kind": claim.kind,
        "section": claim.section,
        "span": claim.span,
        "sentence": claim.sentence,
        "row": claim.row,
        "column": claim.column,
        "missing": claim.missing,
        "sentences_before": claim.sentences_before,
        "tags": claim.tags,
        "citations": [_citation(citation) for citation in claim.citations],
        "sources": [_source(source) for source in claim.sources],
    }


def _citation(citation: Citation) -> Json:
    return {
        "form": citation.form,
        "marker": citation.marker,
        "name": citation.name,
        "group": citation.group,
        "pages": citation.pages,
        "problem": citation.problem,
        "source_keys": [source.key for source in citation.sources],
    }


def _source(source: Source) -> Json:
    return {"key": source.key, **asdict(source)}


def _opinion(opinion: Opinion | None) -> Json | None:
    if opinion is None:
        return None
    return {
        "engine": opinion.engine,
        "verifier": opinion.verifier,
        "before": opinion.before,
        "verdict": opinion.verdict,
        "setback": opinion.failure,
    }


def _probabilities(found: Verification | None) -> Json | None:
    if found is None:
        return None
    return {one.value: share for one, share in shares_by_verdict(found.probabilities)}
