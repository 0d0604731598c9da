from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.citations.annotation import read
from handlers.citations.comparison import AnalysedClaim, Stated, gather, prepare
from handlers.citations.network_input import assemble
from handlers.citations.passages import cut
from handlers.citations.words import Rarity
from handlers.model import SourceText
from tests.builders import claim

_EVEN = Rarity(documents=1, floor=1, frequencies={})
_FILLER = "Nothing else of any note was written down on that quiet afternoon. "


def _laid(
    text: str, source: str, title: str = "Anna Bell"
) -> tuple[AnalysedClaim, Stated]:
    claimed = prepare(claim(text), title, _EVEN, read)
    return claimed, gather(claimed, title, cut(SourceText(source), "key"), read)


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
