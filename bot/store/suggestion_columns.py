"""A suggestion's finding and details as columns, and back again; a run's trace. Pure.

Pages, sources and models wrote most of it: every text is clipped, and every list has an
end, so that no source can make a row that nobody can read. Rows keep the form in which
older versions wrote them: the findings that there were then have their own, all later
kinds have one by their fields.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from enum import Enum
from typing import Any

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Row

from bot.store import compatibility, sanitise
from bot.store.schema import ADDRESS_CHARS
from handlers.findings import (
    CitationFinding,
    DatedQuote,
    Details,
    Finding,
    ProposedChange,
    Quoted,
    Remedy,
    RemedyKind,
    SourceFinding,
    Suggestion,
    UpdateFinding,
    WritingFinding,
    finding_of,
)
from handlers.model import (
    Backing,
    CheckKind,
    ExpectedPrecision,
    FindingKind,
    Flag,
    Ignored,
    Origin,
    Role,
    Span,
    TraceStep,
    UpdateKind,
    Verdict,
)
from handlers.registry import KINDS, OF_CITATIONS

_MOST_QUOTES = 3
_MOST_NEWS = 10
_MOST_SPANS = 100
_QUOTE_CHARS = 5_000
_AROUND_CHARS = 500
_NAME_CHARS = 500

_MOST_SITES = 20
_MOST_STEPS = 20
_MOST_TRACED = 3_000
_MOST_HEADINGS = 10
_MOST_CRITERIA = 40
_WORDS_CHARS = 5_000
_CHANGE_CHARS = 20_000
_LINE_CHARS = 500

_WITH_OWN_FORM = OF_CITATIONS | {UpdateFinding.kind, WritingFinding.kind}
_MOST_REMEDIES = 10
_CITATION_CHARS = 10_000


def finding_columns(found: Suggestion) -> dict[str, Any]:
    """Return what is the matter, and its details, as columns."""
    finding, details = found.finding, found.details
    facts = finding.facts
    citation = finding_of(found, CitationFinding)
    update = finding_of(found, UpdateFinding)
    news = update.news if update else ()
    kept = {
        "sentence": sanitise.text(details.sentence, _QUOTE_CHARS),
        "unsupported": _span_rows(citation.unsupported if citation else ()),
        "quotes": [_quoted(one) for one in details.quotes[:_MOST_QUOTES]],
        "occurrence": details.occurrence,
        "cell": _lines(details.cell, 2),
        "news": [
            _quoted(one.quote) | {"dated": one.dated and one.dated.isoformat()}
            for one in news[:_MOST_NEWS]
        ],
        "update": note_json(update),
        "writing": writing_json(finding_of(found, WritingFinding)),
    }
    if finding.kind not in _WITH_OWN_FORM:
        kept["finding"] = _plain(TypeAdapter(type(finding)).dump_python(finding))
    return {
        "verdict": facts.verdict.name,
        "details": json.dumps(kept, ensure_ascii=False, default=str),
        "update_kind": _kind_column(finding),
        "is_sensitive": facts.is_sensitive,
    }


def _kind_column(finding: Finding) -> str | None:
    if isinstance(finding, UpdateFinding):
        return finding.update.name
    return None if finding.kind in OF_CITATIONS else column_of(finding.kind)


def column_of(kind: str) -> str:
    """Return what names a kind in the column that once named kinds of updates."""
    return kind.upper()


def kind_of_row(row: Row[Any]) -> type[Finding]:
    """Return the kind of a suggestion's row.

    Raises:
        NotKnown: a newer version kept it.
    """
    column = row.update_kind
    if column is None:
        offers = row.verdict == Verdict.SUPPORTED.name
        return SourceFinding if offers else CitationFinding
    if column in UpdateKind.__members__:
        return UpdateFinding
    kind = KINDS.get(column.lower())
    if kind is None:
        raise compatibility.NotKnown(f"a note of “{column[:40]}”")
    return kind.finding


def finding_of_row(row: Row[Any]) -> Finding:
    """Return the finding of a suggestion's row.

    Raises:
        NotKnown: a newer version kept it.
    """
    kind = kind_of_row(row)
    given: Mapping[str, Any] = json.loads(row.details or "{}")
    if kind is CitationFinding:
        spans = _spans(given.get("unsupported", ()))
        return CitationFinding(Verdict[row.verdict], spans)
    if kind is SourceFinding:
        return SourceFinding()
    if kind is UpdateFinding:
        return note_of(given)
    if kind is WritingFinding:
        return writing_of(given["writing"])
    try:
        return TypeAdapter(kind).validate_python(given["finding"])
    except (KeyError, ValidationError):
        raise compatibility.NotKnown(f"a note of “{kind.kind}”") from None


def _plain(value: Any) -> Any:
    """Return a finding's fields clipped, for JSON."""
    match value:
        case str():
            return sanitise.text(value, _WORDS_CHARS)
        case Enum():
            return value.value
        case dict():
            return {name: _plain(one) for name, one in value.items()}
        case list() | tuple():
            return [_plain(one) for one in value[:_MOST_SPANS]]
        case _:
            return value


def _quoted(one: Quoted) -> dict[str, Any]:
    return {
        "quote": sanitise.text(one.quote, _QUOTE_CHARS),
        "before": sanitise.text(one.before, _AROUND_CHARS),
        "after": sanitise.text(one.after, _AROUND_CHARS),
        "cut_before": one.cut_before,
        "cut_after": one.cut_after,
        "source_key": sanitise.text(one.source_key, ADDRESS_CHARS),
        "title": sanitise.text(one.title, _NAME_CHARS),
        "work": sanitise.text(one.work, _NAME_CHARS),
        "published": sanitise.text(one.published, _NAME_CHARS),
        "page": one.page,
        # An address that was cut leads elsewhere: better none.
        "href": sanitise.text(one.href) if _is_whole_address(one.href) else None,
        "origin": one.origin.name if one.origin else None,
        "read_at": one.read_at.isoformat() if one.read_at else None,
        "language": sanitise.text(one.language, _NAME_CHARS),
    }


def _is_whole_address(href: str | None) -> bool:
    return href is not None and len(href) <= ADDRESS_CHARS


def details_of(kept: str | None) -> Details:
    """Return the details of a row; of an old one none are known."""
    if not kept:
        return Details()
    given: Mapping[str, Any] = json.loads(kept)
    return Details(
        sentence=given["sentence"],
        quotes=tuple(_quote_of(one) for one in given["quotes"]),
        occurrence=given["occurrence"],
        cell=tuple(given.get("cell", ())),
    )


def _span_rows(spans: Sequence[Span]) -> list[list[int]]:
    return [[one.start, one.end] for one in spans[:_MOST_SPANS]]


def _spans(given: Iterable[tuple[int, int]]) -> tuple[Span, ...]:
    return tuple(Span(start, end) for start, end in given)


def _news_of(given: Mapping[str, Any]) -> DatedQuote:
    rest = {name: value for name, value in given.items() if name != "dated"}
    dated = given["dated"]
    return DatedQuote(_quote_of(rest), date.fromisoformat(dated) if dated else None)


def _quote_of(given: Mapping[str, Any]) -> Quoted:
    origin, read_at = given["origin"], given["read_at"]
    return Quoted(
        **{
            **compatibility.fields_of(Quoted, given),
            "origin": compatibility.kind_of(Origin, origin) if origin else None,
            "read_at": datetime.fromisoformat(read_at) if read_at else None,
        }
    )


def note_json(note: UpdateFinding | None) -> dict[str, Any] | None:
    """Return a note as what JSON can hold."""
    if note is None:
        return None
    return {
        "kind": note.update.name,
        "fact": sanitise.text(note.fact, _WORDS_CHARS),
        "section": _lines(note.section, _MOST_HEADINGS),
        "backing": note.backing.name,
        "statement": sanitise.text(note.statement, _WORDS_CHARS),
        "header": sanitise.text(note.header, _LINE_CHARS),
        "dated": note.dated and note.dated.isoformat(),
        "sites": _lines(note.sites, _MOST_SITES),
        "has_primary": note.has_primary,
        "is_worded": note.is_worded,
        "is_sensitive": note.is_sensitive,
        "known_keys": [sanitise.text(key, ADDRESS_CHARS) for key in note.known_keys],
        # Half a template, or half a change, would break the page it is put into.
        "citation": _whole(note.citation, _CHANGE_CHARS),
        "change": _change_json(note.change),
        "refused": _lines(note.refused, _MOST_STEPS),
        "why": trace_json(note.why[:_MOST_STEPS]),
    }


def note_of(details: Mapping[str, Any]) -> UpdateFinding:
    """Return the update whose details these are."""
    given = details["update"]
    change, dated = given["change"], given["dated"]
    return UpdateFinding(
        **{
            **compatibility.fields_of(UpdateFinding, given),
            "update": compatibility.kind_of(UpdateKind, given["kind"]),
            "backing": compatibility.kind_of(Backing, given["backing"]),
            "dated": date.fromisoformat(dated) if dated else None,
            "section": tuple(given["section"]),
            "sites": tuple(given["sites"]),
            "known_keys": tuple(given["known_keys"]),
            "change": _change_of(change) if change else None,
            "refused": tuple(given["refused"]),
            "why": trace_of(given["why"]),
            "news": tuple(_news_of(one) for one in details["news"]),
        }
    )


def writing_json(note: WritingFinding | None) -> dict[str, Any] | None:
    """Return a note about the writing as what JSON can hold."""
    if note is None:
        return None
    return {
        "kind": note.flaw.name,
        "message": sanitise.text(note.message, _LINE_CHARS),
        "advice": sanitise.text(note.advice, _LINE_CHARS),
        "guideline": sanitise.text(note.guideline, _LINE_CHARS),
        "criteria": _lines(note.criteria, _MOST_CRITERIA),
        "marked": _span_rows(note.at_fault),
        "source_quote": sanitise.text(note.source_quote, _WORDS_CHARS),
        "is_of_section": note.is_of_section,
    }


def writing_of(given: Mapping[str, Any]) -> WritingFinding:
    """Return the finding that `writing_json` was given."""
    return WritingFinding(
        **{
            **compatibility.fields_of(WritingFinding, given),
            "flaw": compatibility.kind_of(FindingKind, given["kind"]),
            "criteria": tuple(given["criteria"]),
            "at_fault": _spans(given["marked"]),
        }
    )


def trace_json(trace: Iterable[TraceStep]) -> list[list[Any]]:
    """Return the steps of a run, the first some thousand of them, each as a row."""
    rows = [
        [
            step.role.name,
            sanitise.text(step.what, _LINE_CHARS),
            step.at_s,
            _whole(step.address, ADDRESS_CHARS),
            sanitise.text(step.quote, _LINE_CHARS),
            step.ignored.name if step.ignored else None,
            step.update,
            sanitise.text(step.said, _LINE_CHARS),
        ]
        for step in trace
    ]
    return rows[:_MOST_TRACED]


def trace_of(given: Iterable[list[Any]]) -> tuple[TraceStep, ...]:
    """Return the steps that `trace_json` was given."""
    return tuple(
        TraceStep(
            compatibility.kind_of(Role, role),
            what,
            at_s,
            address,
            quote,
            compatibility.kind_of(Ignored, ignored) if ignored else None,
            update,
            said,
        )
        for role, what, at_s, address, quote, ignored, update, said in given
    )


def _change_of(given: Mapping[str, Any]) -> ProposedChange:
    return ProposedChange(**compatibility.fields_of(ProposedChange, given))


def _change_json(change: ProposedChange | None) -> dict[str, Any] | None:
    if change is None:
        return None
    before, after = (
        _whole(change.before, _CHANGE_CHARS),
        _whole(change.after, _CHANGE_CHARS),
    )
    if (before, after) != (change.before, change.after):
        return None  # it does not stand on the page as it is kept
    return {"before": before, "after": after, "is_worded": change.is_worded}


def _lines(values: Iterable[str], most: int) -> list[str]:
    return [sanitise.text(value, _LINE_CHARS) for value in tuple(values)[:most]]


def _whole(value: str | None, most: int) -> str | None:
    return sanitise.text(value) if _fits(value, most) else None


def _fits(value: str | None, most: int) -> bool:
    return value is not None and len(value) <= most


def flag_columns(flag: Flag | None) -> dict[str, Any]:
    """Return a flag as columns; all are NULL where there is none.

    Raises:
        PermanentError: a number in it is none from 0 to 1.
    """
    return {
        "flag_kind": flag.kind.name if flag else None,
        "flag_probability": sanitise.share(flag.probability) if flag else None,
        "flag_threshold": sanitise.share(flag.threshold) if flag else None,
        "flag_expected": _expected_text(flag.expected) if flag else None,
    }


def flag_of(row: Row[Any]) -> Flag | None:
    """Return the flag of a suggestion's row."""
    if row.flag_kind is None:
        return None
    return Flag(
        compatibility.kind_of(CheckKind, row.flag_kind),
        row.flag_probability,
        row.flag_threshold,
        _expected_of(row.flag_expected),
    )


def _expected_text(expected: ExpectedPrecision | None) -> str | None:
    if expected is None:
        return None
    kept = {
        "one_in_10": sanitise.share(expected.one_in_10),
        "one_in_40": sanitise.share(expected.one_in_40),
        "file": sanitise.text(expected.file),
        "sets": expected.sets,
        "rows": expected.rows,
    }
    return json.dumps(kept, ensure_ascii=False)


def _expected_of(text: str | None) -> ExpectedPrecision | None:
    if text is None:
        return None
    kept: dict[str, Any] = compatibility.fields_of(ExpectedPrecision, json.loads(text))
    return ExpectedPrecision(**kept | {"sets": tuple(kept["sets"])})


def remedies_text(remedies: Iterable[Remedy]) -> str:
    """Return remedies as one text.

    A citation that is too long is left out: half a template would break the page
    that it is copied to.

    Raises:
        PermanentError: a probability is none.
    """
    return json.dumps(
        [
            {
                "kind": one.kind.name,
                "address": sanitise.text(one.address, ADDRESS_CHARS),
                "citation": _whole_citation(one.citation),
                "quote": sanitise.text(one.quote),
                "probability": sanitise.share(one.probability),
            }
            for one in tuple(remedies)[:_MOST_REMEDIES]
        ],
        ensure_ascii=False,
    )


def _whole_citation(citation: str | None) -> str | None:
    fits = citation is not None and len(citation) <= _CITATION_CHARS
    return sanitise.text(citation) if fits else None


def remedies_of(row: Row[Any]) -> tuple[Remedy, ...]:
    """Return the remedies of a suggestion's row; none are known of an old one."""
    kept: list[dict[str, Any]] = json.loads(row.remedies or "[]")
    return tuple(compatibility.understood(_remedy, kept))


def _remedy(given: dict[str, Any]) -> Remedy:
    kind = compatibility.kind_of(RemedyKind, given["kind"])
    return Remedy(**compatibility.fields_of(Remedy, given) | {"kind": kind})
