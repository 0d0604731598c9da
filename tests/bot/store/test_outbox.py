"""The outbox: a post is kept before it is tried, counted, and settled once."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from bot.records.posts import (
    Append,
    Attempt,
    AttemptLost,
    Limits,
    NotesPosted,
    NotNow,
    Outcome,
    Parked,
    Post,
    Posted,
    PostRules,
    PostState,
    Refusal,
    Refused,
    ReplaceSection,
    ReplaceStretch,
    RequestOutcome,
    Shown,
    Unclear,
)
from bot.records.watches import PlanKind
from bot.store import Store, open_store
from handlers.ports import PermanentError
from tests.bot.store.made_posts import make, numbered, post
from tests.bot.store.runs import TITLE, WIKI, after, hour, start

_NOW = hour(0)  # noon
_RULES = PostRules(
    usual=Limits(per_page=2, per_user=3, per_wiki=4, in_all=5),
    limits={"report": Limits(per_page=50, per_user=50, per_wiki=50, in_all=50)},
    lease_s=300,
    most_tries=3,
)


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with open_store(url, post_rules=_RULES) as opened_store:
        yield opened_store


def _begun(store: Store, at: datetime = _NOW) -> Attempt:
    attempt = store.outbox.begin(at)
    assert attempt is not None
    return attempt


def _state(store: Store, post: Post) -> PostState:
    [intended_post] = [
        one for one in store.outbox.posts() if one.post.name == post.name
    ]
    return intended_post.state


@pytest.mark.parametrize(
    "change",
    [
        Append("\n\n== Größe 🕰 ==\n"),
        ReplaceSection(3, "== A ==\nold", "== A ==\nnew\n"),
        ReplaceStretch("<!-- a -->old", ""),
    ],
    ids=["append", "section", "stretch"],
)
def test_a_post_comes_out_as_it_was_put_in(
    store: Store, change: Append | ReplaceSection | ReplaceStretch
) -> None:
    post = numbered(change=change, user="Ada Penrose")

    assert store.outbox.ask(post) is RequestOutcome.KEPT

    attempt = _begun(store)
    assert attempt.post == post
    assert (attempt.token, attempt.tries, attempt.until) == (1, 1, after(300))
    assert attempt.first_tried_at is None
    assert _state(store, post) is PostState.TRIED


def test_a_post_is_asked_for_once(store: Store) -> None:
    assert store.outbox.ask(numbered()) is RequestOutcome.KEPT
    assert store.outbox.ask(numbered(change=Append("other"))) is RequestOutcome.KNOWN

    assert _begun(store).post == numbered()
    assert store.outbox.begin(_NOW) is None


def test_a_newer_plan_takes_the_place_of_one_that_waits(store: Store) -> None:
    old, new = numbered(1), numbered(2, title="Talk:Page 1")
    store.outbox.ask(old)

    assert store.outbox.ask(new) is RequestOutcome.KEPT

    assert _begun(store).post == new
    assert store.outbox.begin(_NOW) is None
    assert _state(store, old) is PostState.DROPPED


def test_nothing_new_is_asked_while_it_is_unknown_what_stands_there(
    store: Store,
) -> None:
    new = numbered(2, title="Talk:Page 1")
    store.outbox.ask(numbered(1))
    attempt = _begun(store)
    assert store.outbox.ask(new) is RequestOutcome.BUSY

    store.outbox.settle(attempt, Posted(77), after(1))

    assert store.outbox.ask(replace(new, asked_at=after(1))) is RequestOutcome.KEPT


def test_what_was_planned_before_another_post_was_made_is_planned_again(
    store: Store,
) -> None:
    store.outbox.ask(numbered(1))
    store.outbox.settle(_begun(store), Posted(77), after(2))
    blind = numbered(2, title="Talk:Page 1", asked_at=after(1), plan=PlanKind.TALK)
    bound = replace(blind, name="3" * 64, change=ReplaceStretch("old", "new"))

    assert store.outbox.ask(blind) is RequestOutcome.BUSY
    assert store.outbox.ask(bound) is RequestOutcome.KEPT, (
        "it takes only where the old stands"
    )


def test_what_was_posted_is_never_tried_again(store: Store) -> None:
    store.outbox.ask(numbered())
    attempt = _begun(store)

    store.outbox.settle(attempt, Posted(77), after(1))
    store.outbox.settle(attempt, Posted(77), after(2))

    assert store.outbox.begin(after(10_000)) is None
    [intended_post] = store.outbox.posts(state=PostState.POSTED)
    assert (intended_post.revision_id, intended_post.changed_at) == (77, after(1))


def test_a_crash_leaves_a_post_that_was_perhaps_made(store: Store) -> None:
    store.outbox.ask(numbered())
    _begun(store)

    assert store.outbox.begin(after(299)) is None
    again = _begun(store, after(300))

    assert (again.tries, again.token, again.first_tried_at) == (2, 2, _NOW)


def test_a_certain_failure_leaves_no_doubt_and_an_unclear_one_does(
    store: Store,
) -> None:
    store.outbox.ask(numbered())
    store.outbox.settle(_begun(store), NotNow("busy", 5), _NOW, in_s=5)
    certain = _begun(store, after(5))
    assert certain.first_tried_at is None

    store.outbox.settle(certain, Unclear("no answer"), after(5), in_s=5)
    assert _state(store, numbered()) is PostState.TRIED
    unclear = _begun(store, after(10))
    assert unclear.first_tried_at == after(5)

    store.outbox.settle(unclear, NotNow("busy", 5), after(10), in_s=5)
    again = _begun(store, after(15))
    assert again.first_tried_at == after(5)  # the unclear try may still arrive

    store.outbox.settle(again, Refused(Refusal.SPAM, "x"), after(20))
    assert _state(store, numbered()) is PostState.REFUSED


def test_waiting_costs_no_try_and_age_does(store: Store) -> None:
    store.outbox.ask(numbered(plan=PlanKind.TALK, subject="Page 1"))
    for number in range(0, 24 * 7, 6):
        attempt = _begun(store, hour(number))
        store.outbox.settle(attempt, NotNow("stopped", 9), hour(number), in_s=6 * 3600)

    assert store.outbox.begin(hour(24 * 7 + 1)) is None
    [intended_post] = store.outbox.posts(state=PostState.REFUSED)
    assert (intended_post.refusal, intended_post.note) == (Refusal.GIVEN_UP, "stopped")
    assert store.plans.state().waiting[PlanKind.TALK] == 1  # what still holds, anew


def test_a_try_that_was_thought_dead_settles_nothing(store: Store) -> None:
    store.outbox.ask(numbered())
    dead = _begun(store)
    living = _begun(store, after(300))

    with pytest.raises(AttemptLost):
        store.outbox.settle(dead, Refused(Refusal.SPAM, "late"), after(301))
    store.outbox.settle(living, Posted(77), after(302))

    assert _state(store, numbered()) is PostState.POSTED


def test_a_post_that_kills_its_publisher_is_parked_and_tried_once_a_day(
    store: Store,
) -> None:
    """It may have been made: to give it up would let the same be posted anew."""
    store.outbox.ask(numbered())
    for number in range(3):
        _begun(store, after(300 * number))

    assert store.outbox.begin(after(900)) is None
    [intended_post] = store.outbox.posts(state=PostState.TRIED)
    assert intended_post.is_parked
    assert intended_post.refusal is Refusal.UNCLEAR
    assert "check the page" in intended_post.note
    assert store.outbox.ask(numbered(2, title="Talk:Page 1")) is RequestOutcome.BUSY
    for day in (1, 2, 3):  # it kills its publisher again and again
        assert store.outbox.begin(after(day * 86_400 + 899)) is None
        assert _begun(store, after(day * 86_400 + 900)).first_tried_at == _NOW
        assert store.outbox.begin(after(day * 86_400 + 1300)) is None


def test_what_is_parked_stays_so_until_it_is_known_what_became_of_it(
    store: Store,
) -> None:
    store.outbox.ask(numbered())
    parked = Parked("no-such-code", Refusal.UNKNOWN)
    store.outbox.settle(_begun(store), parked, _NOW, in_s=86_400)
    [intended_post] = store.outbox.posts()
    assert (intended_post.is_parked, intended_post.refusal) == (True, Refusal.UNKNOWN)
    assert store.outbox.begin(hour(23)) is None

    store.outbox.settle(_begun(store, hour(24)), Unclear("lost"), hour(24), in_s=5)
    [intended_post] = store.outbox.posts()
    assert (intended_post.is_parked, intended_post.due_at) == (True, hour(48))

    store.outbox.settle(_begun(store, hour(48)), Posted(7), hour(48))
    [intended_post] = store.outbox.posts()
    assert (intended_post.state, intended_post.refusal) == (PostState.POSTED, None)


@pytest.mark.parametrize("hours", [2, -2])
def test_the_wiki_says_when_a_try_was_sent(store: Store, hours: int) -> None:
    """Our clock may be ahead or behind; what happened since is looked for by theirs."""
    theirs = hour(-hours)
    store.outbox.ask(numbered())
    attempt = _begun(store)
    store.outbox.sending(attempt, theirs, 7)
    store.outbox.settle(attempt, Unclear("lost"), _NOW, in_s=5)

    again = _begun(store, after(5))
    assert again.first_tried_at == theirs
    assert again.first_base == 7
    store.outbox.sending(again, hour(-hours + 1), 9)
    store.outbox.settle(again, Unclear("lost"), after(5), in_s=5)
    assert _begun(store, after(10)).first_tried_at == theirs


def test_nobody_sends_what_another_process_has_taken_up(store: Store) -> None:
    store.outbox.ask(numbered())
    dead = _begun(store)
    living = _begun(store, after(300))

    with pytest.raises(AttemptLost):
        store.outbox.sending(dead, _NOW, 0)

    store.outbox.sending(living, _NOW, 0)
    store.outbox.settle(living, Posted(77), after(302))
    with pytest.raises(AttemptLost):
        store.outbox.sending(living, _NOW, 0)


def test_what_was_tried_goes_before_what_was_not(store: Store) -> None:
    store.outbox.ask(numbered(1))
    store.outbox.settle(_begun(store), Unclear("no answer"), _NOW, in_s=9)
    store.outbox.ask(numbered(2))

    assert _begun(store, after(9)).post == numbered(1)


def test_a_dry_run_settles_a_post_and_counts_for_nothing(store: Store) -> None:
    for number in range(1, 9):
        store.outbox.ask(numbered(number))
        shown = Shown("/pages/x", "the stop page is missing")
        store.outbox.settle(_begun(store), shown, _NOW)

    [last] = store.outbox.posts(limit=1)
    assert last.state is PostState.SHOWN
    assert "stop page is missing" in last.note


def test_a_note_of_a_dry_run_is_only_that_until_it_is_posted(store: Store) -> None:
    posts = (
        (["a", "b"], [], Shown("/pages/x", "")),
        (["a"], [], Posted(1)),
        ([], ["a"], Posted(2)),
        ([], ["c"], Shown("/pages/x", "")),
        (["d"], ["d"], Refused(Refusal.FILTER, "")),
    )
    for number, (adds, settles, outcome) in enumerate(posts):
        report = post(f"{number}", adds, settles, task="report")
        make(store, report, outcome, after(number))
    make(store, post("of another task", ["b"], ["e"], plan=None), at=after(9))

    title = f"Talk:{TITLE}"

    assert store.outbox.notes_posted(WIKI, title, "report") == NotesPosted(
        settled=frozenset({"a"}), seen_dry=frozenset({"b"})
    )


def test_a_post_that_waits_can_be_withdrawn_and_one_that_was_tried_cannot(
    store: Store,
) -> None:
    store.outbox.ask(numbered(1))
    assert store.outbox.withdraw(numbered(1).name, _NOW, why="the sentence was fixed")
    assert not store.outbox.withdraw(numbered(1).name, _NOW, why="again")
    store.outbox.ask(numbered(2))
    _begun(store)

    assert not store.outbox.withdraw(numbered(2).name, _NOW, why="too late")


@pytest.mark.parametrize(
    ("limit", "changes"),
    [
        (2, {"title": "Talk:One page"}),
        (3, {"user": "Ada Penrose"}),
        (4, {}),
    ],
    ids=["page", "user", "wiki"],
)
def test_limits_hold_back_until_the_next_day(
    store: Store, limit: int, changes: dict[str, str]
) -> None:
    for number in range(limit):
        store.outbox.ask(numbered(number, **changes))
        store.outbox.settle(_begun(store), Posted(number + 1), _NOW)
    store.outbox.ask(numbered(99, **changes))

    assert store.outbox.begin(hour(11.99)) is None
    [intended_post] = store.outbox.posts(state=PostState.WAITING)
    assert "limit" in intended_post.note
    assert intended_post.due_at == hour(12) - timedelta(microseconds=250_000)
    assert _begun(store, hour(12)).post.name == numbered(99).name


def test_the_limit_over_all_wikis_holds(store: Store) -> None:
    for number in range(6):
        store.outbox.ask(numbered(number, wiki=f"{number}.wiki.example"))

    for number in range(5):
        store.outbox.settle(_begun(store), Posted(number + 1), _NOW)

    assert store.outbox.begin(_NOW) is None


def test_each_task_has_limits_of_its_own(store: Store) -> None:
    for number in range(20):
        store.outbox.ask(numbered(number, task="report"))
        store.outbox.settle(_begun(store), Posted(number + 1), _NOW)

    assert store.outbox.counts()[PostState.POSTED] == 20


def test_a_place_is_given_back_only_when_nothing_was_made(store: Store) -> None:
    title = "Talk:One page"
    outcomes: list[Outcome] = [
        Refused(Refusal.SPAM, "x"),
        NotNow("busy", 1),
        Unclear("?"),
        Posted(9),
    ]
    for number, outcome in enumerate(outcomes):
        store.outbox.ask(numbered(number, title=title, task="talk"))
        attempt = _begun(store)
        store.outbox.settle(attempt, outcome, _NOW, in_s=100)
        if isinstance(outcome, Unclear):
            store.outbox.settle(_begun(store, after(100)), Posted(8), _NOW)
    store.outbox.ask(numbered(50, title=title))

    assert store.outbox.begin(after(200)) is None  # two were made, or may have been


def test_a_crash_does_not_free_a_place(store: Store) -> None:
    title = "Talk:One page"
    for number in range(2):
        store.outbox.ask(numbered(number, title=title))
        attempt = _begun(store)
        if number == 0:
            store.outbox.settle(attempt, Posted(1), _NOW)
    again = _begun(store, after(300))
    store.outbox.settle(again, Posted(2), after(301))
    store.outbox.ask(numbered(9, title=title))

    assert store.outbox.begin(after(302)) is None


@pytest.mark.parametrize(
    "text", ["a\0b", "half \ud800", "x" * 1_000_001], ids=["nul", "half", "long"]
)
def test_a_text_that_cannot_be_kept_as_it_is_is_refused(
    store: Store, text: str
) -> None:
    with pytest.raises(PermanentError, match="cannot be posted"):
        store.outbox.ask(numbered(change=Append(text)))

    assert store.outbox.begin(_NOW) is None


def _begin_and_post(url: str) -> None:
    with open_store(url, post_rules=_RULES) as opened_store:
        while attempt := opened_store.outbox.begin(_NOW):
            opened_store.outbox.settle(
                attempt, Posted(int(attempt.post.name[:8], 16)), _NOW
            )


def test_processes_that_post_at_once_keep_to_the_limits(store: Store, url: str) -> None:
    for number in range(12):
        store.outbox.ask(numbered(number, user="Ada Penrose"))

    processes = [start(_begin_and_post, url) for _ in range(5)]
    for process in processes:
        process.join(60)

    assert [process.exitcode for process in processes] == [0] * 5
    counts = store.outbox.counts()
    assert (counts[PostState.POSTED], counts[PostState.WAITING]) == (3, 9)


def test_processes_never_try_one_post_at_once(store: Store, url: str) -> None:
    for number in range(40):
        store.outbox.ask(numbered(number, task="report"))

    processes = [start(_begin_and_post, url) for _ in range(5)]
    for process in processes:
        process.join(60)

    posts = store.outbox.posts()
    assert [one.state for one in posts] == [PostState.POSTED] * 40
    assert [one.tries for one in posts] == [1] * 40


def test_what_waits_is_counted_before_it_has_a_place_of_the_day(store: Store) -> None:
    others = (numbered(8, wiki="other.example"), numbered(9, task="report"))
    for each in (numbered(1), numbered(2), numbered(3), *others):
        store.outbox.ask(each)
    attempt = _begun(store)
    store.outbox.settle(attempt, Posted(7), _NOW)
    assert store.outbox.taken(WIKI, "talk", _NOW) == 3

    store.outbox.settle(_begun(store), Refused(Refusal.SPAM, "no"), _NOW)

    assert store.outbox.taken(WIKI, "talk", _NOW) == 2
    assert store.outbox.taken(WIKI, "talk", hour(24)) == 1
