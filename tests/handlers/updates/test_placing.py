"""A fact goes to the section that says such things, or asks for them."""

from handlers.model import Criteria, Engine, SectionCriteria
from handlers.updates.placing import place
from tests.handlers.updates.aggregating.judges import SharedWords
from tests.handlers.updates.builders import statement, subject

CAREER = statement(
    "She joined Example United as a striker in 2019.", section=("Career",)
)
FAMILY = statement(
    "She lives in Port Example with her husband.", section=("Personal life",)
)
CRITERIA = Criteria(
    (
        SectionCriteria((), ()),
        SectionCriteria(("Career",), ("clubs",), (("club", 1.0),)),
        SectionCriteria(("Personal life",), ("family",), (("marry", 3.0),)),
        SectionCriteria(("Awards",), ("prizes",), (("award", 2.0), ("priz", 2.0))),
        SectionCriteria(("References",), (), (("striker", 9.0),), is_open=False),
    ),
    "0" * 64,
    Engine("outline", "1"),
)
PLAYER = subject(statements=(CAREER, FAMILY), criteria=CRITERIA)


async def test_a_fact_goes_where_the_most_alike_is_said() -> None:
    [ranked] = await place(
        PLAYER, ["In 2026 she joined Sample City as a striker."], SharedWords()
    )
    assert ranked[0].path == ("Career",)
    assert ranked[0].nearest is CAREER
    assert ranked[0].likeness > 0


async def test_the_criteria_tell_where_nothing_alike_is_said() -> None:
    [ranked] = await place(PLAYER, ["The award was hers."], SharedWords())
    assert ranked[0].path == ("Awards",)
    assert ranked[0].nearest is None


async def test_all_open_sections_are_ranked_and_no_closed_one() -> None:
    [ranked] = await place(PLAYER, ["A striker."], SharedWords())
    assert {one.path for one in ranked} == {
        (),
        ("Career",),
        ("Personal life",),
        ("Awards",),
    }
    scores = [one.score for one in ranked]
    assert scores == sorted(scores, reverse=True)


async def test_where_no_section_takes_facts_there_is_no_place() -> None:
    closed = Criteria((CRITERIA.sections[-1],), "0" * 64, CRITERIA.engine)
    assert await place(subject(criteria=closed), ["A striker."], SharedWords()) == ((),)
    assert await place(PLAYER, [], SharedWords()) == ()
