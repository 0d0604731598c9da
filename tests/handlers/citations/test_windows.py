from hypothesis import given
from hypothesis import strategies as st

from handlers.citations.passages import LONGEST_SENTENCE, windows

_TABLE = " ".join(
    f"Town{n} EF-{n % 4} {100 + n} mph {n} Injuries {n}.5 miles" for n in range(30)
)


def test_a_sentence_of_common_length_is_left_whole() -> None:
    text = "It moved north. " + "It lifted " + "and lifted again " * 10 + "at last."

    assert [span.of(text) for span in windows(text)] == [text[:15], text[16:]]


def test_a_table_without_full_stops_is_read_in_overlapping_windows() -> None:
    found = [span.of(_TABLE) for span in windows(_TABLE)]

    assert all(len(one.split()) <= 30 for one in found)
    for n in range(30):
        row = f"Town{n} EF-{n % 4} {100 + n} mph {n} Injuries {n}.5 miles"
        assert any(row in one for one in found)


@given(st.lists(st.sampled_from(["ab", "c.", "D", "\n", "|"]), max_size=200))
def test_windows_cover_all_words_and_break_none(words: list[str]) -> None:
    text = " ".join(words)

    spans = list(windows(text))

    covered = {at for span in spans for at in range(span.start, span.end)}
    assert all(at in covered for at, sign in enumerate(text) if not sign.isspace())
    for span in spans:
        assert len(span.of(text).split()) <= LONGEST_SENTENCE
        assert (
            not text[max(0, span.start - 1) : span.start].strip()
            or span.start == 0
            or text[span.start - 1] in ".\n"
        )
