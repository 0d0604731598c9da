"""Sentences taken apart into facts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.research.evaluation.atomic_facts import facts_of


@pytest.mark.parametrize(
    ("sentence", "facts"),
    [
        (
            "The tower was built in 1874 and was sold to the town in 1901.",
            (
                "The tower was built in 1874.",
                "The tower was sold to the town in 1901.",
            ),
        ),
        (
            "On 8 March 2023, Penrose opened the tower, but the clock stopped in May.",
            (
                "On 8 March 2023, Penrose opened the tower.",
                "The clock stopped in May.",
            ),
        ),
        (
            "The ferry Odin, which sank in 1911, carried rye bread; it was never found off Esbjerg.",
            (
                "The ferry Odin carried rye bread.",
                "The ferry Odin sank in 1911.",
                "It was never found off Esbjerg.",
            ),
        ),
        (
            "On July 26, 2022, the Lions announced a new coach and later signed Berg.",
            (
                "On July 26, 2022, the Lions announced a new coach.",
                "The Lions later signed Berg.",
            ),
        ),
    ],
)
def test_what_a_sentence_joins_is_split(sentence: str, facts: tuple[str, ...]) -> None:
    assert facts_of(sentence) == facts


@pytest.mark.parametrize(
    "sentence",
    [
        "A fire and an explosion destroyed the customs house in Marstal.",
        "Ada, Bo, and Cy were arrested in May 1999.",
        'He said “I went to sea, and I was wrecked” in a letter to Penrose.',
        "The tower was tall and square.",
        "It was led by Penrose, who in her youth had been a miller.",
    ],
)  # fmt: skip
def test_what_is_one_fact_stays_whole(sentence: str) -> None:
    assert facts_of(sentence) == (sentence,)


def test_a_long_quotation_is_not_split() -> None:
    quoted = "The river rose, and the town was cut off, and " * 15 + "all left."
    sentence = f'The mayor wrote "{quoted}" in the report of 2019'

    assert facts_of(sentence) == (f"{sentence}.",)
    assert facts_of("  ") == ()


_WORDS = st.sampled_from(
    [
        "Ada",
        "the",
        "tower",
        "was",
        "built",
        "and",
        "sold,",
        "which",
        "who",
        "but",
        ";",
        "in",
        "1874",
        "she",
        "opened",
        ".",
        "“",
        "”",
    ]
)


@given(st.lists(_WORDS, max_size=40).map(" ".join))
def test_facts_are_few_and_in_the_words_of_the_sentence(sentence: str) -> None:
    facts = facts_of(sentence)

    assert len(facts) <= 12
    words = {word.strip(".,;“”").lower() for word in sentence.split()}
    for fact in facts:
        assert fact == sentence or fact[-1] in ".!?”"
        assert {word.strip(".,;“”").lower() for word in fact.split()} <= words | {""}
