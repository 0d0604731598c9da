import pytest

from handlers.citations.annotation import read
from handlers.citations.dates import compare_date
from handlers.citations.numbers import Agreement


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
    [date] = read(text).dates

    assert (date.year, date.month, date.day) == expected


@pytest.mark.parametrize(
    "text", ["they may win 12", "3500 people", "march on 31 fields"]
)
def test_what_only_looks_like_a_date_is_none(text: str) -> None:
    assert read(text).dates == ()


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
    [claimed] = read(claim).dates

    assert compare_date(claimed, read(evidence).dates) is expected
