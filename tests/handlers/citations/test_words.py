import pytest

from handlers.citations.words import content_stems, kin, stem, words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("released", "releases", id="endings"),
        pytest.param("studies", "study", id="plural in ies"),
        pytest.param("stopped", "stopping", id="doubled consonant"),
        pytest.param("won", "wins", id="irregular form"),
        pytest.param("Café", "cafe", id="case and accents"),
        pytest.param("Oct", "October", id="short month"),
        pytest.param("1,200,000", "1200000", id="separators in a number"),
        pytest.param("band’s", "band", id="possessive"),
    ],
)
def test_forms_of_one_word_share_a_stem(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("process", "proceed"), ("wing", "win"), ("bus", "bu"), ("1998", "1999")],
)
def test_different_words_keep_different_stems(one: str, other: str) -> None:
    assert stem(one) != stem(other)


def test_words_stand_where_they_say() -> None:
    text = "It sold 1,200,000 copies; “Don’t” was No. 2."

    found = words(text)

    assert [word.span.of(text) for word in found] == [word.text for word in found]
    assert [word.text for word in found][2:6] == ["1,200,000", "copies", "Don’t", "was"]


def test_binding_words_are_no_content_but_numerals_are() -> None:
    found = content_stems(words("There were two of the trees"))

    assert found == {stem("two"), stem("trees")}


def test_a_novel_is_kin_to_a_book_and_not_to_a_song() -> None:
    assert stem("book") in kin(stem("novel"))
    assert stem("song") not in kin(stem("novel"))
    assert kin("nothing of the kind") == frozenset()
