"""A page passes for the title's rare words, or for some of them and the article's names."""

import pytest

from handlers.documents.gate import PageGate, head_of
from handlers.model import Imprint, SourceText
from handlers.text.words import Rarity

TITLE = "Doug Burgum 2024 presidential campaign"
ARTICLE = (
    "The campaign of Doug Burgum began in Fargo. He is the governor of North Dakota."
    " Kathryn Burgum spoke in Fargo. Iowa voted, and North Dakota watched Iowa."
)
COMMON = {"2024": 4_000, "presidential": 900, "campaign": 2_000}
GATE = PageGate((TITLE,), ARTICLE, Rarity(30_000, 10, COMMON))


@pytest.mark.parametrize(
    ("title", "text", "passes"),
    [
        # Most of the rare words, though not most of the words.
        ("Doug Burgum is out of the race", "He said so on Monday.", True),
        # Some of them, with the names that the article uses.
        (
            "Burgum drops out",
            "He told Fargo and Iowa that North Dakota needs him.",
            True,
        ),
        ("Burgum drops out", "He said so on Monday.", False),
        # The common words alone, and the names alone.
        ("The 2024 presidential campaign", "Everything about it.", False),
        ("A trip through Iowa", "From Fargo in North Dakota to Iowa.", False),
        ("Doug Burgum", "", True),
    ],
)
def test_what_a_page_must_have_of_the_title_and_the_names(
    title: str, text: str, *, passes: bool
) -> None:
    assert GATE.admits(head_of(SourceText(text, title=title))) is passes


def test_any_name_of_the_subject_will_do() -> None:
    gate = PageGate(("K2-18b", "Example"), "", Rarity(30_000, 10, {}))
    assert gate.admits(head_of(SourceText("An example of it.")))


def test_a_title_in_the_imprint_counts_and_the_end_of_a_long_page_does_not() -> None:
    printed = Imprint(title="Doug Burgum is out of the race")
    assert GATE.admits(head_of(SourceText("He said so.", imprint=printed)))
    assert not GATE.admits(head_of(SourceText("Menu. " * 2_000 + "Doug Burgum.")))


def test_a_title_without_words_admits_nothing() -> None:
    gate = PageGate(("?",), "", Rarity(30_000, 10, {}))
    assert not gate.admits(head_of(SourceText("? What is it?")))
