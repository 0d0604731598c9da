"""What a model would look for is always about the subject."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.updates.by_model.asking import line, within
from handlers.updates.by_model.framing import chosen, sections_of
from handlers.updates.by_model.queries import tidy
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
    assert tidy(text, subject()) == query


@given(st.text())
def test_a_query_is_one_bounded_line_about_the_subject(text: str) -> None:
    query = tidy(text, subject())
    if query is not None:
        assert len(query) <= 200
        assert "\n" not in query
        assert {"harbour", "bridge"} & set(query.casefold().split()) or (
            "harbour" in query.casefold() or "bridge" in query.casefold()
        )


@given(st.text())
def test_only_ids_that_were_given_out_are_understood(text: str) -> None:
    given_out = [statement(), statement("It is long.")]
    assert (chosen(text, "a", given_out) is None) is (
        text.strip().casefold() not in {"a1", "a2", "a01", "a02", "a001", "a002"}
    )
    path = sections_of(subject()).path(text)
    assert (path is None) is (text.strip().casefold() not in {"s1", "s2"})


@given(st.text(), st.integers(2, 50))
def test_a_line_is_one_line(text: str, most: int) -> None:
    assert len(line(text, most)) <= most
    assert len(line(text, most).splitlines()) <= 1


@given(st.lists(st.text()), st.integers(0, 100))
def test_lines_are_kept_as_long_as_they_fit(texts: list[str], most: int) -> None:
    kept = within(texts, most)
    assert kept == texts[: len(kept)]
    assert sum(len(one.encode("utf-8", "replace")) + 1 for one in kept) <= most
