"""What people asked to be drafted: leased, kept, posted, dropped, and forgotten."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from bot.records.dossiers import (
    DraftOrder,
    DraftState,
    NamedTopic,
    StoredDraft,
)
from bot.records.posts import (
    Create,
    NotNow,
    Outcome,
    Post,
    Posted,
    Refusal,
    Refused,
    Shown,
)
from bot.records.tasks import Lease, LeaseLost, TaskKind
from bot.records.watches import IntendedPost, PlanKind
from bot.store import Store, draft_policy, open_store
from bot.store.sweep import SweepRules
from handlers.model import ModelUse
from tests.bot.store.runs import NOON, WIKI, hour, planned

PLACE = "User:Ada/Sidenote"
CLOCK = NamedTopic("Clock", "User:Ada/Sidenote drafts/Clock")
FLOOD = NamedTopic("Flood", "User:Ada/Sidenote drafts/Flood")
TEXT = "== Clock ==\nIt strikes."
ATTEMPTS = 2
POLICY = draft_policy(lease_s=600, attempts=ATTEMPTS, per_user=2)


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with open_store(url, policies={TaskKind.DRAFT: POLICY}) as opened_store:
        yield opened_store


def _ask(store: Store, *named: NamedTopic, at: float = 0, place: str = PLACE) -> None:
    store.drafts.ask(DraftOrder(WIKI, place, "Ada", named), hour(at))


def _begun(store: Store, at: float = 0) -> Lease[StoredDraft]:
    turn = store.tasks.lease([TaskKind.DRAFT], "me", hour(at))
    assert turn is not None
    return turn


def _stored(store: Store, named: NamedTopic = CLOCK) -> StoredDraft:
    draft = store.drafts.of_page(WIKI, named.page)
    assert draft is not None
    return draft


def _settled(store: Store, outcome: Outcome, at: float = 2) -> StoredDraft:
    """Draft the clock, post it, and return what is kept of it then."""
    _ask(store, CLOCK)
    store.drafts.save(_begun(store), TEXT, hour(1))
    store.plans.ask([IntendedPost(PlanKind.DRAFT, WIKI, CLOCK.page, hour(1))], hour(1))
    plan = store.tasks.lease([TaskKind.PLAN_DRAFT], "me", hour(1))
    assert plan is not None
    post = Post(
        "a" * 64,
        WIKI,
        CLOCK.page,
        "draft",
        Create(TEXT),
        "s",
        hour(1),
        "Ada",
        PlanKind.DRAFT,
        CLOCK.page,
    )
    store.plans.finish(plan, (post,), hour(1))
    attempt = store.outbox.begin(hour(at))
    assert attempt is not None
    assert attempt.post.change == Create(TEXT)
    store.outbox.settle(attempt, outcome, hour(at))
    return _stored(store)


def test_a_draft_is_leased_once_and_kept_for_its_post(store: Store) -> None:
    _ask(store, CLOCK)
    _ask(store, CLOCK)

    turn = _begun(store)
    assert (turn.task.topic, turn.task.watcher) == ("Clock", "Ada")
    assert store.tasks.lease([TaskKind.DRAFT], "me", hour(0)) is None
    use = ModelUse(3, 0, 10, 10)
    store.drafts.save(turn, TEXT, hour(1), model="some-model", use=use)

    draft = _stored(store)
    assert (draft.state, draft.text, draft.drafted_at) == (
        DraftState.DRAFTED,
        TEXT,
        hour(1),
    )
    assert planned(store, hour(1)) == {(PlanKind.DRAFT, CLOCK.page)}
    assert store.status(hour(1)).costs_day[0].calls == 3
    assert store.tasks.lease([TaskKind.DRAFT], "me", hour(2)) is None


def test_who_was_too_slow_keeps_nothing(store: Store) -> None:
    _ask(store, CLOCK)
    slow = _begun(store)
    quick = _begun(store, at=1)

    with pytest.raises(LeaseLost):
        store.drafts.save(slow, "slow", hour(1))
    store.drafts.save(quick, TEXT, hour(1))

    assert _stored(store).text == TEXT


def test_what_nobody_asks_for_any_more_is_dropped_and_forgotten(store: Store) -> None:
    _ask(store, CLOCK, FLOOD)
    turn = _begun(store)
    _ask(store, FLOOD, at=1)

    with pytest.raises(LeaseLost):
        store.drafts.save(turn, TEXT, hour(1))
    assert [each.topic for each in store.drafts.of_place(WIKI, PLACE)] == ["Flood"]
    counts = store.sweep(NOON + timedelta(days=31), SweepRules())

    assert counts["drafts"] == 1
    assert store.drafts.of_page(WIKI, CLOCK.page) is None
    assert _stored(store, FLOOD).state is DraftState.WAITING


def test_another_opt_in_of_the_person_keeps_what_the_first_drops(store: Store) -> None:
    _ask(store, CLOCK)
    _ask(store, CLOCK, place="User:Ada/Other")

    _ask(store)

    assert _stored(store).state is DraftState.WAITING


def test_a_person_has_so_many_drafts_a_day(store: Store) -> None:
    third = NamedTopic("Moss", "User:Ada/Sidenote drafts/Moss")
    _ask(store, CLOCK, FLOOD, third)
    first, second = _begun(store), _begun(store)
    store.drafts.nothing(first, "no documents", hour(0))
    more = DraftOrder(WIKI, PLACE, "Ada", (CLOCK, FLOOD, third), revision=7)
    store.drafts.again(more, [first.task.page], hour(0))  # counts once more

    assert {first.task.topic, second.task.topic} == {"Clock", "Flood"}
    assert store.tasks.lease([TaskKind.DRAFT], "me", hour(0.1)) is None
    store.tasks.retry(second, hour(0.1), 60, "busy")
    assert _begun(store, at=0.2).task.topic == second.task.topic  # is begun already
    assert _begun(store, at=13).task.topic in {"Clock", "Moss"}  # the next day


def test_after_some_failures_the_person_is_told(store: Store) -> None:
    _ask(store, CLOCK)
    for at in range(ATTEMPTS):
        store.tasks.retry(_begun(store, at), hour(at), 60, "busy")

    assert store.tasks.lease([TaskKind.DRAFT], "me", hour(5)) is None

    draft = _stored(store)
    assert (draft.state, "2 times" in draft.note) == (DraftState.NOTHING, True)
    assert planned(store, hour(5)) == {(PlanKind.OPT_INS, PLACE)}


def test_a_draft_that_was_given_back_counts_as_not_begun(store: Store) -> None:
    _ask(store, CLOCK)
    for at in range(ATTEMPTS + 1):
        store.tasks.put_off(_begun(store, at), hour(at), 0.0)

    assert _stored(store).state is DraftState.WAITING


def test_why_there_is_nothing_is_kept_and_answered_once(store: Store) -> None:
    _ask(store, CLOCK)
    store.drafts.nothing(_begun(store), "no documents were found", hour(1))

    assert _stored(store).note == "no documents were found"
    assert planned(store, hour(1)) == {(PlanKind.OPT_INS, PLACE)}
    _ask(store, CLOCK, at=2)
    assert store.tasks.lease([TaskKind.DRAFT], "me", hour(3)) is None


@pytest.mark.parametrize(
    ("outcome", "state", "text"),
    [
        (Posted(77), DraftState.POSTED, ""),
        (Shown("a file"), DraftState.SHOWN, TEXT),
        (Refused(Refusal.SPAM, "listed"), DraftState.REFUSED, ""),
        (Refused(Refusal.GONE, "deleted"), DraftState.REFUSED, ""),
        (Refused(Refusal.CHANGED, "a page came to be"), DraftState.DRAFTED, TEXT),
        (NotNow("stopped", 5), DraftState.DRAFTED, TEXT),
    ],
)
def test_what_became_of_the_post_is_kept_with_the_draft(
    store: Store, outcome: Outcome, state: DraftState, text: str
) -> None:
    draft = _settled(store, outcome)

    assert (draft.state, draft.text) == (state, text)
    assert draft.revision_id == (77 if state is DraftState.POSTED else None)
    is_answered = (PlanKind.OPT_INS, PLACE) in planned(store, hour(9))
    assert is_answered == (state is not DraftState.DRAFTED)


def test_what_a_dry_run_showed_is_planned_when_the_opt_in_is_read_again(
    store: Store,
) -> None:
    _settled(store, Shown("a file"))
    planned(store, hour(3))

    _ask(store, CLOCK, at=4)

    assert planned(store, hour(4)) == {(PlanKind.DRAFT, CLOCK.page)}


def test_the_status_counts_states_and_reasons_without_names(store: Store) -> None:
    _ask(store, CLOCK, FLOOD)
    store.drafts.nothing(_begun(store), "no documents", hour(1))

    status = store.status(hour(2)).drafts

    assert status.states[DraftState.WAITING].total == 1
    assert status.why_none == (("no documents", 1),)
    assert "Ada" not in str(status)
