"""What became of a noted edit, and whether its note was right."""

import pytest

from handlers.edits.alignment import Side
from handlers.edits.finding import ChangedFinding
from handlers.edits.outcome import EditOutcome, outcome, was_right
from handlers.model import EditKind
from handlers.page import parse
from tests.handlers.edits.noted import BAD, BBC, GOOD, HERE, LOG, WORSE, found_after

_TABLE = (
    "{| class=wikitable\n! Year !! Rooms\n|-\n| 1891 || %s"
    "<ref>{{cite web |title=A |url=https://a.example/1}}</ref>\n|}\n"
)
_INSERTED = GOOD.replace("feet high.", "feet high. Nobody has ever been up there.")


@pytest.mark.parametrize(
    ("before", "after", "later", "kind", "became"),
    [
        (GOOD, BAD, BAD, EditKind.REWORDED, EditOutcome.STANDS),
        (GOOD, BAD, f"New lead.{LOG}\n\n{BAD}", EditKind.REWORDED, EditOutcome.STANDS),
        (GOOD, BAD, GOOD, EditKind.REWORDED, EditOutcome.REVERTED),
        (GOOD, BAD, GOOD.replace(BBC, ""), EditKind.REWORDED, EditOutcome.REVERTED),
        (GOOD, BAD, WORSE, EditKind.REWORDED, EditOutcome.CHANGED),
        (GOOD, BAD, BAD.replace(BBC, LOG), EditKind.REWORDED, EditOutcome.CHANGED),
        (GOOD, BAD, f"It closed in 2001.{LOG}", EditKind.REWORDED, EditOutcome.CHANGED),
        (_TABLE % 27, _TABLE % 72, _TABLE % 72, EditKind.REWORDED, EditOutcome.STANDS),
        (
            _TABLE % 27,
            _TABLE % 72,
            _TABLE % 27,
            EditKind.REWORDED,
            EditOutcome.REVERTED,
        ),
        (_TABLE % 27, _TABLE % 72, _TABLE % 99, EditKind.REWORDED, EditOutcome.CHANGED),
        (GOOD, _INSERTED, _INSERTED, EditKind.INSERTED, EditOutcome.STANDS),
        (GOOD, _INSERTED, GOOD, EditKind.INSERTED, EditOutcome.CHANGED),
        *(
            (GOOD, GOOD.replace(BBC, ""), later, EditKind.REMOVED, became)
            for later, became in (
                (GOOD.replace(BBC, ""), EditOutcome.STANDS),
                (GOOD, EditOutcome.REVERTED),
                (f"It closed in 2001.{LOG}", EditOutcome.CHANGED),
            )
        ),
        *(
            (GOOD, GOOD.replace(BBC, LOG), later, EditKind.REPLACED, became)
            for later, became in (
                (GOOD.replace(BBC, LOG), EditOutcome.STANDS),
                (GOOD, EditOutcome.REVERTED),
                (WORSE, EditOutcome.CHANGED),
            )
        ),
    ],
)
def test_what_became_of_an_edit_is_told_by_the_page(
    before: str, after: str, later: str, kind: EditKind, became: EditOutcome
) -> None:
    [note] = found_after(before, after)
    assert isinstance(note.finding, ChangedFinding)
    assert note.finding.done is kind

    assert outcome(note, Side(parse(later, HERE))) is became


@pytest.mark.parametrize(
    ("became", "is_final", "answered", "is_right"),
    [
        (None, False, None, None),
        (EditOutcome.REVERTED, False, None, True),
        (EditOutcome.STANDS, False, None, None),
        (EditOutcome.STANDS, True, None, False),
        (EditOutcome.CHANGED, True, None, None),
        (EditOutcome.UNSEEN, True, None, None),
        (EditOutcome.STANDS, True, True, True),
        (EditOutcome.REVERTED, True, False, False),
        (None, False, False, False),
    ],
)
def test_a_reader_counts_before_what_became_of_it(
    became: EditOutcome | None,
    is_final: bool,
    answered: bool | None,
    is_right: bool | None,
) -> None:
    assert was_right(became, is_final=is_final, answered=answered) is is_right
