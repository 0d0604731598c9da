"""Which changes are worth reading a source for."""

import pytest

from handlers.edits.alignment import changes_between
from handlers.edits.first_look import worth_reading
from handlers.model import PageId
from handlers.page import parse

HERE = PageId("en.wikipedia.org", "Skarholm")
BBC = "<ref>{{cite news |title=The clock |url=https://bbc.example/clock}}</ref>"
LOG = "<ref name=log>{{cite web |title=Log |url=https://log.example/1}}</ref>"


def _is_worth(before: str, after: str, *, only_values: bool = False) -> bool:
    changes = changes_between(parse(before, HERE), parse(after, HERE))
    return bool(worth_reading(changes.claims, only_values=only_values))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The tower is 412 feet high.", "The tower is 412 metres high."),
        ("It closed on 5 May 1921.", "It closed on 6 May 1921."),
        ("They won 3–1 at home.", "They won 1–3 at home."),
        ("It has 27 rooms and 41 halls.", "It has 41 rooms and 27 halls."),
        ("It stands in Oslo.", "It stands in Bergen."),
        ("Smith painted it.", "Miller painted it."),
        ("The house of Smith beat Jones.", "The house of Jones beat Smith."),
        ("It was bought by Norsk Havn.", "It bought Norsk Havn."),
        ("It did not close.", "It did close."),
        ("It allegedly closed.", "It closed."),
        ("It will open to all.", "It may open to all."),
        ("It is planned for 2020.", "It was built in 2020."),
        ("Ils ne sont pas venus.", "Ils sont venus."),
        ("It is a tall house.", "It is a tall house and the seat of a bishop."),
    ],
)
def test_what_may_say_something_else(before: str, after: str) -> None:
    assert _is_worth(before + BBC, after + BBC)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("It has 1,200 rooms.", "It has twelve hundred rooms."),
        ("It closed on 5 May 1921.", "It closed on May 5, 1921."),
        ("It is the house of the mayor.", "It is a house of the mayor."),
        ("The colour of it is red.", "The color of it is red."),
        ("It is a big house in Oslo.", "It is a large house in Oslo."),
        ("It organised the race.", "It organises the race."),
        ("It is a ''tall'' house.", "It is a '''tall''' [[house]]."),
    ],
)
def test_copyedits_cost_no_source(before: str, after: str) -> None:
    assert not _is_worth(before + BBC, after + BBC)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"It is red.{BBC}", "It is red."),
        (f"It is red.{BBC}", f"It is red.{LOG}"),
        (f"It is red.{BBC}", f"It is red. Nobody knows why it is so.{BBC}"),
    ],
    ids=["removed", "replaced", "inserted"],
)
def test_footnotes_that_no_longer_stand_where_they_stood(
    before: str, after: str
) -> None:
    other = f"\n\nThe strait is deep.{LOG}{BBC}"

    assert _is_worth(before + other, after + other)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (f"It has 27 rooms.{BBC}", f"It has 28 rooms.{BBC}", True),
        (f"It stands in Oslo.{BBC}", f"It stands in Bergen.{BBC}", False),
        (f"It has 27 rooms.{BBC}", f"It has at least 27 rooms.{BBC}", True),
        (f"It has 27,200 rooms.{BBC}", f"It has 27200 rooms.{BBC}", False),
        (f"It is red.{BBC}", "It is red.", False),
    ],
)
def test_of_bots_only_values_count(before: str, after: str, *, expected: bool) -> None:
    assert _is_worth(before, after, only_values=True) is expected
