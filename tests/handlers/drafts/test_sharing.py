"""How the words of a draft are shared out."""

import pytest

from handlers.drafts.sharing import share
from handlers.model import PlannedSection

SHORT = PlannedSection("Impact", words=100, spare=300)
LONG = PlannedSection("Response", words=300, spare=100)


@pytest.mark.parametrize(
    ("left", "words"),
    [(200, (50, 150)), (400, (100, 300)), (600, (250, 350)), (9_000, (400, 400))],
)
def test_spare_sentences_are_taken_only_where_words_are_left(
    left: int, words: tuple[int, int]
) -> None:
    both = (SHORT, LONG)

    assert (share(SHORT, both, left), share(LONG, both, left)) == words
