"""Sentences end where a reader would say so."""

# ruff: noqa: RUF001  (the full stops of other scripts are meant)

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.model import Span
from handlers.page.sentences import split

CASES = {
    "plain": ["It opened in 1998.", "It closed in 2004."],
    "titles": ["Mr. Smith met Dr. Jones at St. Ives.", "They left."],
    "initials": ["J. K. Rowling wrote it.", "John F. Kennedy read it."],
    "dotted country inside": ["He sat in the U.S. Congress.", "He left."],
    "dotted country at the end": ["It is in the U.S.", "The law differs there."],
    "decimal": ["It cost $3.5 million.", "It fell to 2.5 m."],
    "number sign": ["It reached No. 5 in the chart.", "It stayed."],
    "the word no": ["He said no.", "She agreed."],
    "a common word before a full stop": ["It is a work of art.", "The end."],
    "for example": ["Tools, e.g. Hammers, i.e. Things, were sold.", "All went."],
    "circa": ["Born c. 1990 in Paris.", "Died there."],
    "et al before a capital": ["Smith et al. showed it.", "Jones et al. Research did."],
    "month": ["He died in Jan. 2003 at home.", "See pp. 3–5."],
    "ellipsis inside": ["I saw... nothing at all.", "It went."],
    "ellipsis at the end": ["Wait...", "What?"],
    "spaced ellipsis": ["He said . . . nothing.", "She left."],
    "quote after the full stop": ['He said "No."', "She left."],
    "opening quote": ["He left.", '"Stay," she said.'],
    "brackets": ["He died.", "(She lived.)", "They met."],
    "exclamation inside a name": ["Yahoo! is a firm.", "Is it?", "Yes!"],
    "Roman numeral": ["It was in World War I.", "The war ended."],
    "digits begin a sentence": ["It closed.", "2004 was better."],
    "Chinese": ["他来了。", "她走了！", "好？"],
    "Chinese quote": ["他说：“好。”", "然后走了。"],
    "Hindi": ["यह है।", "वह है।"],
    "Arabic": ["هل هو؟", "نعم."],
    "German ordinal": ["Am 3. März kam er.", "Er ging."],
}


def texts(text: str) -> list[str]:
    return [span.of(text) for span in split(text)]


@pytest.mark.parametrize(
    "sentences",
    [pytest.param(expected, id=name) for name, expected in CASES.items()],
)
def test_a_text_is_split_into_its_sentences(sentences: list[str]) -> None:
    glue = "" if sentences[0][-1] in "。”" else " "

    found = texts(glue.join(sentences))

    assert found == sentences


def test_a_company_form_ends_a_sentence_only_before_a_word_that_starts_one() -> None:
    text = "Apple Inc. Records left. He ran Foo Ltd. Then he left."

    found = texts(text)

    assert found == ["Apple Inc. Records left.", "He ran Foo Ltd.", "Then he left."]


def test_a_line_break_always_ends_a_sentence() -> None:
    text = "milk, e.g.\nbread and\n\nbutter"

    found = texts(text)

    assert found == ["milk, e.g.", "bread and", "butter"]


def test_a_text_without_words_has_no_sentences() -> None:
    assert split(" \n ") == ()


@given(st.text(alphabet="aA1. !?\"')\n。…", max_size=60))
def test_sentences_are_in_order_and_cover_all_but_white_space(text: str) -> None:
    spans = split(text)

    edges = [0, *(edge for span in spans for edge in (span.start, span.end)), len(text)]
    assert edges == sorted(edges)
    between = [Span(edges[i], edges[i + 1]) for i in range(0, len(edges), 2)]
    assert not "".join(gap.of(text) for gap in between).strip()
    assert all(span.of(text) == span.of(text).strip() != "" for span in spans)
