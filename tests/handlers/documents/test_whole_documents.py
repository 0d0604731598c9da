"""Copies and other languages: what is found of a document as a whole."""

import pytest

from handlers.documents.document import Original
from handlers.documents.language import language_of_document, language_of_text
from handlers.model import SourceText
from tests.handlers.updates.builders import statement

SAID = [
    statement(
        f"The bridge number {number} carries a road of width {number + 5} from the old"
        f" harbour to pier {number} and was painted in colour {number} by the council"
    )
    for number in range(12)
]
ALL = 10**6


def copied(text: str, title: str | None = None) -> str | None:
    return Original(SAID).copied_by(SourceText(text, title=title), ALL)


def test_a_page_that_shares_much_with_the_article_is_a_copy() -> None:
    mirrored = "Menu. " + ". ".join(one.text for one in SAID[:4])
    assert copied(mirrored)


def test_a_page_that_shares_one_sentence_is_none() -> None:
    own = " ".join(f"word{number} and more of it here." for number in range(200))
    assert copied(f"{SAID[0].text}. {own}") is None


@pytest.mark.parametrize(
    "text",
    [
        "Harbour Bridge From Wikipedia, the free encyclopedia",
        "It uses material from the Wikipedia article on it.",
    ],
)
def test_a_copy_of_a_wiki_is_recognised(text: str) -> None:
    assert copied(text)


def test_news_that_names_wikipedia_is_no_copy() -> None:
    assert copied("The page on Wikipedia was edited by the mayor.", "Edited") is None


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("The bridge was closed to lorries and the mayor said that it is old", "en"),
        ("Die Brücke wurde für den Verkehr gesperrt und ist nicht mehr offen", "de"),
        ("Il ponte è stato chiuso al traffico e non è più aperto per la città", "it"),
        ("橋はトラックの通行が禁止されました", "ja"),
        ("Мост закрыт для грузовиков", "ru"),
        ("הגשר סגור למשאיות", "he"),
        ("Home News Sport Kontakt", None),
    ],
)
def test_the_language_is_recognised_by_its_words(text: str, code: str | None) -> None:
    assert language_of_text(text) == code


def test_what_a_page_states_counts_where_its_words_say_nothing() -> None:
    assert language_of_document(SourceText("Menu 1 2 3", language="fr-FR"), ALL) == "fr"
