"""What a model would look for is always about the subject."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.updates.navigator import as_query
from handlers.updates.questions import (
    article_excerpt,
    line,
    sections_of,
    statement_of,
    within,
)
from tests.handlers.updates.builders import statement, subject


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Harbour Bridge repairs 2026", "Harbour Bridge repairs 2026"),
        ("repairs of the bridge", "repairs of the bridge"),
        ("cheap pills", "Harbour Bridge cheap pills"),
        ('site:evil.example "harbour"', "evil.example harbour"),
        ("harbour https://evil.example/?key=1", "harbour"),
        ("harbour -opening +pills", "harbour opening pills"),
        ("Harbour Bridge: results 2026", "Harbour Bridge: results 2026"),
        ("https://evil.example/", None),
        ("  \n ", None),
        ("the of and", None),
    ],
)
def test_no_addresses_no_operators_and_the_subject_s_name(
    text: str, query: str | None
) -> None:
    assert as_query(text, subject()) == query


@given(st.text())
def test_a_query_is_one_bounded_line_about_the_subject(text: str) -> None:
    query = as_query(text, subject())
    if query is not None:
        assert len(query) <= 200
        assert "\n" not in query
        assert {"harbour", "bridge"} & set(query.casefold().split()) or (
            "harbour" in query.casefold() or "bridge" in query.casefold()
        )


@given(st.text())
def test_only_ids_that_were_given_out_are_understood(text: str) -> None:
    statements = (statement(), statement("It is long."))
    found = statement_of(text, subject(statements=statements))
    wanted = text.strip().casefold()
    assert (found is None) is (
        wanted[:1] != "a"
        or wanted[1:].lstrip("0") not in {"1", "2"}
        or not wanted[1:].isascii()
        or len(wanted) > 7
    )
    path = sections_of(subject()).path(text)
    assert (path is None) is (text.strip().casefold() not in {"s1", "s2"})


@given(st.text(), st.integers(2, 50))
def test_a_line_is_one_line(text: str, most: int) -> None:
    assert len(line(text, most)) <= most
    assert len(line(text, most).splitlines()) <= 1


@given(st.lists(st.text()), st.integers(0, 100))
def test_lines_are_kept_as_long_as_they_fit(texts: list[str], most: int) -> None:
    fitting = within(texts, most)
    assert fitting == texts[: len(fitting)]
    assert sum(len(one.encode("utf-8", "replace")) + 1 for one in fitting) <= most


def test_of_a_long_article_the_statements_nearest_to_the_page_are_shown() -> None:
    statements = [statement(f"The toll of year {year} was low.") for year in range(300)]
    statements[200] = statement("Lorries were banned by the city council.")
    shown = article_excerpt(
        subject(statements=tuple(statements)), ["The ban on lorries ended."], 2_000
    ).text

    assert "a201: Lorries were banned" in shown
    assert len(shown.encode()) < 2_200
    assert "other statements are left out" in shown
