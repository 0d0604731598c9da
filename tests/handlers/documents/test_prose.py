"""Sentences are found where lines are broken or glued, each with its place."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from handlers.documents.prose import sentences


def texts(document: str) -> list[str]:
    return [one.text for one in sentences(document)]


def test_a_line_broken_at_a_link_goes_on() -> None:
    document = "The minister met\nAnna Smith\n, who leads the union,\nand left."
    assert texts(document) == [
        "The minister met",
        "Anna Smith , who leads the union, and left.",
    ]


def test_lines_broken_by_a_margin_are_joined() -> None:
    lines = [
        "The bridge across the harbour was closed for lorries by the",
        "Council on Monday after engineers had found cracks in three of",
        "its eleven piers. The council of Port Example voted for repairs",
        "Friday, which are to be paid from the budget of the region and",
        "State subsidies. The works were awarded to Example Builders, of",
        "Port Example, a company that had rebuilt the harbour in 2019.",
    ]
    found = texts("\n".join(lines))
    assert len(found) == 3
    assert found[0].endswith("three of its eleven piers.")


def test_headings_and_menus_stay_on_their_own() -> None:
    assert texts("Home\nNews\nThe bridge was closed.\nMore") == [
        "Home",
        "News",
        "The bridge was closed.",
        "More",
    ]


def test_paragraphs_without_a_space_between_them_are_parted() -> None:
    assert texts(
        "They won the season.The team moved on. He went to the UK.She stayed on."
    ) == [
        "They won the season.",
        "The team moved on.",
        "He went to the UK.",
        "She stayed on.",
    ]


def test_a_heading_before_a_sentence_is_left_off() -> None:
    assert texts("Questions remain about how he died The manner of death is unknown.")[
        -1
    ] == ("The manner of death is unknown.")


@given(st.text(alphabet="aB .!?\n\t-—“”’1\u00a0,(", max_size=200))
def test_each_sentence_stands_where_it_says(document: str) -> None:
    found = sentences(document)
    for one in found:
        assert one.text == " ".join(one.span.of(document).split())
    assert all(a.span.end <= b.span.start for a, b in pairwise(found))


def test_a_heading_glued_in_front_of_a_sentence_is_cut_off() -> None:
    for before in ("A key role for the EU", "(Photo: Ann Smith)", "About them:"):
        found = texts(f"{before}The EU closed the bridge in 2023.")
        assert found[-1] == "The EU closed the bridge in 2023."
    found = texts("By Ann SmithAs the bridge was closed, traffic moved.")
    assert found[-1] == "As the bridge was closed, traffic moved."
