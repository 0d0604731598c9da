"""When a fact was made known: the sentence tells, else its page."""

from datetime import date

import pytest

from handlers.model import DateBasis, Ignored, Imprint, SourceText, Window
from handlers.updates.extracting.dating import Days, Timed, page_days, when
from tests.handlers.updates.builders import subject

PAGE = Days(date(2026, 10, 6), date(2026, 10, 6))  # a Tuesday
OPEN = subject(window=Window())
OLD = Days(date(2020, 1, 2), date(2020, 1, 2))


@pytest.mark.parametrize(
    ("text", "day", "basis"),
    [
        ("It was closed on 3 October 2026.", date(2026, 10, 3), DateBasis.TEXT),
        ("It was closed on October 3.", date(2026, 10, 3), DateBasis.TEXT),
        ("It was closed on Saturday.", date(2026, 10, 3), DateBasis.TEXT),
        ("It was closed yesterday.", date(2026, 10, 5), DateBasis.TEXT),
        ("It was closed in October 2026.", date(2026, 10, 6), DateBasis.TEXT),
        ("It was closed to lorries.", date(2026, 10, 6), DateBasis.PAGE),
        (
            "Smith, first elected in 2007, lost her seat.",
            date(2026, 10, 6),
            DateBasis.PAGE,
        ),
        (
            "The bridge now carries 15,000 cars a day, up from 12,000 in 2024.",
            date(2026, 10, 6),
            DateBasis.PAGE,
        ),
        ("It seats 900, compared with 700 in 2019.", date(2026, 10, 6), DateBasis.PAGE),
        ("She has been mayor since 2014.", date(2026, 10, 6), DateBasis.PAGE),
        (
            "The strike cost 1500 jobs in Port Example.",
            date(2026, 10, 6),
            DateBasis.PAGE,
        ),
    ],
)
def test_a_fact_of_the_window_gets_its_day(
    text: str, day: date, basis: DateBasis
) -> None:
    assert when(text, PAGE, subject()) == Timed(day, basis)


def test_an_old_date_is_outside_though_its_page_is_new() -> None:
    told = when("In 1932 the mayor opened the bridge.", PAGE, subject())
    assert told.refused is Ignored.OUTSIDE_WINDOW
    told = when("Traffic was up from 9,000 cars. It was so in 2024.", PAGE, subject())
    assert told.refused is Ignored.OUTSIDE_WINDOW


def test_an_old_page_counts_only_for_what_it_dates_itself() -> None:
    assert when("It was closed.", OLD, subject()).refused is Ignored.OUTSIDE_WINDOW
    told = when("It was closed on 3 October 2026.", OLD, subject())
    assert told == Timed(date(2026, 10, 3), DateBasis.TEXT)


def test_without_a_day_of_the_page_the_sentence_has_to_tell() -> None:
    assert when("It was closed to lorries.", None, subject()).refused is Ignored.UNDATED
    # 2026 began before the window.
    assert when("It was closed in 2026.", None, subject()).refused is Ignored.UNDATED
    assert when("It was closed on 3 October 2026.", None, subject()).refused is None


def test_a_page_of_days_to_come_tells_no_day() -> None:
    ahead = Days(date(2099, 1, 1), date(2099, 1, 1))

    assert when("It was closed.", ahead, OPEN) == Timed()
    assert when("It was closed.", ahead, subject()).refused is Ignored.UNDATED


def test_an_open_window_takes_undated_facts_but_none_that_count_from_an_unknown_day() -> (
    None
):
    assert when("It was closed to lorries.", None, OPEN) == Timed()
    assert when("It was closed last week.", None, OPEN).refused is Ignored.UNDATED
    assert when("It was closed on Monday.", None, OPEN).refused is Ignored.UNDATED


def test_what_is_still_to_come_is_told() -> None:
    assert when("Smith will be mayor from 1 May 2027.", PAGE, subject()).is_ahead


@pytest.mark.parametrize(
    ("document", "days"),
    [
        (SourceText("", imprint=Imprint(published="2026-10-06")), (6, 6)),
        (SourceText("", imprint=Imprint(published="2026-10")), (1, 31)),
        (
            SourceText(
                "Home\nBy Anya Palm October 6, 2026\nThe bridge was closed to lorries after engineers had found cracks in it."
            ),
            (6, 6),
        ),
    ],
)
def test_the_day_of_a_page_is_taken_as_it_states_it(
    document: SourceText, days: tuple[int, int]
) -> None:
    expected = Days(date(2026, 10, days[0]), date(2026, 10, days[1]))
    assert page_days(document) == expected


@pytest.mark.parametrize(
    "stated", ["", "soon", "2026-13-45", "0000-01-01", "0001-01-01"]
)
def test_a_page_without_a_sound_day_has_none(stated: str) -> None:
    text = "The bridge that was opened by the mayor in May 1932 was closed on 3 October 2026 by them."
    assert page_days(SourceText(text, published=stated)) is None
