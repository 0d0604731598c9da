"""A suggestion's finding and details as columns, and back; a run's trace. Pure.

Most of it was written by pages, sources and models: every text is clipped and every
list limited, so that no source can make a row that cannot be read. Rows keep the form
in which older versions wrote them: enums by name, spans and steps as lists, and
separate fields for each of the early kinds of finding; all later kinds share one.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import date
from enum import Enum
from functools import cache
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Row

from bot.store import mapping, sanitise
from bot.store.schema import ADDRESS_CHARS, TEXT_CHARS
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
    DayPlace,
    ExpectedPrecision,
    Flag,
    Ignored,
    IssueKind,
    MissingKind,
    Origin,
    Role,
    Span,
    TraceStep,
    UpdateKind,
    Verdict,
)
from handlers.registry import KINDS

_T = TypeVar("_T")

# Limits of what is stored: characters of a text, and items of a list.
_LINE_CHARS = 500
_CHARS = {
    (Details, "sentence"): 5_000,
    (ExpectedPrecision, "file"): TEXT_CHARS,
    (Quoted, "quote"): 5_000,
    (Quoted, "source_key"): ADDRESS_CHARS,
    (Remedy, "address"): ADDRESS_CHARS,
    (Remedy, "quote"): TEXT_CHARS,
    (UpdateFinding, "fact"): 5_000,
    (UpdateFinding, "known_keys"): ADDRESS_CHARS,
    (UpdateFinding, "statement"): 5_000,
    (WritingFinding, "source_quote"): 5_000,
}
# Part of an address leads elsewhere; part of a template, or of a change, would break
# the page it is inserted into. So these are stored whole or not at all.
_WHOLE = {
    (ProposedChange, "after"): 20_000,
    (ProposedChange, "before"): 20_000,
    (Quoted, "href"): ADDRESS_CHARS,
    (Remedy, "citation"): 10_000,
    (TraceStep, "address"): ADDRESS_CHARS,
    (UpdateFinding, "citation"): 20_000,
}
_PARTS = 100
_MOST = {
    (Details, "cell"): 2,
    (Details, "quotes"): 3,
    (UpdateFinding, "news"): 10,
    (UpdateFinding, "refused"): 20,
    (UpdateFinding, "section"): 10,
    (UpdateFinding, "sites"): 20,
    (UpdateFinding, "why"): 20,
    (WritingFinding, "criteria"): 40,
}
_MOST_REMEDIES = 10
_MOST_TRACED = 3_000
_OTHER_CHARS = 5_000  # in a text of a later kind

_OF_FLAGS = ("flag_kind", "flag_probability", "flag_threshold", "flag_expected")
_AS_LISTS = {Span, TraceStep}
# These are told apart by their verdict; no column names them.
_BY_VERDICT = frozenset({CitationFinding.kind, SourceFinding.kind})
_WITH_OWN_FORM = _BY_VERDICT | {UpdateFinding.kind, WritingFinding.kind}
_QUOTES = TypeAdapter(Quoted)
_DATED = TypeAdapter(DatedQuote)
_UPDATES = TypeAdapter(UpdateFinding)
_WRITINGS = TypeAdapter(WritingFinding)
_STEPS = TypeAdapter(TraceStep)
_REMEDIES = TypeAdapter(Remedy)
_EXPECTED = TypeAdapter(ExpectedPrecision)


def finding_columns(found: Suggestion) -> dict[str, Any]:
    """Return a finding and its details as columns."""
    finding = found.finding
    citation = finding_of(found, CitationFinding)
    update = finding_of(found, UpdateFinding)
    details = _stored(found.details) | {
        "unsupported": _stored(citation.unsupported if citation else ()),
        "absent": _stored(citation.absent if citation else ()),
        "chars": citation.chars if citation else 0,
        "news": [],
        "update": None,
        "writing": None,
    }
    column = None if finding.kind in _BY_VERDICT else column_of(finding.kind)
    if update is not None:
        column = update.update.name
        row = _stored(update) | {"kind": column}
        details["news"] = [
            one["quote"] | {"dated": one["dated"]} for one in row["news"]
        ]
        details["update"] = _without(row, "update", "news")
        if None in (row["change"] or {}).values():
            row["change"] = None
    if (writing := finding_of(found, WritingFinding)) is not None:
        row = _stored(writing)
        row |= {"kind": row["flaw"], "marked": row["at_fault"]}
        details["writing"] = _without(row, "flaw", "at_fault")
    if finding.kind not in _WITH_OWN_FORM:
        plain = TypeAdapter(type(finding)).dump_python(finding, mode="json")
        details["finding"] = _stored(plain, (dict, ""))
    return {
        "verdict": finding.facts.verdict.name,
        "details": _text(details),
        "update_kind": column,
        "is_sensitive": finding.facts.is_sensitive,
    }


def column_of(kind: str) -> str:
    """Return the name of a kind in the column that was first used for kinds of updates."""
    return kind.upper()


def flag_columns(flag: Flag | None) -> dict[str, Any]:
    """Return a flag as columns; all are NULL if there is none.

    Raises:
        PermanentError: a number in it is not between 0 and 1.
    """
    if flag is None:
        return dict.fromkeys(_OF_FLAGS)
    expected = flag.expected
    if expected is not None:
        sanitise.share(expected.one_in_10)
        sanitise.share(expected.one_in_40)
    values = (
        flag.kind.name,
        sanitise.share(flag.probability),
        sanitise.share(flag.threshold),
        None if expected is None else _text(_stored(expected)),
    )
    return dict(zip(_OF_FLAGS, values, strict=True))


def remedies_text(remedies: Iterable[Remedy]) -> str:
    """Return remedies as one text.

    Raises:
        PermanentError: a probability in them is not one.
    """
    some = tuple(remedies)[:_MOST_REMEDIES]
    return _text(
        [
            _stored(one) | {"probability": sanitise.share(one.probability)}
            for one in some
        ]
    )


def trace_text(trace: Iterable[TraceStep]) -> str:
    """Return the steps of a run as one text, limited to the first few thousand."""
    return _text([_stored(step) for step in tuple(trace)[:_MOST_TRACED]])


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _without(row: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in names}


def _stored(value: Any, of: tuple[type[Any], str] = (object, "")) -> Any:
    """Return what is stored of a value, for JSON; `of` is its class and field."""
    match value:
        case str() if of in _WHOLE:
            plain = sanitise.text(value) if len(value) <= _WHOLE[of] else None
        case str():
            most = _OTHER_CHARS if of[0] is dict else _LINE_CHARS
            plain = sanitise.text(value, _CHARS.get(of, most))
        case Enum():
            plain = value.name
        case date():
            plain = value.isoformat()
        case list() | tuple():
            return [_stored(one, of) for one in value[: _MOST.get(of, _PARTS)]]
        case dict():
            return {name: _stored(one, of) for name, one in value.items()}
        case _ if is_dataclass(value):
            owner: Any = type(value)
            parts = {
                name: _stored(getattr(value, name), (owner, name))
                for name in _names(owner)
            }
            return list(parts.values()) if owner in _AS_LISTS else parts
        case _:
            return value
    return plain


@cache
def _names(kind: type[Any]) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind))


def kind_of_row(row: Row[Any]) -> type[Finding]:
    """Return the kind of a suggestion's row.

    Raises:
        NotKnown: a newer version wrote it.
    """
    column = row.update_kind
    if column is None:
        offers = row.verdict == Verdict.SUPPORTED.name
        return SourceFinding if offers else CitationFinding
    if column in UpdateKind.__members__:
        return UpdateFinding
    kind = KINDS.get(column.lower())
    if kind is None:
        raise mapping.NotKnown(f"a note of “{column[:40]}”")
    return kind.finding


def finding_of_row(row: Row[Any]) -> tuple[Finding, Details]:
    """Return the finding of a suggestion's row and its details; old rows have none.

    Raises:
        NotKnown: a newer version wrote it.
    """
    kind = kind_of_row(row)
    details: Mapping[str, Any] = json.loads(row.details or "{}")
    return _finding(kind, row, details), _details(details)


def _finding(kind: type[Finding], row: Row[Any], details: Mapping[str, Any]) -> Finding:
    if kind is CitationFinding:
        return CitationFinding(
            Verdict[row.verdict],
            _spans(details.get("unsupported", ())),
            tuple(details.get("absent", ())),
            details.get("chars", 0),
        )
    if kind is SourceFinding:
        return SourceFinding()
    if kind is UpdateFinding:
        values = details["update"]
        place = values.get("dated_in")
        return _read(
            _UPDATES,
            values,
            dated_in=place and mapping.kind_of(DayPlace, place),
            update=mapping.kind_of(UpdateKind, values["kind"]),
            backing=mapping.kind_of(Backing, values["backing"]),
            why=_steps(values["why"]),
            news=[
                _read(_DATED, {"quote": _quote(one), "dated": one["dated"]})
                for one in details["news"]
            ],
        )
    if kind is WritingFinding:
        values = details["writing"]
        flaw = mapping.kind_of(IssueKind, values["kind"])
        return _read(_WRITINGS, values, flaw=flaw, at_fault=_spans(values["marked"]))
    return _read(TypeAdapter(kind), details.get("finding", {}))


def _details(details: Mapping[str, Any]) -> Details:
    if not details:
        return Details()
    return Details(
        sentence=details["sentence"],
        quotes=tuple(map(_quote, details["quotes"])),
        occurrence=details["occurrence"],
        cell=tuple(details.get("cell", ())),
    )


def _quote(quote: Mapping[str, Any]) -> Quoted:
    origin = quote["origin"] and mapping.kind_of(Origin, quote["origin"])
    caveats = [mapping.kind_of(MissingKind, one) for one in quote.get("caveats", ())]
    return _read(_QUOTES, quote, origin=origin, caveats=caveats)


def _spans(pairs: Iterable[tuple[int, int]]) -> tuple[Span, ...]:
    return tuple(Span(start, end) for start, end in pairs)


def flag_of(row: Row[Any]) -> Flag | None:
    """Return the flag of a suggestion's row."""
    if row.flag_kind is None:
        return None
    expected = row.flag_expected and _EXPECTED.validate_json(row.flag_expected)
    kind = mapping.kind_of(CheckKind, row.flag_kind)
    return Flag(kind, row.flag_probability, row.flag_threshold, expected)


def remedies_of(row: Row[Any]) -> tuple[Remedy, ...]:
    """Return the remedies of a suggestion's row; an old row has none."""
    rows: list[dict[str, Any]] = json.loads(row.remedies or "[]")
    return tuple(mapping.understood(_remedy, rows))


def _remedy(values: dict[str, Any]) -> Remedy:
    kind = mapping.kind_of(RemedyKind, values["kind"])
    return _read(_REMEDIES, values, kind=kind)


def trace_of(text: str) -> tuple[TraceStep, ...]:
    """Return the steps that `trace_text` made the text from."""
    return _steps(json.loads(text))


def _steps(rows: Iterable[list[Any]]) -> tuple[TraceStep, ...]:
    return tuple(_step(dict(zip(_names(TraceStep), row, strict=False))) for row in rows)


def _step(row: dict[str, Any]) -> TraceStep:
    ignored = row["ignored"] and mapping.kind_of(Ignored, row["ignored"])
    role = mapping.kind_of(Role, row["role"])
    return _read(_STEPS, row, role=role, ignored=ignored)


def _read(form: TypeAdapter[_T], values: Mapping[str, Any], **read: Any) -> _T:
    """Return a value from a JSON object and the fields already `read`.

    Raises:
        NotKnown: a newer version wrote it in another form.
    """
    try:
        return form.validate_python({**values, **read})
    except ValidationError as error:
        raise mapping.NotKnown(f"a “{error.title}”") from None
