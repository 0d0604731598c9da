"""What is old is forgotten: not what readers decided, nor what anybody said of it."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

import pytest
from sqlalchemy import Engine, event, insert, select

from bot.records.accounts import (
    Judgement,
    JudgementKind,
    ReviewOutcome,
    StoredAnswer,
)
from bot.records.changes import Batch, DeadLetter, DeadReason, Gap
from bot.records.jobs import JobReason, PageJob
from bot.records.posts import (
    Append,
    Limits,
    Outcome,
    Post,
    Posted,
    PostRules,
    Refusal,
    Refused,
    ReplaceSection,
    Shown,
)
from bot.records.tasks import TaskKind, TaskState
from bot.records.watches import (
    PLANS,
    ActiveWatch,
    IntendedPost,
    NoteState,
    PlanKind,
    Rate,
    WatcherKind,
)
from bot.store import Store, SweepRules, open_store
from bot.store.schema import check_states, reader_sessions, sign_ins, suggestions
from tests import builders
from tests.bot.store.decided import ANNA, BEN, CARA, decision, known
from tests.bot.store.made_posts import make, post
from tests.bot.store.runs import (
    NOON,
    TITLE,
    WIKI,
    connected,
    count_of,
    day,
    hour,
    run,
    suggestion,
)

_RULES = SweepRules(batch=2)
_FEED = "https://stream.example.org/"


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    plenty = Limits(per_page=99, per_user=99)
    with open_store(url, post_rules=PostRules(usual=plenty)) as opened_store:
        yield opened_store


def test_an_empty_database_has_nothing_to_forget(store: Store) -> None:
    assert store.sweep(NOON, _RULES) == Counter()


def test_of_old_runs_the_newest_of_each_page_stays(store: Store, url: str) -> None:
    checks = [builders.claim_check()]
    for number in range(5):
        store.save_check(run(number + 1, hour(number), checks), [])
        store.save_check(run(1, hour(number), checks, "Another"), [])

    swept = store.sweep(day(31), _RULES)

    assert swept == Counter(checks=8, revisions=4, payers=2)
    for title, revision in ((TITLE, 5), ("Another", 1)):
        last = store.last_check(WIKI, title)
        assert last is not None
        assert (last.page.revision_id, last.checked_at) == (revision, hour(4))
        assert len(last.claims) == 1
    for table in ("checks", "claim_checks", "source_readings", "claim_readings"):
        assert count_of(url, table) == 2
    assert store.sweep(day(31), _RULES) == Counter()


def test_a_late_run_over_an_old_revision_is_not_the_newest(store: Store) -> None:
    store.save_check(run(2, hour(0)), [])
    store.save_check(run(1, hour(1)), [])

    assert store.sweep(day(31), _RULES)["checks"] == 1

    last = store.last_check(WIKI, TITLE)
    assert last is not None
    assert last.page.revision_id == 2


def test_runs_of_the_last_month_stay(store: Store, url: str) -> None:
    store.save_check(run(1, day(0)), [])
    store.save_check(run(2, day(2)), [])
    store.save_check(run(3, day(3)), [])

    assert store.sweep(day(31), _RULES)["checks"] == 1
    assert count_of(url, "checks") == 2


def test_a_suggestion_keeps_the_revision_in_which_it_was_found(
    store: Store,
) -> None:
    found = suggestion()
    store.save_check(run(1, hour(0)), [found])
    store.save_check(run(2, day(2)), [])

    swept = store.sweep(day(31), _RULES)

    assert (swept["checks"], swept["revisions"]) == (1, 0)
    [stored] = store.suggestions_of(WIKI, TITLE, with_closed=True)
    assert stored.suggestion.page.revision_id == 1


def _name(number: int) -> str:
    return sha256(f"{number}".encode()).hexdigest()


def _posted(store: Store, number: int, at: datetime, **changes: Any) -> None:
    _settled(store, number, at, Posted(number), **changes)


def _settled(
    store: Store, number: int, at: datetime, outcome: Outcome, **changes: Any
) -> None:
    name = _name(number)
    post = Post(name, WIKI, f"Page {number}", "report", Append("x"), "s", at, "Ada")
    store.outbox.ask(replace(post, **{"adds": (name,), **changes}))
    attempt = store.outbox.begin(at)
    assert attempt is not None
    store.outbox.settle(attempt, outcome, at)


def _watched(store: Store, place: str, report: str | None = None) -> None:
    watch = ActiveWatch(
        WIKI, place, WatcherKind.USER, "Ada", ("Article",), report=report, most=Rate(1)
    )
    store.watches.keep(watch, [], NOON)


def _stored(store: Store) -> set[str]:
    return {each.post.name for each in store.outbox.posts()}


def _names(*numbers: int) -> set[str]:
    return {_name(number) for number in numbers}


def test_names_of_people_are_forgotten_after_a_month(store: Store) -> None:
    for number in range(3):
        _posted(store, number, NOON)
        _watched(store, f"User:Ada/{number}", f"Page {number}")
    _posted(store, 3, day(20))
    waiting = Post("f" * 64, WIKI, "Page", "report", Append("x"), "s", NOON, "Ada")
    store.outbox.ask(waiting)

    swept = store.sweep(day(31), _RULES)

    assert (swept["names"], swept["post_counts"]) == (6, 6)
    users = {one.post.title: one.post.user for one in store.outbox.posts()}
    assert users == {
        "Page 0": "",
        "Page 1": "",
        "Page 2": "",
        "Page 3": "Ada",
        "Page": "Ada",
    }
    assert store.shown_notes.shown_since(WIKI, since=NOON, watcher="Ada") == 1
    assert store.shown_notes.shown_since(WIKI, since=NOON) == 4


def test_of_posts_to_people_the_last_stays_while_they_ask_for_it(store: Store) -> None:
    opt_in, report, gone = "User:Ada/Watch", "User:Ada/Report", "User:Bob/Report"
    _watched(store, opt_in, report)
    for number in range(3):
        at = hour(number)
        _posted(store, 10 + number, at, title=opt_in, task="opt-in", adds=())
        _posted(store, 20 + number, at, title=report)
        _posted(store, 30 + number, at, title=gone)
        _posted(store, 40 + number, at, title=f"{gone} {number}", task="opt-in")
    _settled(store, 23, hour(3), Refused(Refusal.FILTER, "no"), title=report)
    _posted(store, 33, day(20), title=gone)

    swept = store.sweep(day(31), _RULES)

    assert _stored(store) == _names(12, 22, 33)
    assert swept["posts"] == 11
    assert {one.identity for one in store.shown_notes.on(WIKI, report)} == _names(
        20, 21, 22
    )
    assert {one.identity for one in store.shown_notes.on(WIKI, gone)} == _names(33)
    assert swept["told_notes"] == 6
    store.watches.end(WIKI, opt_in, day(31))
    swept = store.sweep(day(51), _RULES)
    assert (swept["posts"], swept["told_notes"]) == (3, 4)
    assert store.outbox.posts() == ()


def test_the_last_of_a_dry_run_stays_until_a_later_post_is_live(store: Store) -> None:
    _watched(store, "User:Ada/Watch", "A")
    _watched(store, "User:Bob/Watch", "B")
    for number, at in ((1, hour(0)), (3, hour(2))):
        _settled(store, number, at, Shown("a file"), title="A")
        _settled(store, 10 + number, at, Shown("a file"), title="B")
    _posted(store, 2, hour(1), title="A")
    _posted(store, 14, hour(3), title="B")

    assert store.sweep(day(31), _RULES)["posts"] == 3

    assert _stored(store) == _names(2, 3, 14)


def test_of_the_page_of_a_dry_run_only_the_last_text_stays(store: Store) -> None:
    page = {"title": "User:Ada/Dry run", "task": "dry-run", "adds": ()}
    for number in range(3):
        _posted(store, number, hour(number), **page)
    _settled(store, 3, hour(3), Refused(Refusal.FILTER, "no"), **page)

    assert store.sweep(hour(3), _RULES)["posts"] == 2
    assert _stored(store) == _names(2, 3)
    assert store.sweep(day(31), _RULES)["posts"] == 2
    assert _stored(store) == set()


def test_which_notes_were_posted_to_a_talk_page_is_never_forgotten(
    store: Store,
) -> None:
    talk = {"title": "Talk:Article", "task": "talk"}
    section = ReplaceSection(1, "was", "is")
    _settled(store, 1, hour(0), Shown("a file"), **talk)
    _posted(store, 2, hour(1), **talk, change=section)
    _posted(store, 3, hour(2), **talk, adds=(), settles=(_name(2)[:24],))
    _posted(store, 4, hour(3), **talk, adds=())
    _posted(store, 5, hour(4), **talk)
    _settled(store, 6, hour(5), Refused(Refusal.FILTER, "no"), **talk)

    swept = store.sweep(day(31), _RULES)

    assert (swept["posts"], swept["texts"], swept["told_notes"]) == (2, 3, 0)
    stored = {each.post.name: each.post for each in store.outbox.posts()}
    assert stored.keys() == _names(1, 2, 3, 5)
    assert stored[_name(2)].change == ReplaceSection(1, "", "")
    assert stored[_name(2)].adds == (_name(2),)
    assert stored[_name(3)].settles == (_name(2)[:24],)
    assert stored[_name(5)].change == Append("x")
    assert {
        one.identity for one in store.shown_notes.on(WIKI, "Talk:Article")
    } == _names(1, 2, 5)
    assert store.shown_notes.shown_since(WIKI, since=NOON, watcher="Ada") == 0
    assert store.sweep(day(31), _RULES) == Counter()


def test_what_feeds_left_behind_is_forgotten(store: Store) -> None:
    letter = DeadLetter(DeadReason.BAD_JSON, "line 1", b"{", 1)
    gaps = (Gap(hour(-3), hour(-2)), Gap(hour(-1), None))
    store.feeds.keep(
        _FEED, Batch(NOON, None, dead_letters=(letter,) * 3, gaps=gaps), []
    )
    store.feeds.keep(_FEED, Batch(day(9), None, dead_letters=(letter,)), [])
    (first, _), (_, second) = store.feeds.open_gaps(_FEED)
    store.feeds.fill_gap(first, NOON)

    swept = store.sweep(day(31), _RULES)

    assert swept == Counter(dead_letters=3, holes=1)
    assert len(store.feeds.dead_letters()) == 1
    assert [one for _, one in store.feeds.open_gaps(_FEED)] == [second]


def test_plans_that_are_done_are_forgotten_and_their_tokens_never_come_again(
    store: Store,
) -> None:
    intended_posts = [
        IntendedPost(PlanKind.TALK, WIKI, f"Page {one}", NOON) for one in range(4)
    ]
    store.plans.ask(intended_posts, NOON)
    tokens = set()
    for _ in range(3):
        plan = store.tasks.lease(PLANS, "me", NOON)
        assert plan is not None
        store.plans.finish(plan, [], NOON)
        tokens.add(plan.token)

    assert store.sweep(day(31), _RULES) == Counter(plans=3)

    assert store.plans.state().waiting[PlanKind.TALK] == 1
    store.plans.ask(intended_posts, day(31))
    while plan := store.tasks.lease(PLANS, "me", day(31)):
        assert plan.token not in tokens or plan.task.subject == "Page 3"


def test_pages_that_nobody_watches_any_longer_leave_the_queue(store: Store) -> None:
    watch = ActiveWatch(
        WIKI, "User:Ada", WatcherKind.USER, "Ada", ("Watched",), most=Rate(1)
    )
    store.watches.keep(watch, [], NOON)
    titles = ["Watched", "A", "B", "C"]
    store.jobs.put(
        [PageJob(WIKI, title, JobReason.ASKED, NOON, NOON) for title in titles]
    )
    while lease := store.tasks.lease([TaskKind.CHECK], "worker", NOON):
        store.finish_check(lease, NOON)
    store.jobs.put([PageJob(WIKI, "C", JobReason.ASKED, day(1), day(1))])

    assert store.sweep(day(30), _RULES)["jobs"] == 0
    assert store.sweep(day(31), _RULES)["jobs"] == 2

    counts = store.jobs.state().counts
    assert (counts[TaskState.IDLE], counts[TaskState.WAITING]) == (1, 1)


_CHECKS = [builders.claim_check()]


def _swept(store: Store, days: float, closed_days: float = 30.0) -> int:
    rules = SweepRules(closed_days=closed_days, batch=2)
    return store.sweep(day(days), rules)["suggestions"]


def _identities(url: str) -> set[str]:
    with connected(url) as connection:
        return set(connection.scalars(select(suggestions.c.identity)))


def test_closed_ones_of_all_pages_go_after_a_month_in_small_transactions(
    store: Store, url: str
) -> None:
    for title in (TITLE, "Another"):
        found = [suggestion(n, identity=f"{title} {n}") for n in "abcde"]
        store.save_check(run(1, NOON, _CHECKS, title), found)
        store.save_check(run(2, day(1), _CHECKS, title), found[3:])
        store.save_check(run(3, day(2), _CHECKS, title), found[4:])

    assert _swept(store, 30.9) == 0
    assert _swept(store, 31.5) == 6
    assert _identities(url) == {
        f"{title} {n}" for title in (TITLE, "Another") for n in "de"
    }
    assert _swept(store, 31.6, closed_days=29) == 2
    assert _swept(store, 400) == 0, "what stands open stays"


def test_one_that_is_found_again_is_new_and_open(store: Store) -> None:
    found = [suggestion()]
    store.save_check(run(1, NOON, _CHECKS), found)
    store.save_check(run(2, hour(1), _CHECKS), [])
    assert _swept(store, 31) == 1

    store.save_check(run(3, day(32), _CHECKS), found)

    [stored] = store.suggestions_of(WIKI, TITLE)
    assert stored.first_seen == day(32)


def test_what_people_said_of_it_stays(store: Store) -> None:
    [one] = known(store, "It rained.")
    intended_post = post("tells it", [one])
    make(store, intended_post)
    store.shown_notes.dismiss(WIKI, intended_post.title, [one], hour(1))
    for reader in (ANNA, BEN):
        store.decisions.decide(reader, decision(one))
    before = store.status(hour(2)).findings.notes, store.decisions.tallies(NOON)
    store.save_check(run(11, hour(3), _CHECKS), [])

    assert _swept(store, 31) == 1

    assert store.suggestions_of(WIKI, TITLE, with_closed=True) == ()
    assert [each.state for each in store.shown_notes.on(WIKI, intended_post.title)] == [
        NoteState.DISMISSED
    ]
    assert store.decisions.closed(WIKI, [one]) == {one}
    assert (
        store.status(hour(2)).findings.notes,
        store.decisions.tallies(NOON),
    ) == before


def test_an_update_stays_that_was_shown_to_or_decided_on_by_anybody(
    store: Store, url: str
) -> None:
    notified, decided, neither, citation = known(store, *"abcd")
    make(store, post("tells both", [notified, citation]))
    store.decisions.decide(ANNA, decision(decided))
    with connected(url) as connection:
        is_update = suggestions.c.identity != citation
        connection.execute(
            suggestions.update().where(is_update).values(update_kind="NEW_FACT")
        )
        connection.execute(suggestions.update().values(closed_at=hour(2)))

    assert _swept(store, 31) == 2
    assert _identities(url) == {notified, decided}, neither


def test_rows_are_named_page_by_page_and_not_by_pairs(store: Store) -> None:
    """MariaDB takes a second to think about a list of 500 pairs, and 10 ms about this."""
    statements: list[str] = []

    def hear(_made: object, _cursor: object, statement: str, *_: object) -> None:
        statements.append(statement)

    found = [suggestion(n, identity=n) for n in "ab"]
    store.save_check(run(1, NOON, _CHECKS), found)
    store.save_check(run(2, hour(1), _CHECKS), [])
    event.listen(Engine, "before_cursor_execute", hear)
    try:
        assert _swept(store, 31) == 2
    finally:
        event.remove(Engine, "before_cursor_execute", hear)

    [one] = [each for each in statements if each.startswith("DELETE FROM suggestions")]
    assert "suggestions.page = " in one
    assert "suggestions.identity IN (" in one


def _fill(url: str, *rows: tuple[Any, dict[str, Any]]) -> None:
    with connected(url) as connection:
        for table, values in rows:
            connection.execute(insert(table).values(**values))


def _left(url: str, column: Any) -> list[str]:
    with connected(url) as connection:
        return sorted(connection.scalars(select(column)))


def _session(name: str, expires_at: datetime) -> dict[str, Any]:
    return {
        "token_sha256": name * 64,
        "wiki": WIKI,
        "subject": "7",
        "user": "Anna",
        "created_at": NOON,
        "expires_at": expires_at,
    }


def _sign_in(name: str, expires_at: datetime) -> dict[str, Any]:
    return {
        "state": name * 64,
        "wiki": WIKI,
        "way": "oauth",
        "secret_sha256": "0" * 64,
        "begun_at": NOON,
        "expires_at": expires_at,
    }


def _state(title: str, changed_at: datetime) -> dict[str, Any]:
    counts = dict.fromkeys(("sources", "sources_read", "claims", "claims_checked"), 0)
    return {
        "wiki": WIKI,
        "title": title,
        "asked_at": NOON,
        "changed_at": changed_at,
        **counts,
    }


def _readers(store: Store) -> float:
    [tally] = store.decisions.tallies(NOON)
    return tally.readers


def test_a_forgotten_reader_still_has_one_voice_and_no_more(store: Store) -> None:
    names = known(store, *(str(number) for number in range(20)))
    for identity in names:
        store.decisions.decide(ANNA, decision(identity, decided_at=day(0)))
    store.decisions.decide(BEN, decision(names[0], decided_at=day(0)))
    store.decisions.decide(BEN, decision(names[1], decided_at=day(20)))
    assert _readers(store) == pytest.approx(2)

    assert store.sweep(day(31), replace(_RULES, batch=3))["readers"] == 21
    [tally] = store.decisions.tallies(NOON)
    assert len(tally.wrong) == 20
    assert tally.readers == pytest.approx(2)

    store.sweep(day(51), _RULES)
    assert _readers(store) == pytest.approx(2)
    store.decisions.decide(ANNA, decision(names[0], decided_at=day(52)))
    assert _readers(store) == pytest.approx(3), "nobody can tell that she is the same"


def test_keys_of_readers_go_after_a_month_and_what_they_closed_stays_closed(
    store: Store,
) -> None:
    one, other = known(store, "One.", "Other.")
    for reader in (ANNA, BEN):
        store.decisions.decide(reader, decision(one, decided_at=day(0)))
    store.decisions.decide(ANNA, decision(other, decided_at=day(0)))
    young = store.decisions.decide(CARA, decision(other, decided_at=day(20)))
    review = Judgement(
        JudgementKind.REVIEW,
        WIKI,
        TITLE,
        one,
        builders.ENGINE,
        NOON,
        outcome=ReviewOutcome.REJECT,
    )
    store.judgements.add(ANNA, review)
    before = store.decisions.tallies(NOON)

    assert store.sweep(day(29), _RULES)["readers"] == 0
    assert store.sweep(day(31), _RULES)["readers"] == 4

    assert [key for key, _ in store.decisions.all()] == [None, None, None, CARA]
    assert list(store.judgements.all(JudgementKind.REVIEW)) == [(None, review)]
    assert store.decisions.closed(WIKI) == {one, other}
    assert store.decisions.tallies(NOON) == before
    assert store.decisions.of_reader(ANNA, WIKI, [one]) == {}
    store.decisions.undo(CARA, young.number, day(32))
    assert store.decisions.closed(WIKI) == {one}
    assert store.sweep(day(33), _RULES)["readers"] == 0


def test_who_refuses_again_after_a_month_is_no_second_reader(store: Store) -> None:
    [one] = known(store, "One.")
    store.decisions.decide(ANNA, decision(one, decided_at=day(0)))
    store.sweep(day(31), _RULES)

    store.decisions.decide(ANNA, decision(one, decided_at=day(32)))

    assert store.decisions.closed(WIKI) == frozenset()


def test_what_has_run_out_is_forgotten(store: Store, url: str) -> None:
    _fill(
        url,
        *((reader_sessions, _session(name, day(1))) for name in "abc"),
        (reader_sessions, _session("d", day(40))),
        (sign_ins, _sign_in("a", NOON + timedelta(minutes=10))),
        (sign_ins, _sign_in("b", day(40))),
        *((check_states, _state(title, day(1))) for title in "ABC"),
        (check_states, _state("D", day(20))),
    )
    for name, number in (("a", 29), ("b", 31)):
        store.answers.keep(StoredAnswer(name * 64, "0" * 64, 201, "{}", day(number)))

    swept = store.sweep(day(31.5), _RULES)

    assert [swept[what] for what in ("readers", "sessions", "answers", "looks")] == [
        0,
        4,
        1,
        3,
    ]
    assert _left(url, reader_sessions.c.token_sha256) == ["d" * 64]
    assert _left(url, sign_ins.c.state) == ["b" * 64]
    assert _left(url, check_states.c.title) == ["D"]
    assert store.answers.get("a" * 64) is None
    assert store.answers.get("b" * 64) is not None
