"""What readers decide holds for them at once, and for all once two refuse."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier

import pytest

from bot.records.accounts import DecisionKind, DismissReason, Tally, Voice
from bot.records.watches import NoteState, PlanKind, WatcherKind
from bot.store import Store
from bot.store.sweep import SweepRules
from bot.surfaces.feedback import FeedbackRules, feedback
from handlers.model import CheckKind, Engine, Verdict
from handlers.ports import PermanentError
from tests import builders
from tests.bot.store.decided import (
    ANNA,
    BEN,
    CARA,
    REPORT,
    accepted,
    decision,
    known,
    watch,
)
from tests.bot.store.made_posts import make, post
from tests.bot.store.runs import NOON, TITLE, WIKI, hour, planned, run, suggestion

_TALK = f"Talk:{TITLE}"


def _states(store: Store, place: str) -> dict[str, NoteState]:
    return {note.identity: note.state for note in store.shown_notes.on(WIKI, place)}


def test_a_decision_comes_back_as_it_was_given_to_its_reader_alone(
    store: Store,
) -> None:
    one, other = known(store, "One.", "Other.")
    given = decision(
        one,
        kind=DecisionKind.WRONG_VERDICT,
        reason=None,
        right_verdict=Verdict.PARTIALLY_SUPPORTED,
    )

    stored_decision = store.decisions.decide(ANNA, given)

    assert stored_decision.decision == given
    assert store.decisions.of_reader(ANNA, WIKI, [one, other]) == {one: stored_decision}
    assert store.decisions.of_reader(BEN, WIKI, [one, other]) == {}


@pytest.mark.parametrize("chance", [1.5, -0.1, float("nan")])
def test_a_decision_about_what_is_no_probability_is_refused(
    store: Store, chance: float
) -> None:
    [one] = known(store, "One.")

    with pytest.raises(PermanentError):
        store.decisions.decide(ANNA, decision(one, flag_probability=chance))

    assert store.decisions.of_reader(ANNA, WIKI, [one]) == {}


def test_another_decision_replaces_the_first_and_the_same_again_changes_nothing(
    store: Store,
) -> None:
    [one] = known(store, "One.")
    first = store.decisions.decide(ANNA, decision(one))

    again = store.decisions.decide(ANNA, decision(one, decided_at=hour(2)))
    changed = store.decisions.decide(ANNA, accepted(one, decided_at=hour(3)))

    assert again == first
    assert store.decisions.of_reader(ANNA, WIKI, [one]) == {one: changed}
    stored = [each for _, each in store.decisions.all()]
    assert stored == [replace(first, undone_at=hour(3)), changed]


def test_only_their_own_standing_decision_can_be_undone(store: Store) -> None:
    [one] = known(store, "One.")
    stored_decision = store.decisions.decide(ANNA, decision(one))
    before = store.decisions.version(WIKI, TITLE)

    assert store.decisions.undo(BEN, stored_decision.number, hour(2)) is None
    assert store.decisions.version(WIKI, TITLE) == before
    assert (
        store.decisions.undo(ANNA, stored_decision.number, hour(2))
        == stored_decision.decision
    )
    assert (
        store.decisions.undo(ANNA, stored_decision.number, hour(2))
        == stored_decision.decision
    )  # lost
    assert store.decisions.undo(ANNA, stored_decision.number, hour(3)) is None
    assert store.decisions.of_reader(ANNA, WIKI, [one]) == {}
    assert store.decisions.version(WIKI, TITLE) != before


def test_nobody_decides_about_what_there_is_not(store: Store) -> None:
    known(store, "One.")

    with pytest.raises(PermanentError, match="no such suggestion"):
        store.decisions.decide(ANNA, decision("f" * 64))

    assert list(store.decisions.all()) == []


def test_the_second_reader_who_refuses_closes_it_for_everyone(store: Store) -> None:
    one, other = known(store, "One.", "Other.")
    watch(store)
    make(store, post("1", [one, other], title=_TALK))

    store.decisions.decide(ANNA, decision(one))
    store.decisions.decide(ANNA, decision(one, reason=DismissReason.NOT_WORTH_IT))
    assert store.decisions.closed(WIKI) == frozenset()
    assert planned(store) == set()
    store.decisions.decide(
        BEN,
        decision(
            one,
            kind=DecisionKind.WRONG_VERDICT,
            reason=None,
            right_verdict=Verdict.SUPPORTED,
        ),
    )

    assert store.decisions.closed(WIKI) == {one}
    assert store.decisions.closed(WIKI, [other]) == frozenset()
    assert store.decisions.closed("de.wikipedia.org") == frozenset()
    assert planned(store) == {
        (PlanKind.REPORT, "User:Anna/Sidenote"),
        (PlanKind.TALK, TITLE),
    }
    assert _states(store, _TALK) == {one: NoteState.DISMISSED, other: NoteState.OPEN}


@pytest.mark.parametrize(
    "changes",
    [
        {"reason": DismissReason.ALREADY_FIXED},
        {"reason": DismissReason.OTHER},
        {
            "kind": DecisionKind.WRONG_VERDICT,
            "reason": None,
            "right_verdict": Verdict.CONTRADICTED,
        },
        {"kind": DecisionKind.ACCEPT, "reason": None},
    ],
)
def test_what_is_no_refusal_closes_nothing(
    store: Store, changes: dict[str, object]
) -> None:
    [one] = known(store, "One.")
    store.decisions.decide(ANNA, decision(one))

    store.decisions.decide(BEN, decision(one, **changes))

    assert store.decisions.closed(WIKI) == frozenset()


def test_taking_a_refusal_back_opens_it_again_where_fewer_than_two_are_left(
    store: Store,
) -> None:
    [one] = known(store, "One.")
    watch(store)
    make(store, post("1", [one], title=_TALK))
    stored_decision = [
        store.decisions.decide(each, decision(one, decided_at=hour(at)))
        for at, each in enumerate((ANNA, BEN, CARA), 1)
    ]
    planned(store)

    store.decisions.undo(ANNA, stored_decision[0].number, hour(4))
    assert store.decisions.closed(WIKI) == {one}
    assert planned(store) == set()
    store.decisions.decide(BEN, accepted(one, decided_at=hour(5)))

    assert store.decisions.closed(WIKI) == frozenset()
    assert planned(store) == {
        (PlanKind.REPORT, "User:Anna/Sidenote"),
        (PlanKind.TALK, TITLE),
    }
    assert _states(store, _TALK) == {one: NoteState.OPEN}


def test_a_closure_that_is_lifted_brings_back_nothing_that_people_took_away(
    store: Store,
) -> None:
    [one] = known(store, "One.")
    watch(store)
    make(store, post("1", [one], title=_TALK))
    store.shown_notes.dismiss(WIKI, _TALK, [one], hour(0.5))
    store.decisions.decide(BEN, decision(one, decided_at=hour(1)))
    stored_decision = store.decisions.decide(
        ANNA, decision(one, decided_at=hour(2)), user="Anna"
    )

    store.decisions.undo(BEN, 1, hour(3))

    assert store.decisions.closed(WIKI) == frozenset()
    assert _states(store, _TALK) == {one: NoteState.DISMISSED}
    assert _states(store, REPORT) == {one: NoteState.DISMISSED}  # Anna's own wish
    store.decisions.undo(ANNA, stored_decision.number, hour(4), user="Anna")
    assert _states(store, REPORT) == {}


def test_what_a_reader_dismisses_goes_from_their_own_report_even_before_it_is_reported(
    store: Store,
) -> None:
    one, other = known(store, "One.", "Other.")
    watch(store)
    watch(store, "User:Ben/Sidenote", watcher="Ben", report="User:Ben/Report")
    # Somebody may be called as a page is.
    watch(store, _TALK, watcher="Anna", kind=WatcherKind.PAGE, report=f"{_TALK}/Report")
    make(store, post("1", [one], title=REPORT, user="Anna"))

    for identity in (one, other):
        store.decisions.decide(
            ANNA, decision(identity, reason=DismissReason.ALREADY_FIXED), user="Anna"
        )

    dismissed = NoteState.DISMISSED
    assert _states(store, REPORT) == {one: dismissed, other: dismissed}
    assert _states(store, "User:Ben/Report") == _states(store, f"{_TALK}/Report") == {}
    assert planned(store) == {(PlanKind.REPORT, "User:Anna/Sidenote")}
    assert store.shown_notes.shown_since(WIKI, since=NOON, article=TITLE) == 1


def test_what_a_reader_undoes_comes_back_to_their_own_report(store: Store) -> None:
    one, other = known(store, "One.", "Other.")
    watch(store)
    make(store, post("1", [one], title=REPORT, user="Anna"))
    stored_decision = [
        store.decisions.decide(ANNA, decision(identity), user="Anna")
        for identity in (one, other)
    ]
    planned(store)

    for each in stored_decision:
        store.decisions.undo(ANNA, each.number, hour(2), user="Anna")

    assert _states(store, REPORT) == {one: NoteState.OPEN}
    assert planned(store) == {(PlanKind.REPORT, "User:Anna/Sidenote")}


def test_what_a_reader_took_away_by_hand_stays_away_whatever_they_undo(
    store: Store,
) -> None:
    [one] = known(store, "One.")
    watch(store)
    make(store, post("1", [one], title=REPORT, user="Anna"))
    store.shown_notes.dismiss(WIKI, REPORT, [one], hour(0.5))
    stored_decision = store.decisions.decide(ANNA, decision(one), user="Anna")

    store.decisions.undo(ANNA, stored_decision.number, hour(2), user="Anna")

    assert _states(store, REPORT) == {one: NoteState.DISMISSED}


def test_two_who_refuse_in_the_same_moment_lose_no_closure(store: Store) -> None:
    names = known(store, *(f"Claim {number}." for number in range(12)))
    both = Barrier(2)

    def refuse(reader: str) -> None:
        for identity in names:
            both.wait(30)
            store.decisions.decide(reader, decision(identity))

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(refuse, (ANNA, BEN)))

    assert store.decisions.closed(WIKI) == frozenset(names)


def test_a_suggestion_counts_once_by_the_newest_word_on_whether_it_is_right(
    store: Store,
) -> None:
    one, two, three, four = known(store, "1.", "2.", "3.", "4.")
    decide = store.decisions.decide
    decide(ANNA, decision(one, decided_at=hour(1)))
    decide(BEN, accepted(one, decided_at=hour(2)))
    decide(CARA, decision(one, reason=DismissReason.NOT_WORTH_IT, decided_at=hour(3)))
    decide(ANNA, decision(two, flag_probability=0.7))
    undone = decide(ANNA, decision(three))
    store.decisions.undo(ANNA, undone.number, hour(2))
    decide(BEN, decision(three, flag=None, flag_probability=None))
    decide(
        ANNA,
        decision(
            four,
            kind=DecisionKind.WRONG_VERDICT,
            reason=None,
            right_verdict=Verdict.PARTIALLY_SUPPORTED,
            engine=Engine("other", "2"),
        ),
    )

    kind = CheckKind.NOT_SUPPORTED
    assert store.decisions.tallies(NOON) == (
        Tally(
            *(WIKI, builders.ENGINE, kind, (0.9,), (0.7,)),
            # Anna's voice is in halves; Ben's word does not take hers away.
            voices=(Voice(0.7, False, 0.5), Voice(0.9, False, 0.5), Voice(0.9, True)),
        ),
        Tally(
            *(WIKI, Engine("other", "2"), kind, (), (0.9,)),
            voices=(Voice(0.9, is_right=False),),
        ),
    )
    assert store.decisions.tallies(hour(1.5)) == (
        Tally(
            *(WIKI, builders.ENGINE, kind, (0.9,), ()),
            voices=(Voice(0.9, is_right=True),),
        ),
    )


def test_one_reader_silences_no_kind_for_everybody(store: Store) -> None:
    for identity in known(store, *(f"Claim {number}." for number in range(20))):
        store.decisions.decide(ANNA, decision(identity))

    assert feedback(store.decisions.tallies(NOON), FeedbackRules()).held == ()


def test_a_decision_of_somebody_new_holds_for_them_alone(store: Store) -> None:
    [one] = known(store, "One.")
    store.decisions.decide(ANNA, decision(one))
    new = store.decisions.decide(BEN, decision(one), is_own=True)

    assert store.decisions.of_reader(BEN, WIKI, [one]) == {one: new}
    assert store.decisions.closed(WIKI) == frozenset()
    [tally] = store.decisions.tallies(NOON)
    assert tally.voices == (Voice(0.9, is_right=False),)

    again = store.decisions.decide(BEN, decision(one, decided_at=hour(2)))

    assert again.number != new.number
    assert store.decisions.closed(WIKI) == {one}


def test_all_that_one_reader_decided_can_be_taken_back(store: Store) -> None:
    one, two, gone = known(store, "1.", "2.", "3.")
    for identity in (one, two, gone):
        store.decisions.decide(ANNA, decision(identity))
    store.decisions.decide(BEN, decision(one))
    store.decisions.decide(BEN, decision(gone))
    store.save_check(run(11, hour(2)), [])
    store.sweep(hour(24 * 40), SweepRules(names_days=365))
    assert store.suggestions_of(WIKI, TITLE, with_closed=True) == ()
    again = suggestion("1.", identity=one)
    store.save_check(run(12, hour(24 * 41)), [again])
    assert store.decisions.closed(WIKI) == {one, gone}

    assert store.decisions.take_back(ANNA, hour(3)) == 3

    assert store.decisions.closed(WIKI) == frozenset()
    assert store.decisions.of_reader(ANNA, WIKI, [one, two, gone]) == {}
    assert set(store.decisions.of_reader(BEN, WIKI, [one])) == {one}
    assert store.decisions.take_back(ANNA, hour(4)) == 0
