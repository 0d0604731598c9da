"""Which sentence of a source a claim is shown beside, and what is marked in it."""

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.models.lexical import LexicalVerifier
from handlers.citations.passages import cut
from handlers.citations.quote_links import (
    Piece,
    closed_up,
    joined,
    pieces,
    quote_in_place,
    shifted,
)
from handlers.model import ClaimKind, SourceText, Span
from tests.builders import QUOTE, SOURCE_TEXT, claim, evidence, span_of

_VERIFIER = LexicalVerifier()  # reads its model when first used


_BRIDGE = (
    "The bridge at Harlow Ford was opened by Ada Penrose on 3 May 1921 after nine years"
    " of work."
)
_COST = "It cost the county 41,000 pounds, twice as much as planned."
_LONG = (
    "When the river rose in the spring of 1926, after a winter with more snow than"
    " anybody in the valley could remember, the western pier of the bridge, which had"
    " been set on gravel instead of rock because the money had run out, sank by almost"
    " a foot in one night."
)
_PAGE = f"""Harlow Ford Gazette
Home News Sport Contact Archive
Bridge opened by Ada Penrose
By Tom Ashby Published 4 May 1921
{_BRIDGE}
Hundreds of people had come from the villages nearby.
{_COST}
{_LONG}
Share this story
More on the bridge at Harlow Ford: Ada Penrose in pictures
We use cookies. Accept all Settings
"""


async def _quotes(
    text: str, source: str = _PAGE, kind: ClaimKind = ClaimKind.SENTENCE
) -> list[str]:
    found = await _VERIFIER.verify(
        "Harlow Ford", claim(text, kind=kind), cut(SourceText(source), "key")
    )
    return [one.quote for one in found.evidence]


async def test_the_sentence_that_says_it_comes_before_headline_and_menu() -> None:
    quotes = await _quotes("Ada Penrose opened the bridge in 1921.")

    assert quotes[0] == _BRIDGE


async def test_the_number_of_a_list_is_no_quote() -> None:
    source = "The storm\n27.\nThe roof of the old mill was blown off by the storm."

    assert (await _quotes("It hurt 27 people.", source))[0] != "27."
    assert "27." not in await _quotes("27", source, ClaimKind.TABLE_CELL)
    assert "27" in await _quotes(
        "27", source.replace("27.", "27"), ClaimKind.TABLE_CELL
    )


async def test_one_sentence_is_enough_where_it_says_all() -> None:
    assert await _quotes("The bridge was opened on 3 May 1921.") == [_BRIDGE]


async def test_a_claim_of_two_facts_is_shown_the_sentence_of_each() -> None:
    quotes = await _quotes(
        "The bridge was opened by Ada Penrose in 1921 and cost 41,000 pounds."
    )

    assert quotes == [_BRIDGE, _COST]


async def test_a_long_sentence_is_shown_whole() -> None:
    quotes = await _quotes("In 1926 the western pier sank by almost a foot.")

    assert quotes == [_LONG]


@pytest.mark.parametrize(
    ("glued", "shown"),
    [
        pytest.param(
            "Opening of the bridge The mayor cut the ribbon and led the way across.",
            "The mayor cut the ribbon and led the way across.",
            id="a heading",
        ),
        pytest.param(
            "Home News Sport Contact By Tom Ashby Published 4 May 1921 Residents cut the"
            " ribbon before the mayor had arrived.",
            "Residents cut the ribbon before the mayor had arrived.",
            id="menu, author and day",
        ),
        pytest.param(
            "Tom Ashby Harlow Ford (Valley News) - Residents cut the ribbon before the"
            " mayor had arrived.",
            "Residents cut the ribbon before the mayor had arrived.",
            id="the place it was sent from",
        ),
    ],
)
async def test_what_a_page_glues_to_a_sentence_is_left_out(
    glued: str, shown: str
) -> None:
    [quote] = await _quotes("The ribbon was cut.", f"{glued} It rained all day.")

    assert quote == shown


@pytest.mark.parametrize(
    "sentence",
    [
        "In 1921 Ada Penrose cut the ribbon of the bridge.",
        "The county paid for it and The Valley News cut the ribbon.",
        "On 3 May 1921 Mayor Ada Penrose of Harlow Ford cut the ribbon.",
    ],
)
async def test_a_name_or_a_day_inside_a_sentence_is_no_heading(sentence: str) -> None:
    quotes = await _quotes("The ribbon was cut.", f"{sentence} It rained all day.")

    assert quotes == [sentence]


async def test_what_never_ends_is_cut_behind_a_clause() -> None:
    towns = "; ".join(f"in Town{n} the flood took {n} houses" for n in range(11))

    quotes = await _quotes("In Town7 the flood took 7 houses.", towns)

    assert "in Town7 the flood took 7 houses" in quotes[0]
    assert quotes[0].startswith("in Town")
    assert quotes[0].endswith(("houses", "houses;"))


_WORDS = st.sampled_from(
    [*_PAGE.split(), "\n", "The", "1999", "–", "&", "“", "ﬁ", "٣", "a" * 300]
)


@given(st.lists(_WORDS, min_size=1, max_size=150))
async def test_quotes_are_of_the_page_in_whole_words_and_never_overlap(
    words: list[str],
) -> None:
    source = " ".join(["Start.", *words])

    found = await _VERIFIER.verify(
        "Harlow Ford",
        claim("Ada Penrose opened the bridge in 1921."),
        cut(SourceText(source), "key"),
    )

    spans = sorted((one.span.start, one.span.end) for one in found.evidence)
    assert 1 <= len(spans) <= 3
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    for start, end in spans:
        assert source[start:end].split() == source[start:end].strip().split()
        assert not source[max(0, start - 1) : start].strip()
        assert not source[end : end + 1].strip()


spans = st.builds(Span, st.integers(-5, 60), st.integers(-5, 60))


@given(text=st.text(max_size=50), marked=st.lists(spans, max_size=6))
def test_cutting_loses_no_character_and_adds_none(
    text: str, marked: list[Span]
) -> None:
    cut = pieces(text, marked)

    assert "".join(piece.text for piece in cut) == text


@given(text=st.text(min_size=1, max_size=50), marked=st.lists(spans, max_size=6))
def test_exactly_the_characters_in_a_span_are_marked(
    text: str, marked: list[Span]
) -> None:
    wanted = [
        any(one.start <= at < one.end for one in marked) for at in range(len(text))
    ]

    cut = pieces(text, marked)

    assert [piece.marked for piece in cut for _ in piece.text] == wanted


def test_overlapping_marks_become_one_run_of_marked_words() -> None:
    cut = pieces("abcdef", (Span(1, 4), Span(2, 5)))

    assert "".join(piece.text for piece in cut if piece.marked) == "bcde"
    assert cut[0] == Piece("a")


@pytest.mark.parametrize(
    ("text", "marked", "shown"),
    [
        pytest.param(
            "long, central tower", ["central", "tower"], ["central tower"], id="a space"
        ),
        pytest.param("low-end EF3", ["low", "end"], ["low-end"], id="a hyphen"),
        pytest.param(
            "seven, fifty", ["seven", "fifty"], ["seven", "fifty"], id="a comma"
        ),
        pytest.param("big and red", ["big", "red"], ["big", "red"], id="a word"),
    ],
)
def test_marks_that_touch_become_one(
    text: str, marked: list[str], shown: list[str]
) -> None:
    spans = [span_of(words, text) for words in marked]

    assert [span.of(text) for span in joined(text, spans)] == shown


def test_empty_lines_are_left_out_and_the_ends_stay() -> None:
    assert closed_up(" one \n\n \n two\n\n") == " one\ntwo\n"
    assert closed_up("\n \n") == "\n"
    assert closed_up("") == ""


def test_a_moved_span_never_starts_before_the_text() -> None:
    assert shifted((Span(0, 3), Span(2, 9)), -5) == (Span(0, 4),)


def test_a_quote_stands_in_its_surroundings() -> None:
    place = quote_in_place(evidence(), around=60)

    assert "".join(piece.text for piece in place.quote) == QUOTE
    assert f"{place.before}{QUOTE}{place.after}" in SOURCE_TEXT
    assert (place.cut_before, place.cut_after) == (True, True)
    assert place.before.startswith("Damage in this area was")


def test_a_quote_at_the_edge_of_its_passage_has_nothing_more_to_show() -> None:
    place = quote_in_place(evidence(QUOTE, text=QUOTE))

    assert (place.before, place.after) == ("", "")
    assert (place.cut_before, place.cut_after) == (False, False)


def test_the_second_of_two_equal_quotes_is_shown_where_it_stands() -> None:
    text = "It rained. Later in the day it stopped. It rained."
    second = replace(evidence("It rained.", text=text, matching=()), span=Span(40, 50))

    place = quote_in_place(second)

    assert place.before == "It rained. Later in the day it stopped. "


def test_words_matching_outside_the_quote_are_not_marked_in_it() -> None:
    found = evidence("The tornado lifted", matching=("six people", "lifted"))

    place = quote_in_place(found)

    assert [piece.text for piece in place.quote if piece.marked] == ["lifted"]


@pytest.mark.parametrize(
    ("text", "span", "marked"),
    [
        ("a low risk of EF2+ tornadoes", (14, 16), "EF2"),
        ("it was unbelievable", (9, 16), "unbelievable"),
        ("in 1874, they say", (4, 6), "1874"),
        ("whole word", (0, 5), "whole"),
        ("東京は日本の首都である", (2, 3), "は"),
    ],
)
def test_a_mark_never_cuts_a_word(
    text: str, span: tuple[int, int], marked: str
) -> None:
    [found] = joined(text, [Span(*span)])

    assert found.of(text) == marked
