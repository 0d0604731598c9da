"""What people were shown is known from the moment that the post is settled."""

from collections.abc import Iterator
from datetime import timedelta
from hashlib import sha256

import pytest

from bot.records.posts import (
    Limits,
    NotNow,
    Outcome,
    Posted,
    PostRules,
    PostState,
    Refusal,
    Refused,
    Shown,
    Unclear,
)
from bot.records.status import NotesStatus
from bot.records.tasks import TaskKind
from bot.records.watches import PLANS, NoteState, PlanKind
from bot.store import Store, open_store
from handlers.model import CheckKind
from tests import builders
from tests.bot.store.made_posts import make, post
from tests.bot.store.runs import NOON, TITLE, WIKI, after, hour, run, suggestion

_TALK = f"Talk:{TITLE}"
_RULES = PostRules(usual=Limits(50, 50, 50, 50), most_tries=2)
_POSTED = Posted(7)
_A, _B, _C = (sha256(name.encode()).hexdigest() for name in "ABC")


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with open_store(url, post_rules=_RULES) as opened_store:
        yield opened_store


def _states(store: Store, place: str = _TALK) -> dict[str, NoteState]:
    return {note.identity: note.state for note in store.shown_notes.on(WIKI, place)}


@pytest.mark.parametrize("outcome", [_POSTED, Shown("/a/page")])
def test_a_post_that_was_made_or_shown_records_its_notes(
    store: Store, outcome: Outcome
) -> None:
    make(store, post("1", [_A, _B]), outcome)

    notes = store.shown_notes.on(WIKI, _TALK)

    assert _states(store) == {_A: NoteState.OPEN, _B: NoteState.OPEN}
    assert {(each.place, each.article) for each in notes} == {(_TALK, TITLE)}
    assert {(each.shown_at, each.changed_at) for each in notes} == {(NOON, NOON)}
    assert store.shown_notes.on("de.wikipedia.org", _TALK) == ()
    assert store.tasks.lease(PLANS, "me", hour(9)) is None


@pytest.mark.parametrize(
    "outcome", [NotNow("busy", 5), Unclear("lost"), Refused(Refusal.SPAM, "listed")]
)
def test_a_post_that_was_not_surely_made_records_nothing(
    store: Store, outcome: Outcome
) -> None:
    make(store, post("1", [_A]), outcome)

    assert store.shown_notes.on(WIKI, _TALK) == ()


def test_a_note_that_a_post_takes_away_is_settled(store: Store) -> None:
    make(store, post("1", [_A, _B]))
    make(store, post("2", [_C], [_A[:24]]), at=hour(1))

    assert _states(store) == {
        _A: NoteState.SETTLED,
        _B: NoteState.OPEN,
        _C: NoteState.OPEN,
    }
    [settled] = [one for one in store.shown_notes.on(WIKI, _TALK) if one.identity == _A]
    assert (settled.shown_at, settled.changed_at) == (NOON, hour(1))


def test_a_note_that_people_took_right_before_it_was_settled_never_comes_back(
    store: Store,
) -> None:
    make(store, post("1", [_A, _B]))
    make(store, post("2", [], [_A, _B]), Posted(8, taken=(_B,)), at=hour(1))
    make(store, post("3", [_A, _B]), at=hour(2))

    assert _states(store) == {_A: NoteState.OPEN, _B: NoteState.DISMISSED}


def test_a_settled_note_can_come_back_and_a_dismissed_one_cannot(
    store: Store,
) -> None:
    make(store, post("1", [_A, _B]))
    make(store, post("2", [], [_A]), at=hour(1))
    assert store.shown_notes.dismiss(WIKI, _TALK, [_B[:24], _C[:24]], hour(1)) == 1
    assert store.shown_notes.dismiss(WIKI, _TALK, [_B[:24]], hour(2)) == 0

    make(store, post("3", [_A, _B]), at=hour(3))
    make(store, post("4", [], [_B]), at=hour(4))

    assert _states(store) == {_A: NoteState.OPEN, _B: NoteState.DISMISSED}
    assert store.shown_notes.shown_since(WIKI, since=hour(3)) == 1


def test_a_note_stands_on_each_page_for_itself(store: Store) -> None:
    make(store, post("1", [_A]))
    make(store, post("2", [_A], title="User:Ada/Report"))
    store.shown_notes.dismiss(WIKI, _TALK, [_A], NOON)

    assert _states(store, "User:Ada/Report") == {_A: NoteState.OPEN}


def test_a_report_names_the_articles_of_its_notes(store: Store) -> None:
    store.save_check(run(), [suggestion(identity=_A)])
    store.save_check(run(title="Another"), [suggestion(identity=_B)])
    report = post(
        "1",
        [_A, _B, _C],
        title="User:Ada/Report",
        plan=PlanKind.REPORT,
        subject="User:Ada/Sidenote",
    )

    make(store, report)

    found = store.shown_notes.on(WIKI, "User:Ada/Report")
    assert {each.identity: each.article for each in found} == {
        _A: TITLE,
        _B: "Another",
        _C: "",
    }


def test_notes_are_counted_by_wiki_watcher_and_article(store: Store) -> None:
    make(store, post("1", [_A, _B], user="Ada"))
    make(store, post("2", [_C], user="Bo", title="Talk:B", subject="B"), at=hour(2))
    make(store, post("3", [_C], wiki="de.wikipedia.org"))

    assert store.shown_notes.shown_since(WIKI, since=NOON) == 3
    assert store.shown_notes.shown_since(WIKI, since=hour(1)) == 1
    assert store.shown_notes.shown_since(WIKI, since=NOON, watcher="Ada") == 2
    assert store.shown_notes.shown_since(WIKI, since=NOON, article="B") == 1
    assert (
        store.shown_notes.shown_since(WIKI, since=NOON, watcher="Ada", article="B") == 0
    )


def test_what_became_of_notes_is_counted_by_what_they_were_flagged_for(
    store: Store,
) -> None:
    kinds = {
        _A: CheckKind.CONTRADICTED,
        _B: CheckKind.NOT_SUPPORTED,
        _C: CheckKind.NOT_SUPPORTED,
    }
    found = [
        suggestion(identity=name, flag=builders.flag(kind=kind))
        for name, kind in kinds.items()
    ]
    store.save_check(run(), found)
    make(store, post("0", ["e" * 64]), at=hour(-2))
    make(store, post("1", [_A, _B, _C, "f" * 64]))
    make(store, post("2", [], [_B]))
    store.shown_notes.dismiss(WIKI, _TALK, [_C], NOON)

    assert store.status(NOON).findings.notes == (
        NotesStatus("", 2, 0, 0),
        NotesStatus("CONTRADICTED", 1, 0, 0),
        NotesStatus("NOT_SUPPORTED", 2, 1, 1),
    )


@pytest.mark.parametrize(
    "reason",
    [Refusal.CHANGED, Refusal.GONE, Refusal.UNWANTED],
)
def test_a_refused_post_is_planned_again_where_that_can_help(
    store: Store, reason: Refusal
) -> None:
    make(store, post("1", [_A]), Refused(reason, "so it is"))

    assert store.tasks.lease(PLANS, "me", NOON + timedelta(seconds=59)) is None
    plan = store.tasks.lease(PLANS, "me", NOON + timedelta(seconds=60))
    assert plan is not None
    assert (plan.task.kind, plan.task.subject) == (PlanKind.TALK, TITLE)


@pytest.mark.parametrize(
    "reason",
    [Refusal.PLACE, Refusal.EXCLUDED, Refusal.SPAM, Refusal.FILTER, Refusal.BLOCKED],
)
def test_a_post_that_would_be_refused_again_is_planned_again_after_a_while(
    store: Store, reason: Refusal
) -> None:
    make(store, post("1", [_A]), Refused(reason, "so it is"))

    assert store.tasks.lease(PLANS, "me", after(59)) is None
    plan = store.tasks.lease(PLANS, "me", hour(25))
    assert plan is not None
    assert (plan.task.kind, plan.task.subject) == (PlanKind.TALK, TITLE)


def test_an_abandoned_post_is_planned_again(store: Store) -> None:
    make(store, post("1", [_A]), NotNow("stopped", 300))

    assert store.outbox.begin(hour(8 * 24)) is None
    assert store.outbox.counts()[PostState.REFUSED] == 1
    assert store.tasks.lease([TaskKind.PLAN_TALK], "me", hour(9 * 24)) is not None


def test_a_post_that_may_have_been_made_is_not_planned_again(store: Store) -> None:
    store.outbox.ask(post("1", [_A]))
    for _ in range(2):
        attempt = store.outbox.begin(NOON)
        assert attempt is not None
        store.outbox.settle(attempt, Unclear("lost"), NOON)

    assert store.outbox.begin(NOON) is None
    assert store.outbox.parked_count() == 1
    assert store.tasks.lease(PLANS, "me", hour(9)) is None


def test_what_may_have_been_deleted_with_its_page_does_not_come_back(
    store: Store,
) -> None:
    make(store, post("1", [_A, _B]), Refused(Refusal.DELETED, "gone"))

    assert store.tasks.lease(PLANS, "me", hour(9)) is None
    dismissed = NoteState.DISMISSED
    assert _states(store) == {_A: dismissed, _B: dismissed}
    assert store.shown_notes.shown_since(WIKI, since=hour(-9)) == 0
    assert store.status(hour(9)).findings.notes == (), "nobody saw them"


def test_a_post_of_no_plan_is_not_planned_again(store: Store) -> None:
    make(store, post("1", plan=None, subject=""), Refused(Refusal.GONE, "gone"))

    assert store.tasks.lease(PLANS, "me", hour(9)) is None
