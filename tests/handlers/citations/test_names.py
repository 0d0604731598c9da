from handlers.citations.annotation import mentioned, read
from handlers.citations.words import negations, opposed, words


def _names(text: str) -> list[str]:
    analysis = read(text)
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
    [name] = read("the World Health Organization").names

    assert mentioned(name, {"who"}) == 1
    assert mentioned(name, {"world", "health"}) == 2 / 3
    assert mentioned(name, set()) == 0


def test_negations_and_opposites_are_counted() -> None:
    assert negations(words("He didn’t win and never tried")) == 2
    assert opposed({"more", "north"}, {"fewer", "south"}) == 2
    assert opposed({"more"}, {"more"}) == 0
