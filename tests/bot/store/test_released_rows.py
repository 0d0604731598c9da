"""Suggestions in the form of the released version: read, and written like that still.

`suggestions_0015.json` is what that version wrote for the values below. A program of that
version may run beside this one, and reads what this one writes.
"""

import json
from dataclasses import replace
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bot.store.mapping import NotKnown
from bot.store.suggestion_columns import (
    finding_of_row,
    flag_of,
    remedies_of,
)
from handlers.findings import (
    CitationFinding,
    DatedQuote,
    Details,
    Finding,
    ProposedChange,
    Remedy,
    RemedyKind,
    SourceFinding,
    UpdateFinding,
    WritingFinding,
)
from handlers.model import (
    Backing,
    Ignored,
    IssueKind,
    Role,
    Span,
    TraceStep,
    UpdateKind,
    Verdict,
)
from handlers.updates.aged import AgedFinding
from tests import builders
from tests.bot.store.test_kept_suggestions import QUOTED

_ROWS: dict[str, dict[str, Any]] = json.loads(
    Path(__file__).with_name("suggestions_0015.json").read_text("utf-8")
)
_JSON = ("details", "remedies", "flag_expected")
_BARE = replace(
    QUOTED,
    work=None,
    published=None,
    page=None,
    href=None,
    origin=None,
    read_at=None,
    language=None,
)
_DETAILS = Details("The sentence.", (QUOTED, _BARE), 2, ("Population", "2020"))
_COPY = Remedy(RemedyKind.ARCHIVED_COPY, "https://a/", None, "It “said” so.", 0.91)
_OTHER = Remedy(RemedyKind.OTHER_SOURCE, "https://b/", "{{cite web}}", "So.", 0.9)
_STEP = TraceStep(
    Role.NAVIGATOR,
    "Asked for “storm”",
    1.5,
    "https://a/",
    "It lifted.",
    Ignored.NOT_ABOUT_SUBJECT,
    0,
    "said",
)
_FINDINGS: dict[str, Finding] = {
    "citation": CitationFinding(Verdict.NOT_SUPPORTED, (Span(0, 3), Span(4, 5))),
    "source": SourceFinding(),
    "update": UpdateFinding(
        UpdateKind.OUTDATED,
        "A fact.",
        ("History",),
        Backing.HIGH,
        statement="It had 12.",
        header="Population",
        dated=date(2011, 5, 6),
        sites=("a.example", "b.example"),
        has_primary=True,
        is_worded=True,
        is_sensitive=True,
        known_keys=("https://k/",),
        citation="{{cite web|url=https://a/}}",
        change=ProposedChange("It had 12.", "It had 13.", True),
        refused=("it is no sentence",),
        why=(_STEP, TraceStep(Role.NAVIGATOR, "Asked for “storm”", 1.5)),
        news=(DatedQuote(QUOTED, date(2011, 5, 7)), DatedQuote(_BARE, None)),
    ),
    "writing": WritingFinding(
        IssueKind.LEAD_LENGTH,
        "It says so twice.",
        "Say it once.",
        "WP:MOS",
        ("1a", "2b"),
        (Span(0, 3), Span(5, 9)),
        "twice",
        is_of_section=True,
    ),
    "aged": AgedFinding("May 2014", 12, None),
}
_REMEDIES = {"citation": (_COPY, _OTHER), "source": (_OTHER,)}


def _row(kind: str, **changes: Any) -> Any:
    return SimpleNamespace(**_ROWS[kind] | changes)


@pytest.mark.parametrize("kind", _FINDINGS)
def test_a_row_is_read_as_the_value_that_it_was_written_for(kind: str) -> None:
    row = _row(kind)

    assert finding_of_row(row) == (_FINDINGS[kind], _DETAILS)
    assert remedies_of(row) == _REMEDIES.get(kind, ())
    assert flag_of(row) == (builders.flag() if kind == "citation" else None)


def test_what_a_newer_version_added_to_a_row_is_left_out() -> None:
    details = json.loads(_ROWS["update"]["details"])
    details["update"]["mood"] = details["quotes"][0]["mood"] = details["mood"] = "good"

    read = finding_of_row(_row("update", details=json.dumps(details)))

    assert read == (_FINDINGS["update"], _DETAILS)


@pytest.mark.parametrize(
    ("name", "value"),
    [("backing", "TIKTOK"), ("kind", "RUMOUR"), ("dated", "in spring"), ("sites", 5)],
)
def test_a_row_in_a_form_of_another_version_is_left_to_it(
    name: str, value: object
) -> None:
    details = json.loads(_ROWS["update"]["details"])
    details["update"][name] = value

    with pytest.raises(NotKnown):
        finding_of_row(_row("update", details=json.dumps(details)))
