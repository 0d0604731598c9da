"""The report as text, and how it puts figures, times and hostile words."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from bot.report import render_html, render_text, summary_line
from bot.report.claims import findings_of, flag_words
from bot.report.words import (
    ADVICE,
    clean,
    clean_for_terminal,
    clipped,
    counted,
    duration,
    moment,
    percent,
    probability_of,
    provenance,
    shortened,
)
from handlers.citations.quote_links import Piece, source_title
from handlers.findings import WritingFinding
from handlers.model import (
    ExpectedPrecision,
    Message,
    MissingKind,
    MissingPiece,
    Origin,
    PageId,
    Probabilities,
    SourceForm,
    SourceOutcome,
    SourceText,
    Span,
    Verdict,
)
from handlers.registry import KINDS
from tests import builders
from tests.bot.store.runs import suggestion
from tests.builders import (
    claim,
    claim_check,
    drift,
    fetch,
    page,
    page_report,
    source,
)
from tests.full_report import full_report

_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def text_of(*reports: object, width: int = 80, colour: bool = False) -> str:
    return render_text(reports, width=width, colour=colour)  # type: ignore[arg-type]  # any reports


def folded(text: str) -> str:
    return " ".join(text.split())


def test_every_line_but_what_is_to_be_copied_fits_the_width() -> None:
    lines = text_of(full_report(), page_report()).splitlines()

    too_wide = [line for line in lines if len(line) > 80]
    assert all(line.strip().startswith(("https://", "{{")) for line in too_wide)


def test_an_address_is_never_broken() -> None:
    text = text_of(full_report(), width=40)

    assert re.search(r"^ +https://www\.weather\.gov/\S+#:~:text=\S+$", text, re.M)


def test_it_says_how_each_claim_stands_in_words() -> None:
    text = text_of(full_report())

    for words in (
        "SUPPORTED",
        "PARTIALLY SUPPORTED",
        "NOT SUPPORTED",
        "CONTRADICTED",
        "COULD NOT CHECK",
        "NO CITATION",
    ):
        assert f"\n  {words}\n" in text


def test_it_tells_what_the_reader_can_do_about_every_outcome() -> None:
    text = folded(text_of(full_report()))

    for outcome in SourceOutcome:
        assert str(ADVICE[outcome]) in text


def test_claims_stand_under_their_sections_with_row_and_column() -> None:
    text = text_of(full_report())

    assert "\nDamage > By county\n------------------\n" in text
    assert "[row Bibb County, column Rating] EF4" in text
    assert "[infobox, path length] 72 miles" in text


def test_it_names_the_words_without_support_and_the_tags() -> None:
    text = text_of(full_report())

    assert "No support found for “Tuscaloosa”, “midnight”" in text
    assert "Tagged in the article: dubious, May 2024" in text


def test_words_at_fault_that_no_source_was_read_for_are_not_unsupported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    report = full_report()
    found = suggestion(
        "The iconic mill burned.",
        finding=replace(KINDS[WritingFinding.kind].example, at_fault=(Span(4, 10),)),  # type: ignore[type-var]
        flag=builders.flag(),
    )
    monkeypatch.setitem(vars(report), "found", {WritingFinding.kind: (found,)})

    assert "The note is about “iconic”" in text_of(report)
    assert 'title="the note is about these words">iconic<' in render_html([report])


def test_it_says_where_the_quote_came_from() -> None:
    text = folded(text_of(full_report()))

    assert "archived copy of 2011-06-01" in text
    assert "live page, read 2026-11-20" in text


def test_colour_adds_nothing_to_the_words() -> None:
    plain = text_of(full_report())

    coloured = text_of(full_report(), colour=True)

    assert "\x1b[" in coloured
    assert "\x1b" not in plain
    stripped = "\n".join(
        line.rstrip() for line in _ESCAPE.sub("", coloured).splitlines()
    )
    assert stripped.strip() == plain.strip()


def test_no_word_of_a_page_can_steer_the_terminal() -> None:
    hostile = "\x1b[2J\x1b]0;owned\x07\x9b31m[bold]x[/bold]:smile:\u202e\r"
    cited = source(title=hostile, url=f"https://x.org/{hostile}", work=hostile)
    check = claim_check(
        None,
        claim(hostile, section=(hostile,), sentence=hostile),
        fetches=(
            fetch(cited, outcome=SourceOutcome.GONE, detail=hostile, document=None),
        ),
        advice=Message("", hostile),
    )
    subject = page(hostile)

    text = text_of(page_report(check, page=subject, notes=(hostile,)))

    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)
    assert "[bold]x[/bold]:smile:" in text


def test_a_page_without_citations_says_so() -> None:
    report = page_report()

    assert "nothing to check" in text_of(report)
    assert summary_line(report).endswith(": no citations found")


def test_a_note_says_why_there_is_nothing_to_check() -> None:
    text = text_of(page_report(notes=("This page is a redirect to “Elsewhere”.",)))

    assert "This page is a redirect to “Elsewhere”." in text
    assert "nothing to check" not in text


def test_several_reports_end_in_one_line_each() -> None:
    one, other = (
        page_report(claim_check()),
        page_report(claim_check(Verdict.CONTRADICTED)),
    )

    text = text_of(one, other)

    assert text.endswith(
        "In short\n========\n2011 Sawyerville–Eoline tornado: 1 supported\n"
        "2011 Sawyerville–Eoline tornado: 1 contradicted\n"
    )


def test_the_text_of_no_report_is_empty() -> None:
    assert text_of() == ""


def test_a_page_from_a_file_has_no_revision() -> None:
    report = page_report(page=page(id=PageId("local", "Draft")))

    assert "From a file; checked 2026-11-20 12:51 UTC" in text_of(report)


def test_a_very_narrow_terminal_still_gets_a_report() -> None:
    assert "SUPPORTED" in text_of(page_report(claim_check()), width=1)


def test_flagged_claims_are_listed_first_and_doubtful_ones_marked_as_such() -> None:
    report = page_report(
        claim_check(Verdict.NOT_SUPPORTED, claim("It was red."), flag=None),
        claim_check(Verdict.CONTRADICTED, claim("It was blue.")),
    )

    text = render_text([report], width=80, colour=False)

    due, doubtful = text.index("Needs attention (1)"), text.index("1 doubtful note:")
    assert due < text.index("The article says: “It was blue.”") < doubtful
    assert doubtful < text.index("It was red.")
    assert "    1 flagged; 1 doubtful" in text


@pytest.mark.parametrize(
    ("share", "prefix"),
    [
        (0.87, "Right about 9 times in 10."),
        (0.79, "Right about 4 times in 5."),
        (0.418, "Right about 2 times in 5."),
        (0.06, "Right less than 1 time in 10."),
        (None, "How often notes like this are right has not been measured."),
    ],
)
def test_certainty_is_said_once_as_it_was_measured(
    share: float | None, prefix: str
) -> None:
    rests_on = ("dev.jsonl.gz", ("natural", "hard"), 1200)
    expected = None if share is None else ExpectedPrecision(share, 0.01, *rests_on)
    check = claim_check(Verdict.NOT_SUPPORTED, flag=builders.flag(expected=expected))

    words = flag_words(check)

    assert words.startswith(prefix)
    report = text_of(page_report(check), width=1000)
    assert words in report


def test_a_page_without_faults_has_no_list_of_them() -> None:
    text = render_text([page_report(claim_check())], width=80, colour=False)

    assert "Needs attention" not in text
    assert "oubtful" not in text


def test_controls_are_replaced_one_for_one_so_that_offsets_stay_true() -> None:
    hostile = "a\x1b[2Jb\x00c\x9bd\ud800e\r"

    cleaned = clean(hostile)

    assert cleaned == "a�[2Jb�c�d�e�"


def test_line_breaks_and_tabs_are_text() -> None:
    assert clean("a\n\tb") == "a\n\tb"


def test_a_change_of_direction_does_not_reach_the_terminal() -> None:
    assert clean_for_terminal("safe\u202egnp.exe\u2066 x\n y") == "safegnp.exe x y"


@pytest.mark.parametrize(
    ("text", "short"),
    [
        pytest.param("one two", "one two", id="short enough"),
        pytest.param("one two three four", "one two…", id="cut at a word"),
        pytest.param("Donaudampfschifffahrt", "Donaudampfs…", id="one long word"),
    ],
)
def test_shortening_cuts_at_words(text: str, short: str) -> None:
    assert shortened(text, 12) == short


def test_clipping_keeps_marks_and_says_where_it_cut() -> None:
    words = (Piece("one "), Piece("two", marked=True), Piece(" three four"))

    assert clipped(words, 30) == words
    assert clipped(words, 14) == (*words[:2], Piece(" three"), Piece("…"))


@pytest.mark.parametrize(
    ("probability", "figure"),
    [(1.0, "over 99%"), (0.95, "95%"), (0.41, "41%"), (0.0, "under 1%")],
)
def test_a_probability_is_never_shown_as_certain(
    probability: float, figure: str
) -> None:
    assert percent(probability) == figure


def test_each_verdict_has_its_own_probability() -> None:
    shares = Probabilities(0.1, 0.2, 0.3, 0.4)

    found = [probability_of(verdict, shares) for verdict in Verdict]

    assert found == [0.1, 0.2, 0.3, 0.4]


def test_a_moment_is_shown_in_universal_time() -> None:
    east = timezone(timedelta(hours=2))

    assert moment(datetime(2026, 11, 20, 1, 5, tzinfo=east)) == "2026-11-19 23:05 UTC"


@pytest.mark.parametrize(
    ("origin", "words"),
    [
        (Origin.LIVE, "live page, read 2011-06-01"),
        (Origin.ARCHIVE, "archived copy of 2011-06-01"),
        (Origin.DISK, "copy on disk, captured 2011-06-01"),
        (None, ""),
    ],
)
def test_a_reading_says_where_its_text_came_from(
    origin: Origin | None, words: str
) -> None:
    when = datetime(2011, 6, 1, tzinfo=UTC)

    assert provenance(fetch(origin=origin, read_at=when)) == words


def test_a_reading_says_what_its_text_leaves_out() -> None:
    missing = (MissingPiece(MissingKind.HIDDEN), MissingPiece(MissingKind.RECOGNISED))
    document = SourceText("It rang.", missing=missing)

    found = provenance(fetch(origin=Origin.DISK, read_at=None, document=document))

    assert found == (
        "copy on disk; words that it hides from readers left out; words recognised in a"
        " picture of the page"
    )


def test_numbers_agree_with_their_nouns() -> None:
    assert [counted(number, "claim") for number in (0, 1, 2)] == [
        "0 claims",
        "1 claim",
        "2 claims",
    ]


@pytest.mark.parametrize(
    ("seconds", "words"), [(3.24, "3.2 s"), (59.4, "59.4 s"), (125.0, "2 min 5 s")]
)
def test_a_duration_is_said_as_a_person_would(seconds: float, words: str) -> None:
    assert duration(seconds) == words


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        pytest.param(
            "Smith, ''The Old Quay'', 1999", "Smith, The Old Quay, 1999", id="italics"
        ),
        pytest.param(
            "[[Ada Holm|Holm]] (1874), p. 3", "Holm (1874), p. 3", id="a link"
        ),
        pytest.param("Holm&nbsp;1874", "Holm 1874", id="an entity"),
        pytest.param("''''", "''''", id="nothing but markup"),
    ],
)
def test_a_source_that_is_only_text_is_called_what_the_article_shows(
    raw: str, shown: str
) -> None:
    cited = source(form=SourceForm.TEXT, raw=raw, title=None, url=None, work=None)

    assert source_title(cited, None) == shown


def test_a_source_without_a_title_is_called_as_it_calls_itself() -> None:
    cited = source(title=None)

    assert source_title(cited, fetch(cited)) == "Sawyerville-Eoline EF-3 Tornado"


def test_only_a_web_address_is_offered_as_an_archived_copy() -> None:
    hostile = drift(template=None, archive_url="javascript:alert(1)")

    [found] = findings_of(claim_check(drift=hostile), page().id)

    assert found.address is None
    assert found.template is None
