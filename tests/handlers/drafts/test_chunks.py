"""Chunks of 256 words that end where sentences end."""

from hypothesis import example, given
from hypothesis import strategies as st

from handlers.drafts.chunks import chunks_of
from tests.handlers.drafts.puppets import document

_SENTENCE = "The river Exam rose by two metres on the night of 3 October 2024. "


def test_a_chunk_ends_at_the_end_of_a_sentence() -> None:
    chunks = chunks_of(document(3, _SENTENCE * 60))

    assert [one.number for one in chunks] == list(range(len(chunks)))
    assert all(one.document == 3 for one in chunks)
    assert all(one.text.endswith("2024.") for one in chunks)
    assert [len(one.text.split()) for one in chunks] == [252, 252, 252, 84]


def test_a_menu_without_a_full_stop_is_cut_between_words() -> None:
    chunks = chunks_of(document(0, "Home News Sport " * 200), words=100)

    assert [len(one.text.split()) for one in chunks] == [100] * 6


def test_a_text_without_words_has_none() -> None:
    assert chunks_of(document(0, " \n\u200b\n ")) == ()


@example("< \u200b\n<", 2)
@given(st.text(alphabet="aB. \n\u200b\u00a0!“”|<{é", max_size=400), st.integers(1, 12))
def test_a_chunk_is_a_place_of_its_document_whatever_that_holds(
    text: str, words: int
) -> None:
    end = 0
    for one in chunks_of(document(0, text), words):
        assert one.text == one.span.of(text)
        assert one.text.strip()
        assert one.span.start >= end
        assert len(one.text.split()) <= words
        end = one.span.end
