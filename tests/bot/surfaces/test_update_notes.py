"""A note about newer facts has the old sentence beside them, with day and source."""

from dataclasses import replace
from datetime import date

import pytest

from bot.records.watches import Policy
from bot.report.notes import Note, NoteQuote, note_of
from bot.surfaces import report_page
from bot.surfaces.talk_page import plan
from handlers.model import Backing, Update
from handlers.updates.suggestions import suggestions_of
from tests import update_runs as runs
from tests.bot.surfaces.makers import REPORT, TALK, hostile
from tests.bot.wiki.markup.makers import KEYS


def _note(update: Update, after: str = "", **changes: object) -> Note:
    edit = runs.proposal(update, runs.CARS, after, is_worded=True) if after else None
    run = runs.discovery(update, proposals=(edit,) if edit else ())
    [found] = suggestions_of(run)
    return replace(note_of(found), **changes)  # type: ignore[arg-type]  # fields by name


def _report(note: Note, policy: Policy = Policy.POINTER) -> str:
    return report_page.report([note], replace(REPORT, policy=policy), KEYS)


def test_an_outdated_sentence_stands_beside_dated_words_of_newer_sources() -> None:
    lines = _report(_note(runs.outdated())).splitlines()

    assert any("'''May be out of date.'''" in line for line in lines)
    assert (
        "*: The article still says: “As of May 2024, it carries 12,000 cars a day.”"
        in lines
    )
    [first, _] = [
        line for line in lines if line.startswith("*: Newer sources say, 2026-10-04:")
    ]
    assert "15,500 cars a day" in first
    assert "(https&#58;&#47;&#47;news&#46;example&#47;1)" in first
    assert any(line.startswith("*: 2 independent sites say so.") for line in lines)


def test_a_new_fact_says_where_it_would_belong() -> None:
    text = _report(_note(runs.new_fact()))

    assert "A newer fact may be missing" in text
    assert f"*: It would go after: “{runs.OPENED}”" in text
    assert "The article says" not in text
    assert "*: So far only one site says so" in text
    assert "Citation to copy" in text


def test_a_primary_source_is_called_one() -> None:
    primary = replace(runs.source(runs.CLOSED), is_primary=True)
    note = _note(runs.new_fact(2, primary, backing=Backing.HIGH))

    assert "A primary source says so" in _report(note)


@pytest.mark.parametrize(
    ("policy", "shown"),
    [
        (Policy.POINTER, (False, False)),
        (Policy.FACTS, (True, False)),
        (Policy.WORDING, (True, True)),
    ],
)
def test_a_models_words_are_shown_where_the_wiki_allows_them(
    policy: Policy, shown: tuple[bool, bool]
) -> None:
    worded = runs.outdated(text="It carries 15,500 cars.", is_worded=True)
    note = _note(worded, "As of 2026, it carries 15,500 cars a day.")

    text = _report(note, policy)

    assert ("It carries 15,500 cars." in text, "As of 2026, it" in text) == shown


def test_a_new_fact_in_an_empty_section_names_no_sentence() -> None:
    text = _report(_note(runs.new_fact(after=None)))

    assert "It would go after" not in text


def test_a_talk_page_note_names_its_kind_and_day() -> None:
    edit = plan("", [_note(runs.outdated())], {}, TALK, KEYS, own=None).edit

    assert edit
    assert "|kind=outdated |" in edit.text
    assert "|dated=2026-10-04 |" in edit.text


def test_what_sources_say_does_nothing_on_a_page() -> None:
    raw = "}}\n== X ==\n[[Category:Evil]]{{nuke}}<!-- sidenote note x --> '''b'''"
    bad = hostile(raw)
    news = NoteQuote(raw, f"https://a.example/{raw}", raw, None, date(2026, 5, 1))
    note = replace(_note(runs.outdated()), text=raw, quotes=(news,), page=bad.page)

    text = _report(note, Policy.WORDING)

    for harm in ("[[Category", "{{nuke", "\n== X", "<!-- sidenote note x"):
        assert harm not in text
