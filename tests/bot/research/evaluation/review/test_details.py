"""Numbers, times, dates and names of a statement, looked for in a page."""

import pytest

from bot.research.evaluation.review.judge import Details, compare
from handlers.citations.annotation import read
from handlers.citations.passages import cut
from handlers.model import SourceText
from handlers.updates.entailment import claim_of

PAGE = (
    "The Packers had three turnovers. Lawrence Tynes kicked a 47-yard field goal at"
    " 12:25 on January 20, 2008. The Giants beat them in Green Bay."
)
ALL_THERE = Details(missing=False, differ=False)
MISSING = Details(missing=True, differ=False)


@pytest.mark.parametrize(
    ("statement", "found"),
    [
        ("Tynes kicked a 47-yard field goal.", ALL_THERE),
        ("Tynes kicked it at 12:25 in January 2008.", ALL_THERE),
        ("The Packers lost.", ALL_THERE),  # the article's own name needs no proof
        ("Tynes kicked it at 12:31.", MISSING),
        ("Tynes kicked it in March 2008.", MISSING),
        ("Plaxico Burress was there.", MISSING),
        ("The Packers had two turnovers.", Details(missing=True, differ=True)),
    ],
)
def test_details_are_looked_for(statement: str, found: Details) -> None:
    passages = cut(SourceText(PAGE), "page")
    best = "The Packers had three turnovers."

    assert compare("Packers", claim_of(statement), passages, best, read) == found
