"""The sentence that shows what a page has to tell: specific, early and in its own words."""

import pytest

from handlers.documents.prose import sentences
from handlers.documents.specific import Known

ARTICLE = (
    "Harbour Bridge is a bridge in Port Example. The mayor opened it on 3 May 1932."
    " Inspectors closed it to lorries in 1987."
)
KNOWN = Known(("Harbour Bridge",), ARTICLE)
ANNOUNCED = (
    "The closure of Harbour Bridge in Port Example appears to have come to an end."
)
SPECIFIC = "Palm & Sons found 12 cracks in two cables of Harbour Bridge on 4 October."


def best(*said: str) -> str:
    return KNOWN.best(sentences("\n".join(said)))[0][1].text


@pytest.mark.parametrize(
    "text",
    [
        ANNOUNCED,  # nothing that the article lacks
        "The mayor opened Harbour Bridge on 3 May 1932.",
        "Palm & Sons found 12 cracks in two cables on 4 October.",  # of what?
    ],
)
def test_what_names_nothing_new_or_nothing_known_tells_nothing(text: str) -> None:
    assert KNOWN.tells(text) == 0


def test_a_day_a_number_and_a_name_that_the_article_lacks_tell_most() -> None:
    less = "Later Palm & Sons inspected the cables of Harbour Bridge."
    assert KNOWN.tells(SPECIFIC) > KNOWN.tells(less) > 0
    assert best(ANNOUNCED, less, SPECIFIC) == SPECIFIC


def test_of_equals_the_earlier_one_is_better() -> None:
    other = SPECIFIC.replace("Palm", "Oakes")
    assert best(other, *["The crowd waited."] * 5, SPECIFIC) == other


def test_a_quotation_is_worse_than_the_same_in_the_papers_own_words() -> None:
    quoted = f"“{SPECIFIC[:-1]},” said the mayor of Port Example."
    assert best(quoted, SPECIFIC) == SPECIFIC


def test_a_sentence_that_names_the_subject_is_better_than_one_that_does_not() -> None:
    bare = SPECIFIC.replace("Harbour Bridge", "the bridge in Port Example")
    assert best(bare, SPECIFIC) == SPECIFIC
