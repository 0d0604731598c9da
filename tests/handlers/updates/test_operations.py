"""Operations on words come true in the wikitext, or are refused; markup stays."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.page.scan import scan
from handlers.updates.guard import applied, harm, in_order
from handlers.updates.operations import (
    AppliedEdit,
    Operation,
    OperationKind,
    Places,
    RefusedError,
    apply_operations,
)
from tests.handlers.updates.bridge import FIGURE, OPENED, WIKITEXT, bridge, says

_SUBJECT = bridge()
_PLACES = Places(_SUBJECT.page)
_INSERT, _REPLACE, _DELETE = (
    OperationKind.INSERT,
    OperationKind.REPLACE,
    OperationKind.DELETE,
)


def _worked(*operations: Operation, of: str = FIGURE) -> AppliedEdit:
    paragraph = _PLACES.paragraph_at(says(_SUBJECT, of).span.start)
    assert paragraph is not None
    return apply_operations(_PLACES, paragraph, operations)


def _after(work: AppliedEdit) -> str:
    changes = in_order(work.changes)
    assert not harm(WIKITEXT, changes)
    return applied(WIKITEXT, changes)


def test_of_two_wordings_only_what_differs_is_changed() -> None:
    new = FIGURE.replace("May 2024", "June 2026").replace("12,000", "9,500")

    work = _worked(Operation(_REPLACE, FIGURE, new))

    lead = WIKITEXT.index("As of")
    changed = WIKITEXT[lead:].replace("May 2024", "June 2026", 1)
    assert _after(work) == WIKITEXT[:lead] + changed.replace("12,000", "9,500", 1)
    assert (work.removed, work.added) == (
        ("May", "2024", "12,000"),
        ("June", "2026", "9,500"),
    )
    assert (work.before, work.after) == (FIGURE, new)


def test_a_new_sentence_stands_behind_the_footnotes_of_the_one_before() -> None:
    work = _worked(Operation(_INSERT, "Ms Example.", "It has a toll."), of=OPENED)

    assert work.is_new_sentence
    assert work.after == "It has a toll."
    assert "title=B}}</ref>" not in work.after
    assert "{{cite book|title=B}}</ref> It has a toll.\n* A toll" in _after(work)


def test_words_that_come_inside_a_sentence_stand_behind_its_footnotes_there() -> None:
    work = _worked(Operation(_INSERT, "12,000 cars a day", "in 2024"))

    assert "a day{{efn|Lorries included.}} in 2024 and is run" in _after(work)


def test_words_that_go_take_a_space_with_them() -> None:
    work = _worked(Operation(_DELETE, "a day"))

    assert "12,000 cars{{efn|Lorries included.}} and" in _after(work)
    assert work.removed == (" a day",)


def test_words_behind_a_link_stand_outside_it() -> None:
    work = _worked(Operation(_INSERT, "Ms Example", ", and the king"), of=OPENED)

    assert "[[Ann Example|Ms Example]], and the king.<ref>" in _after(work)


@pytest.mark.parametrize(
    ("operations", "reason"),
    [
        ([], "changes nothing"),
        ([Operation(_REPLACE, "a day", "a day")], "changes nothing"),
        ([Operation(_REPLACE, "a night", "a day")], "not in the paragraph"),
        ([Operation(_REPLACE, "", "a day")], "not in the paragraph"),
        ([Operation(_REPLACE, "Port Example", "Elsewhere")], "more than once"),
        ([Operation(_REPLACE, "2,000", "3,000")], "not in the paragraph"),
        ([Operation(_REPLACE, "Port Example Bridges", "The city")], "inside markup"),
        ([Operation(_DELETE, "3 towers")], "inside markup"),
        ([Operation(_DELETE, FIGURE)], "whole sentence"),
        ([Operation(_INSERT, "a day", "")], "inserts nothing"),
        ([Operation(_INSERT, "Bridges.", "and more")], "not a sentence"),
        ([Operation(_DELETE, "a day", "now")], "deletion"),
        ([Operation(_REPLACE, "a day", " ")], "none"),
        (
            [
                Operation(_REPLACE, "a day", "a week"),
                Operation(_REPLACE, "is a", "was a"),
            ],
            "more than one sentence",
        ),
        (
            [
                Operation(_REPLACE, "a day", "a week"),
                Operation(_INSERT, "Bridges.", "It is red."),
            ],
            "adds a sentence and changes another",
        ),
    ],
)
def test_an_operation_that_is_not_clear_is_refused(
    operations: list[Operation], reason: str
) -> None:
    with pytest.raises(RefusedError, match=reason):
        _worked(*operations)


_WORDS = FIGURE.split()


@st.composite
def _operations(draw: st.DrawFn) -> list[Operation]:
    found = []
    for _ in range(draw(st.integers(1, 3))):
        first = draw(st.integers(0, len(_WORDS) - 1))
        last = draw(st.integers(first + 1, min(first + 5, len(_WORDS))))
        new = draw(
            st.one_of(
                st.sampled_from(["9,500 cars", "It is red.", "in 2026,", "", "]]"]),
                st.text(max_size=8),
            )
        )
        kind = draw(st.sampled_from(OperationKind))
        found.append(Operation(kind, " ".join(_WORDS[first:last]), new))
    return found


@given(_operations())
def test_whatever_a_model_asks_for_no_markup_is_lost(
    operations: list[Operation],
) -> None:
    try:
        work = _worked(*operations)
        changes = in_order(work.changes)
    except (RefusedError, ValueError):
        return
    if harm(WIKITEXT, changes):
        return

    before, after = (
        Counter((one.kind, text[one.start : one.end]) for one in scan(text).elements)
        for text in (WIKITEXT, applied(WIKITEXT, changes))
    )
    assert before == after
