"""What is the same and what differs between a claim and its sources."""

import pytest

from bot.models.lexical import shipped_lexical
from handlers.citations.comparison import gather, prepare
from handlers.citations.passages import cut
from handlers.citations.values import difference
from handlers.model import SourceText
from handlers.text.analysis import read
from tests import builders


@pytest.mark.parametrize("sentences", [1, 7, 90])
def test_the_words_of_overlapping_passages_count_once(sentences: int) -> None:
    first = " ".join(
        f"In {1800 + n} a bridge, no {n}, was built." for n in range(sentences)
    )
    second = "It was pulled down again."
    passages = [
        *cut(SourceText(first), "first", words_per_passage=25),
        *cut(SourceText(second), "second", words_per_passage=25),
    ]
    claim = builders.claim("The bridge was built in 1874")
    claimed = prepare(claim, "Bridge", shipped_lexical().model.rarity, read)

    stated = gather(claimed, "Bridge", passages, read)

    assert stated.word_count == len(read(first).words) + len(read(second).words)


_HALF = "Dunmere Town 3–2 Carrow Athletic (half-time 0–2)"


@pytest.mark.parametrize(
    ("claim", "quote", "expected"),
    [
        ("72 people were hurt.", "22 people were hurt.", ("72", "22")),
        ("It opened in 1998.", "It opened in 1999.", ("1998", "1999")),
        (
            "It fell on May 28, 2020.",
            "03/28/2020: it fell.",
            ("May 28, 2020", "03/28/2020"),
        ),
        ("It fell before May 28, 2020.", "It fell on May 27, 2020.", None),
        ("It fell in May 2020.", "It fell on May 27, 2020.", None),
        ("Dunmere Town won the final 3–1.", _HALF, ("3–1", "3–2")),
        ("The match ended 6-4.", "It ended 6–5.", ("6-4", "6–5")),
        ("Dunmere Town won the final 3–2.", _HALF, None),
        ("The final ended 3–2, not 3–1.", _HALF, None),
        ("Dunmere won 4–1.", _HALF, None),
        ("The final ended 3–1.", "They won 3–2 and 3–0.", None),
        ("It ran in 2019–20.", "It ran in 2019–21.", None),
        ("It is here.", "It is there.", None),
    ],
)
def test_a_difference_is_named_where_no_other_is_near(
    claim: str, quote: str, expected: tuple[str, str] | None
) -> None:
    assert difference(claim, quote) == expected
