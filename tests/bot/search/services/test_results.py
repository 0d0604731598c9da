"""What a service found is cleaned, bounded, dated and asked for in fitting words."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.search.services.results import (
    Hit,
    ResultFilter,
    day_of,
    found_of,
    in_boolean,
    in_words,
    plain,
)
from bot.sources.reliability import load_reliability
from handlers.model import Query, Window
from tests.bot.search.services.tools import MARCH, TODAY, query

SIEVE = ResultFilter(lists=load_reliability(), wiki="wiki.example.org")


def addresses(*hits: Hit, request: Query | None = None) -> list[str]:
    found = found_of(hits, request or query(), "Test", SIEVE)
    return [one.address for one in found]


@pytest.mark.parametrize(
    "address",
    [
        pytest.param("https://de.wikipedia.org/wiki/Uhr", id="a wikipedia"),
        pytest.param("https://en.m.wikipedia.org/wiki/Clock", id="its mobile form"),
        pytest.param("https://wiki.example.org/wiki/Clock", id="the wiki itself"),
        pytest.param("https://alchetron.com/clock", id="a mirror"),
        pytest.param("https://web.archive.org/web/20200101000000/https://en.wikipedia.org/wiki/A", id="a mirror's copy"),
        pytest.param("http://localhost/", id="this machine"),
        pytest.param("http://[::1]/", id="this machine by number"),
        pytest.param("file:///etc/passwd", id="a file"),
        pytest.param("javascript:alert(1)", id="a script"),
        pytest.param("https://me:pw@example.org/", id="with a password"),
        pytest.param("https://example.org/" + "a" * 2_000, id="too long"),
        pytest.param("https://example.org/\nHost: x", id="a line break"),
        pytest.param("", id="none"),
    ],
)  # fmt: skip
def test_what_is_no_source_is_dropped(address: str) -> None:
    assert addresses(Hit(address), Hit("https://example.org/")) == [
        "https://example.org/"
    ]


def test_a_page_counts_once_and_without_what_tracks_its_readers() -> None:
    assert addresses(
        Hit("https://www.example.org/a?id=1&utm_source=x#top"),
        Hit("http://example.org/a/?id=1&fbclid=y"),
        Hit("https://example.org/a?id=2"),
    ) == ["https://www.example.org/a?id=1", "https://example.org/a?id=2"]


@pytest.mark.parametrize(
    ("published", "stays"),
    [
        pytest.param(None, True, id="not told"),
        pytest.param(date(2026, 3, 1), True, id="inside"),
        pytest.param(date(2026, 2, 28), True, id="a time zone off"),
        pytest.param(date(2026, 2, 27), False, id="before"),
        pytest.param(date(2026, 4, 2), False, id="after"),
        pytest.param(date.min, False, id="the first day of all"),
        pytest.param(date.max, False, id="the last day of all"),
    ],
)
def test_a_day_outside_the_window_is_dropped(
    published: date | None, *, stays: bool
) -> None:
    hit = Hit("https://example.org/", published=published)

    assert bool(addresses(hit, request=query(window=MARCH))) is stays


def test_another_language_than_the_one_asked_for_is_dropped() -> None:
    query = Query("a", "b", language="de")
    hits = [Hit(f"https://example.org/{one}", language=one) for one in ("de-AT", "en")]

    assert addresses(*hits, request=query) == ["https://example.org/de-AT"]


def test_excerpts_are_one_line_without_tags_and_not_long() -> None:
    assert plain("<b>A</b> &amp;\n\x00 <jats:p>b", 20) == "A & b"
    assert len(plain("word " * 9_000, 100)) <= 100
    assert plain("a < b and c > d", 50) == "a < b and c > d"


@pytest.mark.parametrize(
    ("value", "day"),
    [
        ("20260316T031500Z", date(2026, 3, 16)),
        ("2026-03-16T08:30:00", date(2026, 3, 16)),
        ("2026-03-16", date(2026, 3, 16)),
        ("Mar 16, 2026", date(2026, 3, 16)),
        ("March 16, 2026", date(2026, 3, 16)),
        ("16 Mar 2026", date(2026, 3, 16)),
        ("2 days ago", date(2026, 3, 18)),
        ("an hour ago", TODAY),
        ("3 weeks ago", None),
        ("5 months ago", None),
        ("March 2026", None),
        ("2026-13-01", None),
        ("0001-01-01", None),
        ("9999-12-31", None),
        ("16. März 2026", None),
        ("", None),
        (None, None),
        (20260316, None),
    ],
)
def test_days_are_read_where_they_are_exact(value: object, day: date | None) -> None:
    assert day_of(value, TODAY) == day


@given(st.text(max_size=120))
def test_no_text_breaks_the_reading_of_days(value: str) -> None:
    day_of(value, TODAY)


def test_the_title_goes_with_the_claim_unless_it_is_in_it() -> None:
    query = Query("He retired in May 2024.", "Jane Doe (runner)")

    assert in_words(query, most_words=50, most_chars=400) == (
        '"Jane Doe" He retired in May 2024.'
    )
    assert in_words(Query("Jane Doe ran", "Jane Doe"), most_words=9, most_chars=99) == (
        "Jane Doe ran"
    )


def test_who_wants_all_words_is_given_the_title_and_one_of_the_others() -> None:
    query = Query("Jane Doe won the Boston Marathon in 2026", "Jane Doe (runner)")

    assert in_boolean(query, most_chars=250) == (
        '"Jane Doe" (Boston OR Marathon OR 2026 OR won)'
    )
    assert in_boolean(Query("Jane Doe", "Jane Doe"), most_chars=250) == '"Jane Doe"'
    assert in_boolean(Query("Doe prizes", "Doe"), most_chars=250) == "Doe prizes"
    assert in_boolean(Query("it", "U 2"), most_chars=250) == "U 2"


@given(st.text(max_size=300), st.text(max_size=300))
def test_questions_are_bounded_and_their_quotes_closed(claim: str, title: str) -> None:
    query = Query(claim, title, window=Window())

    for words in (
        in_words(query, most_words=50, most_chars=80),
        in_boolean(query, most_chars=80),
    ):
        assert words.count('"') % 2 == 0
    assert len(in_words(query, most_words=50, most_chars=80)) <= 81
