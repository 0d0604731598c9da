from hypothesis import given
from hypothesis import strategies as st

from handlers.model import Query
from handlers.search import MOST_CHARS, merge, parts, wording


def test_the_claim_counts_more_than_the_title_and_the_title_more_than_the_section() -> (
    None
):
    found = parts(Query("He was born in 1874", "Ada Penrose", ("Life", "Youth")))

    assert [part.text for part in found] == [
        "He was born in 1874",
        "Ada Penrose",
        "Life Youth",
    ]
    weights = [part.weight for part in found]
    assert weights == sorted(weights, reverse=True)
    assert len(set(weights)) == 3


def test_parts_without_words_are_not_asked_for() -> None:
    assert [part.text for part in parts(Query("It sank", " ", ("",)))] == ["It sank"]
    assert parts(Query("", "")) == ()


def test_no_part_is_longer_than_a_long_paragraph() -> None:
    query = Query("a" * 10**6, "b" * 10**6, ("c" * 10**6,))

    assert all(len(part.text) == MOST_CHARS for part in parts(query))
    assert len(wording(query)) == MOST_CHARS


def test_what_both_searches_found_comes_before_what_one_of_them_found() -> None:
    joint = merge({"both": 8.0, "words": 8.0}, {"both": 0.5, "meaning": 0.5})

    assert max(joint, key=joint.__getitem__) == "both"
    assert joint == {"both": 0.8, "words": 0.6, "meaning": 0.2}


def test_words_are_measured_by_the_best_answer_of_the_query() -> None:
    assert merge({"a": 40.0, "b": 20.0}, {}) == {"a": 0.6, "b": 0.3}


@given(
    st.dictionaries(st.integers(0, 9), st.floats(0, 1e6)),
    st.dictionaries(st.integers(0, 9), st.floats(-1, 1)),
)
def test_every_found_document_gets_a_score_between_0_and_1(
    words: dict[int, float], meaning: dict[int, float]
) -> None:
    joint = merge(words, meaning)

    assert joint.keys() == words.keys() | meaning.keys()
    assert all(0 <= score <= 1 + 1e-9 for score in joint.values())
