"""What is kept of an edit that parted words from their source, and when it is settled."""

import pytest

from handlers.edits.alignment import changed_words
from handlers.edits.finding import ChangedFinding
from handlers.model import EditJudgement, EditKind, SourceOutcome, Verdict
from handlers.registry import stands
from tests import builders
from tests.handlers.edits.noted import BAD, BBC, GOOD, LOG, WORSE, found_after, now_of


def test_a_note_has_both_versions_and_the_revisions() -> None:
    [one] = found_after(GOOD, BAD)

    assert isinstance(one.finding, ChangedFinding)
    earlier = one.finding.facts.earlier
    assert earlier
    assert (one.claim, earlier.text) == (
        "The tower is 412 metres high.",
        "The tower is 412 feet high.",
    )
    assert [span.of(one.claim) for span in one.finding.marked] == ["metres"]
    assert [span.of(earlier.text) for span in earlier.marked] == ["feet"]
    assert (earlier.since, earlier.until) == (11, 12)


def test_it_stands_until_the_words_or_the_source_are_put_right() -> None:
    [one] = found_after(GOOD, BAD)

    assert stands(one, now_of(BAD))
    assert stands(one, now_of(f"New lead.{LOG}\n\n{BAD}"))
    assert stands(one, now_of(GOOD)) is None
    assert stands(one, now_of(BAD.replace(BBC, LOG))) is None


def test_a_removed_source_is_settled_when_it_is_back() -> None:
    [one] = found_after(GOOD, GOOD.replace(BBC, ""))

    assert isinstance(one.finding, ChangedFinding)
    assert one.finding.done is EditKind.REMOVED
    assert stands(one, now_of(GOOD.replace(BBC, "")))
    assert stands(one, now_of(GOOD)) is None


def test_edits_elsewhere_leave_it_open() -> None:
    [one] = found_after(GOOD, BAD)

    again = found_after(BAD, BAD.replace("closed", "shut"), (one,))

    assert one.identity in {each.identity for each in again}


def test_a_revert_closes_it() -> None:
    [one] = found_after(GOOD, BAD)

    assert found_after(BAD, GOOD, (one,)) == ()


def test_each_turn_of_an_edit_war_is_the_same_note() -> None:
    [first] = found_after(GOOD, BAD)
    [second] = found_after(BAD, WORSE, (first,))
    [third] = found_after(GOOD, BAD)

    assert first.identity == second.identity == third.identity
    assert second.claim == "The tower is 421 metres high."
    assert isinstance(second.finding, ChangedFinding)
    assert second.finding.before == "The tower is 412 feet high."


def test_what_differs_is_marked_in_whole_words() -> None:
    before = "It was to be opened in 1,200 days."
    after = "It was opened in 1,300 days."
    mine, theirs = changed_words(before, after)

    assert [span.of(after) for span in mine] == ["1,300"]
    assert [span.of(before) for span in theirs] == ["to be", "1,200"]


@pytest.mark.parametrize(
    ("after", "is_measured"), [(BAD, True), (GOOD.replace(BBC, ""), False)]
)
def test_how_often_a_note_is_right_is_told_only_of_other_words(
    after: str, *, is_measured: bool
) -> None:
    [one] = found_after(GOOD, after)

    assert (one.finding.facts.certainty is not None) is is_measured


@pytest.mark.parametrize(
    ("before", "after", "quoted_as"),
    [
        (Verdict.SUPPORTED, Verdict.NOT_SUPPORTED, ("it says", "label-source")),
        (Verdict.NOT_SUPPORTED, Verdict.CONTRADICTED, ("it denies", "label-source")),
        (Verdict.NOT_SUPPORTED, Verdict.NOT_SUPPORTED, ("it says", "label-nearest")),
    ],
)
def test_a_quote_that_bears_out_neither_side_is_only_the_nearest(
    before: Verdict, after: Verdict, quoted_as: tuple[str, str]
) -> None:
    sides = (
        builders.verification(verdict, builders.evidence(said, text=said, matching=()))
        for verdict, said in ((before, "it says"), (after, "it denies"))
    )
    [one] = found_after(GOOD, BAD, judged=EditJudgement(0.9, *sides))

    label = one.finding.facts.quotes_label.key
    assert (one.details.quotes[0].quote, label) == quoted_as


def test_a_note_beside_an_unread_source_says_so_and_claims_no_certainty() -> None:
    book = builders.unread(SourceOutcome.OFFLINE)
    [whole], [partly] = (
        found_after(GOOD, BAD, fetches=read) for read in ((), (builders.fetch(), book))
    )

    told, facts = whole.finding.facts, partly.finding.facts
    assert {one.key for one in facts.lines} - {one.key for one in told.lines} == {
        "advice-changed-unread"
    }
    assert (facts.certainty, facts.tag) == (None, None)
    assert told.certainty
    assert told.tag
