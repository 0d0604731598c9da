"""A fact goes to the section that says such things, or asks for them."""

from collections.abc import Sequence
from dataclasses import replace

from handlers.model import Criteria, Engine, SectionCriteria
from handlers.updates.embedded import place
from tests.handlers.updates.builders import statement, stems, subject

CAREER = statement(
    "She joined Example United as a striker in 2019.", section=("Career",)
)
FAMILY = statement(
    "She lives in Port Example with her husband.", section=("Personal life",)
)
CRITERIA = Criteria(
    (
        SectionCriteria((), ()),
        SectionCriteria(("Career",), ("clubs",)),
        SectionCriteria(("Personal life",), ("family",)),
        SectionCriteria(("Awards",), ("prizes",)),
        SectionCriteria(("References",), (), is_open=False),
    ),
    "0" * 64,
    Engine("outline", "1"),
)


class SharedWords:
    """Takes the share of stems that two texts have in common for their likeness."""

    async def likeness(
        self, texts: Sequence[str], others: Sequence[str]
    ) -> Sequence[Sequence[float]]:
        return [[_alike(one, other) for other in others] for one in texts]


def _alike(one: str, other: str) -> float:
    first, second = stems(one), stems(other)
    return len(first & second) / max(1, min(len(first), len(second)))


PLAYER = subject(statements=(CAREER, FAMILY), criteria=CRITERIA)


async def test_a_fact_goes_to_the_section_most_like_it() -> None:
    [ranked] = await place(
        PLAYER, ["In 2026 she joined Sample City as a striker."], SharedWords()
    )
    assert ranked[0][1] == ("Career",)


async def test_rare_words_that_a_section_shares_decide_between_equals() -> None:
    class Same(SharedWords):
        async def likeness(
            self, texts: Sequence[str], others: Sequence[str]
        ) -> Sequence[Sequence[float]]:
            return [[1.0] * len(others) for _ in texts]

    [ranked] = await place(PLAYER, ["The awards were hers in 2019."], Same())
    assert ranked[0][1] == ("Awards",)


async def test_all_open_sections_are_ranked_and_no_closed_one() -> None:
    [ranked] = await place(PLAYER, ["A striker."], SharedWords())
    assert {path for _, path in ranked} == {
        (),
        ("Career",),
        ("Personal life",),
        ("Awards",),
    }
    scores = [score for score, _ in ranked]
    assert scores == sorted(scores, reverse=True)


async def test_where_no_section_takes_facts_there_is_no_place() -> None:
    closed = Criteria((CRITERIA.sections[-1],), "0" * 64, CRITERIA.engine)
    assert await place(subject(criteria=closed), ["A striker."], SharedWords()) == [[]]
    assert await place(PLAYER, [], SharedWords()) == []


async def test_all_that_a_section_says_counts_and_not_its_nearest_statement_alone() -> (
    None
):
    matches = [
        statement(f"Player {name} scored in the final.", section=("Final",))
        for name in ("Ada", "Bea", "Cleo")
    ]
    aside = statement(
        "Ada scored in the final of a card game once.", section=("Trivia",)
    )
    others = [
        statement(f"The {name} museum sells stamps.", section=("Trivia",))
        for name in ("red", "blue", "green")
    ]
    criteria = replace(
        CRITERIA,
        sections=(SectionCriteria(("Final",), ()), SectionCriteria(("Trivia",), ())),
    )
    article = subject(statements=(aside, *others, *matches), criteria=criteria)

    [ranked] = await place(article, ["Ada scored in the final game."], SharedWords())

    assert [path for _, path in ranked] == [("Final",), ("Trivia",)]


async def test_a_section_of_a_thousand_rows_is_placed_by_a_sample() -> None:
    rows = [statement(f"Row {n} of results.", section=("Career",)) for n in range(1000)]
    encoder = Counting()
    long = subject(statements=(FAMILY, *rows), criteria=CRITERIA)

    [ranked] = await place(long, ["Another row of results."], encoder)

    assert ranked[0][1] == ("Career",)
    assert encoder.pairs < 20_000


class Counting(SharedWords):
    """Counts the pairs that it compares."""

    def __init__(self) -> None:
        self.pairs = 0

    async def likeness(
        self, texts: Sequence[str], others: Sequence[str]
    ) -> Sequence[Sequence[float]]:
        self.pairs += len(texts) * len(others)
        return await super().likeness(texts, others)
