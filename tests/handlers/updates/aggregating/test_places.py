"""What a candidate is held against, and behind which statement it goes."""

import asyncio

from handlers.model import ClaimKind, Statement
from handlers.updates.aggregating.behind import behind
from handlers.updates.aggregating.nearest import nearest, premises
from tests.handlers.updates.aggregating.judges import SharedWords
from tests.handlers.updates.builders import candidate, statement, subject

CHRONICLE = tuple(
    statement(text)
    for text in (
        "In 1932 the mayor opened it.",
        "It was painted red in 1950.",
        "Lorries were first counted on the bridge in 2001.",
    )
)
LOOSE = tuple(
    statement(text)
    for text in ("Lorries cross Harbour Bridge.", "Its lamps are yellow.")
)


def _behind(text: str, *said: Statement) -> Statement | None:
    given = candidate(text=text)
    about = subject(statements=said)
    return asyncio.run(behind(about, given, ("History",), SharedWords()))


def test_in_a_chronicle_a_fact_follows_the_last_of_an_earlier_day() -> None:
    assert _behind("Lorries were barred in 1960.", *CHRONICLE) == CHRONICLE[1]
    assert _behind("Lorries were barred in 2020.", *CHRONICLE) == CHRONICLE[2]
    assert _behind("It was planned in 1920.", *CHRONICLE) is None


def test_elsewhere_it_follows_what_is_most_like_it_else_the_last() -> None:
    assert _behind("Harbour Bridge was closed to lorries.", *LOOSE) == LOOSE[0]
    assert _behind("Anna owns shares.", *LOOSE) == LOOSE[1]


def test_a_section_without_running_text_has_no_such_place() -> None:
    cell = statement("12,000", kind=ClaimKind.TABLE_CELL)
    assert _behind("Harbour Bridge was closed to lorries.", cell) is None
    assert _behind("A fact.", statement(section=("Design",))) is None


def test_neighbours_are_read_together_with_what_tells_whom_they_mean() -> None:
    said = (
        statement("She built the bridge.", context="Anna Smith was an engineer."),
        statement("She built a tunnel, too."),
        statement("5,200", kind=ClaimKind.INFOBOX_VALUE, header="bridge staff"),
        statement("The bridge rusts.", section=("Design",)),
    )
    about = "She built the bridge and a tunnel; the bridge rusts; staff"
    near = asyncio.run(nearest(about, said, SharedWords(), limit=8))
    assert premises(near) == [
        "Anna Smith was an engineer. She built the bridge. She built a tunnel, too.",
        "bridge staff: 5,200",
        "The bridge rusts.",
    ]
    [first] = asyncio.run(nearest(about, said, SharedWords(), limit=1))
    assert first.statement == said[0]
    assert asyncio.run(nearest(about, (), SharedWords(), limit=8)) == ()
