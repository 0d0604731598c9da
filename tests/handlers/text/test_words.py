"""Words, names and what is marked of them."""

import pytest

from bot.models.lexical import LexicalVerifier
from handlers.citations.passages import cut
from handlers.model import SourceText
from handlers.text.analysis import analyse, mentioned
from handlers.text.words import content_stems, kin, negations, opposed, stem, words
from tests.builders import claim


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
        pytest.param("12,5", "12.5", id="decimal comma"),
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


_SOURCE = (
    "The bridge was opened on 12 May 1937 by the mayor. "
    "It is 145 metres long and was built by 400 workers in three years. "
    "Traffic has doubled since the war."
)


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        pytest.param("The bridge was opened on May 12, 1937", [], id="date"),
        pytest.param("It is 145 metres (476 ft) long", [], id="conversion"),
        pytest.param("It was built by four hundred workers", [], id="spelled out"),
        pytest.param("It is 160 metres (525 ft) long", ["160 metres"], id="number with its unit"),
        pytest.param("It was built by Norwegian workers", ["Norwegian"], id="name"),
        pytest.param("It collapsed as part of a storm", ["collapsed as part of a storm"], id="bridged"),
        pytest.param("It was opened by the mayor and involved a choir", ["involved a choir"], id="words between"),
        pytest.param(
            "The bridge was opened on 12 May 1937 by the mayor and built by 400 workers in three years",
            [],
            id="a long claim rests on two sentences",
        ),
    ],
)  # fmt: skip
async def test_what_is_marked_is_what_a_reader_would_look_for(
    text: str, marked: list[str]
) -> None:
    passages = cut(SourceText(_SOURCE), "key")

    found = await LexicalVerifier().verify("Lakeside", claim(text), passages)

    assert [span.of(text) for span in found.unsupported] == marked


def _names(text: str) -> list[str]:
    analysis = analyse(text)
    return [
        text[analysis.words[one.first_word].start : analysis.words[one.last_word].end]
        for one in analysis.names
    ]


def test_names_are_runs_of_capitals_joined_by_small_words() -> None:
    found = _names("Later she met J. K. Rowling and the University of Oslo, Norway.")

    assert found == ["J. K. Rowling", "University of Oslo", "Norway"]


def test_a_capital_that_only_opens_a_sentence_is_no_name() -> None:
    assert _names("Filming began. Critics liked it.") == []


def test_an_acronym_mentions_the_whole_name() -> None:
    [name] = analyse("the World Health Organization").names

    assert mentioned(name, {"who"}) == 1
    assert mentioned(name, {"world", "health"}) == 2 / 3
    assert mentioned(name, set()) == 0


def test_negations_and_opposites_are_counted() -> None:
    assert negations(words("He didn’t win and never tried")) == 2
    assert opposed({"more", "north"}, {"fewer", "south"}) == 2
    assert opposed({"more"}, {"more"}) == 0
