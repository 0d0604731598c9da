"""Notes of updates and of the writing, and a run's trace, as JSON, and back again. Pure.

Sources and models wrote most of it: every text is clipped, and every list has an end.
"""

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

from bot.store import compatibility, sanitise
from bot.store.schema import ADDRESS_CHARS
from handlers.model import (
    Backing,
    FindingKind,
    Ignored,
    ProposedChange,
    Role,
    Span,
    TraceStep,
    UpdateKind,
    UpdateNote,
    WritingNote,
)

_MOST_SITES = 20
_MOST_STEPS = 20
_MOST_TRACED = 3_000
_MOST_HEADINGS = 10
_MOST_CRITERIA = 40
_MOST_SPANS = 100
_WORDS_CHARS = 5_000
_CHANGE_CHARS = 20_000
_LINE_CHARS = 500


def note_json(note: UpdateNote | None) -> dict[str, Any] | None:
    """Return a note as what JSON can hold."""
    if note is None:
        return None
    return {
        "kind": note.kind.name,
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


def note_of(given: Mapping[str, Any] | None) -> UpdateNote | None:
    """Return the note that `note_json` was given."""
    if given is None:
        return None
    change, dated = given["change"], given["dated"]
    return UpdateNote(
        **{
            **compatibility.fields_of(UpdateNote, given),
            "kind": compatibility.kind_of(UpdateKind, given["kind"]),
            "backing": compatibility.kind_of(Backing, given["backing"]),
            "dated": date.fromisoformat(dated) if dated else None,
            "section": tuple(given["section"]),
            "sites": tuple(given["sites"]),
            "known_keys": tuple(given["known_keys"]),
            "change": _change_of(change) if change else None,
            "refused": tuple(given["refused"]),
            "why": trace_of(given["why"]),
        }
    )


def writing_json(note: WritingNote | None) -> dict[str, Any] | None:
    """Return a note about the writing as what JSON can hold."""
    if note is None:
        return None
    return {
        "kind": note.kind.name,
        "message": sanitise.text(note.message, _LINE_CHARS),
        "advice": sanitise.text(note.advice, _LINE_CHARS),
        "guideline": sanitise.text(note.guideline, _LINE_CHARS),
        "criteria": _lines(note.criteria, _MOST_CRITERIA),
        "marked": [[one.start, one.end] for one in note.marked[:_MOST_SPANS]],
        "source_quote": sanitise.text(note.source_quote, _WORDS_CHARS),
        "is_of_section": note.is_of_section,
    }


def writing_of(given: Mapping[str, Any] | None) -> WritingNote | None:
    """Return the note that `writing_json` was given."""
    if given is None:
        return None
    return WritingNote(
        **{
            **compatibility.fields_of(WritingNote, given),
            "kind": compatibility.kind_of(FindingKind, given["kind"]),
            "criteria": tuple(given["criteria"]),
            "marked": tuple(Span(start, end) for start, end in given["marked"]),
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
