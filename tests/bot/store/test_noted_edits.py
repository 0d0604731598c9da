"""Noted edits are looked at twice, and each is counted once."""

from datetime import datetime, timedelta

import pytest

from bot.records.noted_edits import NotedEdits
from bot.store import Store, SweepRules
from handlers.edits.finding import EXAMPLE
from handlers.edits.outcome import EditOutcome
from handlers.model import EditKind
from tests.bot.store.decided import ANNA, BEN, accepted, decision
from tests.bot.store.noted import identity_of, noted
from tests.bot.store.runs import NOON, TITLE, WIKI, day

_NOTES = ("One.", "Two.", "Three.")


def _due(store: Store, days: float) -> set[str]:
    return {one.identity for one in store.noted_edits.due(WIKI, day(days))}


def _counts(store: Store, since: datetime = NOON) -> NotedEdits:
    [counts] = store.noted_edits.counts(since)
    return counts


def test_an_edit_is_due_after_two_days_and_after_thirty(store: Store) -> None:
    noted(store, ["One."])

    assert _due(store, 1.9) == set()
    [due] = store.noted_edits.due(WIKI, day(2))
    assert due.found
    assert due.found.finding == EXAMPLE

    store.noted_edits.keep(WIKI, {due.identity: EditOutcome.STANDS}, day(2))
    assert _due(store, 29.9) == set()
    assert _due(store, 30) == {due.identity}

    store.noted_edits.keep(WIKI, {due.identity: EditOutcome.STANDS}, day(30))
    assert _due(store, 400) == set()
    assert _counts(store) == NotedEdits(
        WIKI, EditKind.REWORDED, stayed=1, wrong=1, undecided=0
    )


@pytest.mark.parametrize(
    ("first", "is_due"),
    [
        (EditOutcome.REVERTED, False),
        (EditOutcome.CHANGED, True),
        (EditOutcome.STANDS, True),
        (EditOutcome.UNSEEN, True),
    ],
)
def test_what_was_reverted_is_not_looked_at_again(
    store: Store, first: EditOutcome, *, is_due: bool
) -> None:
    noted(store, ["One."])

    store.noted_edits.keep(WIKI, {identity_of("One."): first}, day(2))

    assert bool(_due(store, 31)) is is_due


def test_a_look_that_comes_late_is_the_last(store: Store) -> None:
    noted(store, ["One."])

    store.noted_edits.keep(WIKI, {identity_of("One."): EditOutcome.STANDS}, day(33))

    assert _due(store, 99) == set()
    assert _counts(store).stayed == 1


def test_a_note_that_comes_back_is_counted_once(store: Store) -> None:
    noted(store, ["One."])
    store.noted_edits.keep(WIKI, {identity_of("One."): EditOutcome.REVERTED}, day(2))
    noted(store, [], 11, day(3))
    store.sweep(day(40), SweepRules())
    assert not store.suggestions_of(WIKI, TITLE)

    noted(store, ["One."], 12, day(41))

    assert _due(store, 99) == set()
    assert _counts(store).noted == 1


def test_a_note_that_was_forgotten_is_due_without_its_words(store: Store) -> None:
    noted(store, ["One."])
    noted(store, [], 11, day(0.1))
    store.sweep(day(31), SweepRules())

    [due] = store.noted_edits.due(WIKI, day(31))
    assert due.found is None

    store.noted_edits.keep(WIKI, {due.identity: EditOutcome.UNSEEN}, day(31))
    assert _counts(store) == NotedEdits(WIKI, EditKind.REWORDED, unseen=1)


def test_the_words_of_a_closed_note_are_kept_for_both_looks(store: Store) -> None:
    noted(store, ["One."])
    noted(store, [], 11, day(1))

    for at in (2, 30):
        store.sweep(day(at), SweepRules())
        [due] = store.noted_edits.due(WIKI, day(at))
        assert due.found
        store.noted_edits.keep(WIKI, {due.identity: EditOutcome.CHANGED}, day(at))


def test_what_readers_answered_counts_first(store: Store) -> None:
    noted(store, _NOTES)
    one, two, three = map(identity_of, _NOTES)
    store.noted_edits.keep(
        WIKI,
        {one: EditOutcome.REVERTED, two: EditOutcome.STANDS, three: EditOutcome.UNSEEN},
        day(30),
    )
    before = _counts(store)
    assert (before.right, before.wrong, before.undecided) == (1, 1, 0)
    assert (before.reverted, before.stayed, before.unseen) == (1, 1, 1)

    store.decisions.decide(ANNA, decision(one))
    store.decisions.decide(ANNA, accepted(two))
    late = NOON + timedelta(hours=9)
    store.decisions.decide(BEN, accepted(three, decided_at=late))
    store.decisions.decide(ANNA, decision(three))

    after = _counts(store)
    assert (after.said_right, after.said_wrong) == (2, 1)
    assert (after.right, after.wrong, after.undecided) == (2, 1, 0)
    assert (after.reverted, after.stayed, after.unseen) == (1, 1, 1)
    assert after.noted == 3


def test_they_are_counted_for_the_days_asked_for(store: Store) -> None:
    noted(store, ["One."])

    assert store.noted_edits.counts(day(1)) == ()
    assert store.noted_edits.counts(NOON, "other.example") == ()
    assert store.status(day(1)).noted == (
        NotedEdits(WIKI, EditKind.REWORDED, waiting=1, undecided=1),
    )
    store.sweep(day(801), SweepRules())
    assert store.noted_edits.counts(NOON) == ()
