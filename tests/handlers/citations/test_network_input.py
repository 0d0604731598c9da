"""What the network is asked: segments, pairs, evidence, features and their layout."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.citations.comparison import AnalysedClaim, Stated, gather, prepare
from handlers.citations.corpus import read_corpus
from handlers.citations.network_input import (
    BETWEEN,
    FIRST,
    MOST_OF_ABOUT,
    MOST_OF_CLAIM,
    MOST_PIECES,
    PairAnswer,
    Pieces,
    Segment,
    Tag,
    about,
    assemble,
    lay_out,
    log_odds,
    network_features,
    sentence,
    tags,
)
from handlers.citations.passages import cut
from handlers.model import ClaimKind, Passage, SourceText
from handlers.text.analysis import analyse
from handlers.text.words import Rarity
from tests.builders import claim

_PIECES = st.lists(st.integers(min_value=1000, max_value=2000), max_size=600)


def test_the_three_parts_follow_each_other() -> None:
    laid_out = lay_out(_pieces([7, 8]), [9], _pieces([10, 11]))
    assert laid_out.pieces == (FIRST, 7, 8, BETWEEN, 9, BETWEEN, 10, 11, BETWEEN)
    assert laid_out.segments == (0, 0, 0, 0, 0, 0, 1, 1, 1)
    assert laid_out.claim_pieces == 2


def test_pieces_of_a_value_have_its_segment() -> None:
    missing = Tag(3, 7, Segment.VALUE_MISSING)
    claim = Pieces([7, 8, 9], [(0, 2), (3, 5), (5, 7)], [missing])
    rival = Tag(0, 4, Segment.VALUE_RIVAL)
    laid_out = lay_out(claim, [], Pieces([10, 11], [(0, 4), (5, 9)], [rival]))
    value, other = Segment.VALUE_MISSING, Segment.VALUE_RIVAL
    assert laid_out.segments == (0, 0, value, value, 0, 0, other, 1, 1)


@given(_PIECES, _PIECES, _PIECES)
def test_a_long_claim_never_pushes_its_evidence_out(
    claim: list[int], about: list[int], evidence: list[int]
) -> None:
    laid_out = lay_out(_pieces(claim), about, _pieces(evidence))
    assert len(laid_out.pieces) == len(laid_out.segments) <= MOST_PIECES
    assert laid_out.pieces[-1] == BETWEEN
    room = MOST_PIECES - MOST_OF_CLAIM - MOST_OF_ABOUT - 4
    assert sum(laid_out.segments) >= min(len(evidence), room)
    claimed = laid_out.pieces[1 : 1 + laid_out.claim_pieces]
    assert list(claimed) == claim[:MOST_OF_CLAIM]


def _pieces(ids: list[int]) -> Pieces:
    return Pieces(ids, [(2 * at, 2 * at + 1) for at in range(len(ids))])


_EVEN = Rarity(documents=1, floor=1, frequencies={})
_FILLER = "Nothing else of any note was written down on that quiet afternoon. "


def _laid(
    text: str, source: str, title: str = "Anna Bell"
) -> tuple[AnalysedClaim, Stated]:
    claimed = prepare(claim(text), title, _EVEN, analyse)
    return claimed, gather(
        claimed, title, read_corpus(cut(SourceText(source), "key"), analyse), analyse
    )


def test_a_short_source_comes_whole_and_in_its_own_order() -> None:
    source = "Bell was born in Leeds. She moved to York in 1990. She painted ships."
    assert assemble(*_laid("She moved to York in 1990.", source)) == source


def test_sentences_that_support_different_parts_come_together() -> None:
    source = (
        "Bell painted forty ships. "
        + _FILLER * 20
        + "Bell was married in York. "
        + _FILLER * 20
        + "Bell died in 1990."
    )
    text = assemble(*_laid("Bell, who painted ships, died in 1990.", source))
    assert "painted forty ships" in text
    assert "died in 1990" in text


def test_several_sources_give_what_each_says_of_the_claim_and_nothing_else() -> None:
    around = "The weather of the year was mild. {} Letters were printed twice."
    first = cut(SourceText(around.format("Bell painted ships.")), "a")
    second = cut(SourceText(around.format("Bell died in Hull in 1990.")), "b")
    claimed = prepare(
        claim("Bell, who painted ships, died in 1990."), "", _EVEN, analyse
    )

    def shown(passages: tuple[Passage, ...]) -> str:
        corpus = read_corpus(passages, analyse)
        return assemble(claimed, gather(claimed, "", corpus, analyse))

    text, one = shown((*first, *second)), shown(first)

    assert text == "Bell painted ships. … Bell died in Hull in 1990."
    assert "weather" in one


def test_the_sentence_before_comes_along() -> None:
    source = (
        _FILLER * 30
        + "Anna Bell lived by the sea. She painted forty ships in Hull. "
        + _FILLER * 30
    )
    text = assemble(*_laid("She painted forty ships in Hull.", source))
    assert "Anna Bell lived by the sea. She painted" in text


def test_a_gap_is_shown() -> None:
    source = "Bell painted ships. " + _FILLER * 60 + "Bell died in Hull in 1990."
    assert "…" in assemble(*_laid("Bell painted ships and died in Hull.", source))


def test_overlapping_windows_of_a_long_line_give_each_word_once() -> None:
    line = " ".join(f"item{number}" for number in range(90))
    text = assemble(*_laid("It lists item20 and item35.", line))
    words = [word for word in text.split() if word.startswith("item")]
    assert len(words) == len(set(words))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(["Bell", "ships", "1990", "in", "York", "died.", "Hull.", "…"]),
        min_size=1,
        max_size=400,
    )
)
def test_the_text_is_never_empty_and_never_much_too_long(words: list[str]) -> None:
    text = assemble(*_laid("Bell died in Hull in 1990.", " ".join(words)))
    assert text
    assert len(text.replace("…", " ").split()) <= 160 + 45


def test_every_part_of_the_text_stands_in_the_source() -> None:
    source = _FILLER * 40 + "Bell died in Hull in 1990. " + _FILLER * 40
    for part in assemble(*_laid("Bell died in Hull.", source)).split(" … "):
        assert part in source


def test_each_probability_becomes_a_feature_of_its_network() -> None:
    answer = PairAnswer(0.7, 0.1, 0.2, larger=PairAnswer(0.4, 0.5, 0.1))

    features = network_features(answer)

    assert features == {
        "network supported": pytest.approx(log_odds(0.7)),
        "network refuted": pytest.approx(log_odds(0.1)),
        "network unmentioned": pytest.approx(log_odds(0.2)),
        "larger network supported": pytest.approx(log_odds(0.4)),
        "larger network refuted": pytest.approx(log_odds(0.5)),
        "larger network unmentioned": pytest.approx(log_odds(0.1)),
    }


def test_log_odds_are_bounded_where_the_network_is_certain() -> None:
    assert log_odds(0.5) == 0
    assert log_odds(1.0) == pytest.approx(9.21, abs=0.01)
    assert log_odds(0.0) == pytest.approx(-9.21, abs=0.01)


def test_title_section_and_the_words_before_tell_what_it_is_about() -> None:
    words = about(
        "Leeds",
        claim(
            section=("History", "Railways"),
            context=" ".join(["early", *("word " * 30).split(), "late."]),
        ),
    )
    assert words.startswith("Leeds | Railways | word")
    assert words.endswith("late.")
    assert "early" not in words


@pytest.mark.parametrize(
    "restated", ["It opened in May 1990.", "It did not open in May 1990."]
)
def test_what_the_article_says_before_a_claim_is_no_evidence_for_it(
    restated: str,
) -> None:
    context = f"The hall stands in Velde. {restated}"
    asked = claim("It opened in May 1990.", section=("Halls",), context=context)
    assert about("Velde", asked) == "Velde | Halls | The hall stands in Velde."


def test_what_is_not_known_leaves_no_gap() -> None:
    assert about("Leeds", claim(section=(), context="")) == "Leeds"
    assert about("", claim(section=(), context="")) == ""


@pytest.mark.parametrize(
    ("row", "column", "expected"),
    [
        ("Injuries", None, "Injuries: 22"),
        ("1990", "Points", "1990, Points: 22"),
        (None, None, "22"),
    ],
)
def test_a_cell_is_read_as_what_its_headers_make_of_it(
    row: str | None, column: str | None, expected: str
) -> None:
    cell = claim("22", kind=ClaimKind.TABLE_CELL, row=row, column=column)
    assert sentence(cell) == expected


def test_a_sentence_is_read_as_it_is() -> None:
    assert sentence(claim("It opened.")) == "It opened."


STATED, MISSING = Segment.VALUE_STATED, Segment.VALUE_MISSING
CLAIMED, OTHER = Segment.VALUE_CLAIMED, Segment.VALUE_OTHER
RIVAL = Segment.VALUE_RIVAL
_VALUES = {STATED, MISSING, CLAIMED, OTHER, RIVAL}


@pytest.mark.parametrize(
    ("claim", "evidence", "of_claim", "of_evidence"),
    [
        ("12,600 voters", "12.6 thousand voters", {"12,600": STATED}, {"12.6 thousand": CLAIMED}),
        ("22 people", "27 people", {"22": MISSING}, {"27": RIVAL}),
        ("22 people", "on 27 August", {"22": MISSING}, {"27 August": OTHER}),
        ("won 6-5", "lost 5–6", {"6-5": STATED}, {"5–6": CLAIMED}),
        ("won 6–5", "won 6–4", {"6–5": MISSING}, {"6–4": RIVAL}),
        ("in May 2011", "on 12 May 2011", {"May 2011": STATED}, {"12 May 2011": CLAIMED}),
        ("in 1998", "in 1999", {"1998": MISSING}, {"1999": RIVAL}),
        ("at 5:30 pm", "at 17:30", {"5:30 pm": STATED}, {"17:30": CLAIMED}),
        ("seven ships", "7 ships", {"seven": STATED}, {"7": CLAIMED}),
    ],
)  # fmt: skip
def test_values_are_compared_by_what_they_are_worth(
    claim: str,
    evidence: str,
    of_claim: dict[str, Segment],
    of_evidence: dict[str, Segment],
) -> None:
    mine, theirs = tags(claim, evidence)
    assert _values(claim, mine) == of_claim
    assert _values(evidence, theirs) == of_evidence


def test_words_that_the_evidence_lacks_are_marked() -> None:
    claim = "The bridge collapsed in flames"
    mine, _ = tags(claim, "The bridges were opened.")
    assert [claim[one.start : one.end] for one in mine] == ["collapsed", "flames"]


@given(st.text(max_size=80), st.text(max_size=80))
def test_tags_lie_within_their_text(claim: str, evidence: str) -> None:
    for text, found in zip((claim, evidence), tags(claim, evidence), strict=True):
        assert all(0 <= one.start < one.end <= len(text) for one in found)


def _values(text: str, found: tuple[Tag, ...]) -> dict[str, Segment]:
    return {
        text[one.start : one.end]: one.segment
        for one in found
        if one.segment in _VALUES
    }
