"""Days and times of day, however they are written."""

import pytest

from handlers.text.analysis import analyse
from handlers.text.dates import compare_date, compare_time
from handlers.text.numbers import Agreement
from handlers.text.words import words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("on 12 May 2011", (2011, 5, 12), id="day first"),
        pytest.param("on May 12th, 2011", (2011, 5, 12), id="month first"),
        pytest.param("the 3rd of Sept. 1999", (1999, 9, 3), id="ordinal day"),
        pytest.param("2011-05-12", (2011, 5, 12), id="ISO"),
        pytest.param("03/28/2020", (2020, 3, 28), id="slashes"),
        pytest.param("03/04/2020", (2020, None, None), id="ambiguous slashes"),
        pytest.param("in May 2011", (2011, 5, None), id="month and year"),
        pytest.param("in 2011", (2011, None, None), id="year"),
        pytest.param("on 4 July", (None, 7, 4), id="no year"),
    ],
)
def test_dates_are_read_at_the_precision_given(
    text: str, expected: tuple[int | None, int | None, int | None]
) -> None:
    [date] = analyse(text).dates

    assert (date.year, date.month, date.day) == expected


@pytest.mark.parametrize(
    "text", ["they may win 12", "3500 people", "march on 31 fields"]
)
def test_what_only_looks_like_a_date_is_none(text: str) -> None:
    assert analyse(text).dates == ()


@pytest.mark.parametrize(
    ("claim", "evidence", "expected"),
    [
        pytest.param("May 2011", "12 May 2011", Agreement.STATED, id="finer evidence"),
        pytest.param(
            "12 May 2011", "May 2011", Agreement.ABSENT, id="coarser evidence"
        ),
        pytest.param("May 2011", "June 2011", Agreement.DIFFERENT, id="another month"),
        pytest.param("in 2011", "in 2012", Agreement.DIFFERENT, id="another year"),
        pytest.param("before 2012", "in 2011", Agreement.STATED, id="before"),
        pytest.param("before 2012", "in 2013", Agreement.DIFFERENT, id="not before"),
        pytest.param("after May 2011", "2 June 2011", Agreement.STATED, id="after"),
        pytest.param("after May 2011", "in 2011", Agreement.ABSENT, id="cannot tell"),
    ],
)
def test_a_date_is_stated_different_or_absent(
    claim: str, evidence: str, expected: Agreement
) -> None:
    [claimed] = analyse(claim).dates

    assert compare_date(claimed, analyse(evidence).dates) is expected


@pytest.mark.parametrize(
    "text",
    ["5:30 p.m. CDT", "5:30 PM", "530 pm", "530 PM CDT", "17:30", "1730 UTC", "17:30:00"],
)  # fmt: skip
def test_a_time_of_day_is_one_word_however_it_is_written(text: str) -> None:
    [word] = words(text)

    assert (word.text, word.stem) == (text, "17:30")


@pytest.mark.parametrize(
    ("text", "stems"),
    [
        ("20Z", ["20:00"]),
        ("5 p.m.", ["17:00"]),
        ("12:15 am", ["0:15"]),
        ("12 pm", ["12:00"]),
        ("7:35 - 8:01 PM", ["~7:35", "20:01"]),
        ("at 9 am.", ["at", "9:00"]),
        ("score 3:2", ["scor", "3", "2"]),
        ("1190 AM", ["1190", "am"]),
        ("25:99", ["25", "99"]),
        ("20 CT scans", ["20", "ct", "scan"]),
        ("100 pm2", ["100", "pm", "2"]),
    ],
)
def test_only_times_are_read_as_times(text: str, stems: list[str]) -> None:
    assert [word.stem for word in words(text)] == stems


@pytest.mark.parametrize(
    ("claim", "evidence", "expected"),
    [
        ("at 5:30 p.m. CDT", "530 pm", Agreement.STATED),
        ("at 5:30", "17:30", Agreement.STATED),
        ("at 17:30", "5:30", Agreement.STATED),
        ("at 5:30 a.m.", "5:30 p.m.", Agreement.DIFFERENT),
        ("at 8:29 p.m.", "8:27 p.m.", Agreement.DIFFERENT),
        ("at 8:29 p.m.", "829 people", Agreement.ABSENT),
    ],
)
def test_a_time_is_stated_different_or_absent(
    claim: str, evidence: str, expected: Agreement
) -> None:
    [claimed] = analyse(claim).times

    assert compare_time(claimed, analyse(evidence).times) is expected


def test_a_time_counts_as_stated_in_coverage_too() -> None:
    stated = analyse(
        "tornado 32.6/-88.0 530 pm 33.1/-86.9 655 pm; 7:35 - 8:01 PM"
    ).index

    assert stated.support("17:30") == 1
    assert stated.support("19:35") == 1
    assert stated.support("17:35") == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the contract ran 1990–95", [1990, 1995]),
        ("the season of 2011/12", [2011, 2012]),
        ("the winter of 1999–00", [1999, 2000]),
        ("pages 1990–85", [1990]),
        ("on 2011-12-05", [2011]),
    ],
)
def test_two_digits_after_a_year_end_its_range(text: str, expected: list[int]) -> None:
    assert [date.year for date in analyse(text).dates] == expected
