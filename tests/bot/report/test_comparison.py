"""What a report says of an edit: how much was compared, and which words were changed."""

from dataclasses import replace

import pytest

from bot.report import render_html, render_json, render_text
from bot.report.comparison import comparison_view
from bot.report.notes import notes_of
from bot.report.page_report import PageReport
from handlers.edits.alignment import changes_between
from handlers.model import (
    Comparison,
    EditCheck,
    EditJudgement,
    NotCompared,
    NotJudged,
    Page,
    PageId,
    SourceOutcome,
    Verdict,
)
from handlers.page import parse
from tests import builders
from tests.bot.report.test_json import validated

HERE = PageId("en.wikipedia.org", "Skarholm", revision_id=12)
CITED = "<ref>{{cite news |title=The clock |url=https://bbc.example/clock}}</ref>"
BEFORE = f"It was borne by the county, shared with the town.{CITED} It has 4127 rooms.{CITED}"
AFTER = f"It was borne entirely by the county.{CITED} It has 4122 rooms.{CITED}"


def _pages() -> tuple[Page, Page]:
    return parse(BEFORE, replace(HERE, revision_id=11)), parse(AFTER, HERE)


def _comparison(*, reads: bool) -> Comparison:
    """Return what an edit of two sentences did: one is noted, one is not compared."""
    before, after = _pages()
    noted, other = changes_between(before, after).claims
    judged = EditJudgement(
        0.9,
        builders.verification(Verdict.SUPPORTED),
        builders.verification(Verdict.NOT_SUPPORTED),
    )
    fetches = (builders.unread(SourceOutcome.OFFLINE, of=other.sources[0]),)
    return Comparison(
        before.id,
        2,
        (
            EditCheck(noted, (), judged, 0.9, builders.flag()),
            *(
                [
                    EditCheck(
                        other, fetches, judged, 0.9, None, None, NotJudged.READ_IN_PART
                    )
                ]
                if reads
                else []
            ),
        ),
        unjudged=()
        if reads
        else (EditCheck(other, fetches, why_not=NotJudged.UNREAD),),
    )


def _report(*, reads: bool) -> PageReport:
    _, after = _pages()
    return PageReport(
        after,
        (),
        builders.ENGINE,
        builders.CHECKED_AT,
        1.0,
        comparison=_comparison(reads=reads),
    )


def _text(report: PageReport) -> str:
    return " ".join(render_text([report], width=80, colour=False).split())


@pytest.mark.parametrize("reads", [False, True])
def test_what_was_changed_and_not_compared_is_counted_and_listed(
    *, reads: bool
) -> None:
    report = _report(reads=reads)
    assert report.comparison
    [line] = comparison_view(report.comparison).lines

    assert "revision 11" in line
    assert "2 changed claims" in line
    assert ("1 of them not in full" if reads else "source not read: 1") in line
    for shown in (_text(report), " ".join(render_html([report]).split())):
        assert line in shown
        assert f"({SourceOutcome.OFFLINE.value})" in shown
        assert "4127" in shown
        assert "4122" in shown
    [found] = validated(render_json([report]))["reports"]
    assert len(found["compared_with"]["unjudged"]) == (not reads)


def test_the_text_names_the_words_struck_and_those_put_in() -> None:
    text = _text(_report(reads=False))

    assert "“entirely”" in text
    assert "“, shared with the town”" in text


@pytest.mark.parametrize("why", NotCompared)
def test_why_nothing_was_compared_is_said(why: NotCompared) -> None:
    [line] = comparison_view(Comparison(HERE, not_compared=why)).lines

    assert line.startswith("Not compared with revision 12: ")


def test_texts_of_two_articles_are_named() -> None:
    [asked] = comparison_view(Comparison(HERE, hardly_alike=True)).lines
    [unchanged] = comparison_view(Comparison(HERE)).lines

    both = Comparison(HERE, not_compared=NotCompared.TOO_MANY, hardly_alike=True)
    [_, asked_only] = comparison_view(both).lines

    assert asked == f"{asked_only} Both were compared all the same."
    assert "same article" in asked
    assert "same article" not in unchanged


def test_words_without_support_are_named_once() -> None:
    said = "The reservoir was built for 285,000 people"
    lacking = (builders.span_of("285,000", said),)
    check = builders.claim_check(
        Verdict.NOT_SUPPORTED,
        builders.claim(said),
        verification=builders.verification(
            Verdict.NOT_SUPPORTED,
            builders.evidence("reservoir built", text="reservoir built", matching=()),
            unsupported=lacking,
        ),
    )
    report = builders.page_report(check)
    [note] = [one for one in notes_of(report) if one.kind == "citation"]
    assert note.reason

    text = _text(report)
    listed = text[text.index("Needs attention") : text.index(str(note.certainty))]
    assert listed.count("285,000") == 2  # in the sentence, and where it is wrong
