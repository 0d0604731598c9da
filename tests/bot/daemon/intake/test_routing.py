"""What a change asks for beside looks at pages: opt-ins, reports, talk pages."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from bot.daemon.intake.harvest import ChangeSelection, EventFilter
from bot.daemon.intake.queue import (
    ActiveWatches,
    QueueSink,
    Router,
    RouteRules,
    WatchedPages,
    watched_pages,
)
from bot.records.changes import Batch, Change, ChangeKind, UserKind
from bot.records.tasks import TaskKind
from bot.records.watches import (
    ActiveWatch,
    IntendedPost,
    PlanKind,
    Surface,
    WatcherKind,
)
from bot.store import Store
from tests.bot.daemon.intake.world import WIKI

_NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
_RULES = RouteRules(frozenset({WIKI}), "SidenoteBot", "MediaWiki:Sidenote.json")
_WATCH = ActiveWatch(
    WIKI,
    "User:Ada/Watch",
    WatcherKind.USER,
    "Ada",
    ("Clock", "Draft:Sundial"),
    surfaces=(Surface.REPORT, Surface.TALK),
    report="User:Ada/Sidenote report",
)
_STANDING = watched_pages({(WIKI, "Clock"): 600.0}, [_WATCH])


def _change(title: str, namespace: int, **changes: object) -> Change:
    default = Change(
        kind=ChangeKind.EDIT,
        wiki=WIKI,
        title=title,
        namespace=namespace,
        changed_at=_NOW,
        user=UserKind.REGISTERED,
        event_id="event-1",
        revision_id=12,
    )
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


def _tasks_of(
    *changes: Change, watches: WatchedPages = _STANDING
) -> set[tuple[str, str]]:
    intended_posts = Router(_RULES).intended_posts(changes, watches, _NOW)
    return {
        (intended_post.kind.name, intended_post.subject)
        for intended_post in intended_posts
    }


def test_an_edit_of_a_report_by_a_person_plans_it_again() -> None:
    change = _change("User:Ada/Sidenote report", 2)

    assert ("REPORT", "User:Ada/Watch") in _tasks_of(change)


@pytest.mark.parametrize(
    ("title", "namespace", "article"),
    [("Talk:Clock", 1, "Clock"), ("Draft talk:Sundial", 119, "Draft:Sundial")],
)
def test_a_reply_on_a_talk_page_plans_it_again(
    title: str, namespace: int, article: str
) -> None:
    assert ("TALK", article) in _tasks_of(_change(title, namespace))


def test_talk_about_what_nobody_asked_for_on_talk_pages_is_passed_over() -> None:
    quiet = watched_pages({}, [replace(_WATCH, surfaces=(Surface.REPORT,))])

    assert _tasks_of(_change("Talk:Clock", 1), watches=quiet) == {("OPT_INS", "")}


def test_an_edit_of_a_place_plans_that_opt_in_and_lists_nothing() -> None:
    [intended_post] = Router(_RULES).intended_posts(
        [_change("User:Ada/Watch", 2)], _STANDING, _NOW
    )

    due = _NOW + timedelta(seconds=5)
    assert intended_post == IntendedPost(PlanKind.OPT_INS, WIKI, "User:Ada/Watch", due)


def test_a_place_that_goes_is_planned_and_where_it_went_is_found() -> None:
    moved = _change("User:Ada/Watch", 2, kind=ChangeKind.MOVE, moved_to="User:Ada/W")
    deleted = _change("User:Ada/Watch", 2, kind=ChangeKind.DELETE)

    assert _tasks_of(moved) == {("OPT_INS", "User:Ada/Watch"), ("OPT_INS", "")}
    assert _tasks_of(deleted) == {("OPT_INS", "User:Ada/Watch")}


@pytest.mark.parametrize(
    "change",
    [
        _change("User:Bo/Watch", 2),
        _change("User talk:Bo", 3, kind=ChangeKind.NEW),
        _change("Talk:Watch", 1),
        _change("Talk:Watch", 1, kind=ChangeKind.RESTORE),
        _change("MediaWiki:Sidenote.json", 8, user=UserKind.BOT),
        _change("Benutzer:SidenoteBot/Run/opt-in", 2, kind=ChangeKind.DELETE),
    ],
)
def test_what_may_bring_an_opt_in_or_rules_them_lists_all(change: Change) -> None:
    assert _tasks_of(change) == {("OPT_INS", "")}


@pytest.mark.parametrize(
    "change",
    [
        _change("Clock", 0),
        _change("User:Ada/Watch", 2, user=UserKind.OURS),
        _change("User:Ada/Sidenote report", 2, user=UserKind.OURS),
        _change("Talk:Clock", 1, user=UserKind.OURS),
        _change("User:Bo", 2, user=UserKind.OURS),
        _change("Talk:Watch", 1, user=UserKind.BOT),
        _change("User:Bo", 2, kind=ChangeKind.DELETE),
        _change("User:Bo", 2, kind=ChangeKind.OTHER),
        _change("User:Bo", 2, wiki="de.wikipedia.org"),
        _change("MediaWiki:Common.js", 8),
    ],
)
def test_what_concerns_nobody_asks_for_nothing(change: Change) -> None:
    assert _tasks_of(change) == set()


def test_however_many_pages_people_edit_the_list_is_asked_for_once_a_minute() -> None:
    router, due, now = Router(_RULES), set(), _NOW

    for second in range(600):
        now = _NOW + timedelta(seconds=second)
        change = _change(f"User talk:Someone {second}", 3)
        for intended_post in router.intended_posts([change], _STANDING, now):
            assert intended_post.due_at > now
            due.add(intended_post.due_at)

    assert len(due) == 11
    assert min(due) == _NOW + timedelta(seconds=15)
    assert max(due) >= now + timedelta(seconds=15)


def test_an_edit_shortly_before_the_list_is_listed_once_more_without_another() -> None:
    router = Router(_RULES)
    router.intended_posts([_change("User:Bo", 2)], _STANDING, _NOW)

    router.intended_posts(
        [_change("User:Cy", 2)], _STANDING, _NOW + timedelta(seconds=14)
    )
    [intended_post] = router.intended_posts([], _STANDING, _NOW + timedelta(seconds=20))

    assert intended_post.due_at == _NOW + timedelta(seconds=75)
    assert not router.intended_posts([], _STANDING, _NOW + timedelta(seconds=80))


def test_a_batch_that_has_to_be_kept_again_asks_for_the_same() -> None:
    router = Router(_RULES)
    changes = [_change("User:Bo", 2), _change("User:Ada/Watch", 2)]

    assert router.intended_posts(changes, _STANDING, _NOW) == router.intended_posts(
        changes, _STANDING, _NOW
    )


@dataclass
class _Kept:
    """A store of watches that counts how often it was read."""

    watches: tuple[ActiveWatch, ...] = ()
    number: int = 0
    reads: int = 0

    def version(self) -> int:
        return self.number

    def pauses(self) -> dict[tuple[str, str], float]:
        self.reads += 1
        return {(each.wiki, page): 60.0 for each in self.watches for page in each.pages}

    def all(self, wiki: str | None = None) -> tuple[ActiveWatch, ...]:
        assert wiki is None
        return self.watches


def test_watches_are_read_when_they_changed_and_only_then() -> None:
    kept = _Kept()
    watches = ActiveWatches(SimpleNamespace(watches=kept))
    watches.refresh()
    assert watches.pause_s(WIKI, "Clock") is None

    kept.watches, kept.number = (_WATCH,), 1
    for _ in range(3):
        watches.refresh()

    assert watches.pause_s(WIKI, "Clock") == 60.0
    assert (WIKI, "User:Ada/Watch") in watches.now.places
    assert kept.reads == 2


def test_wanted_namespaces_pass_the_sieve_and_no_others() -> None:
    wanted = ChangeSelection(namespaces=frozenset({0, 2, 3, 8}))
    sieve = EventFilter(wanted)

    for number, passes in {0: True, 2: True, 3: True, 8: True, 10: False}.items():
        frame = f'event: message\ndata: {{"namespace":{number},"x":1}}\n'.encode()
        assert bool(sieve.passing([frame])) is passes
        assert wanted.wants(_change("x", number)) is passes


async def test_what_is_watched_since_the_last_batch_is_seen_by_the_next(
    store: Store,
) -> None:
    watches = ActiveWatches(store)
    sink = QueueSink("recentchange", store, watches, settle_s=10, router=Router(_RULES))
    later = _NOW + timedelta(milliseconds=1)
    await sink.commit(Batch(_NOW, None, (_change("Clock", 0),)))
    assert store.jobs.state().oldest_due_at is None

    store.watches.keep(_WATCH, [], _NOW)
    changes = (_change("Clock", 0), _change("User:Ada/Watch", 2))
    await sink.commit(Batch(later, None, changes))

    assert store.jobs.state().oldest_due_at == later + timedelta(seconds=10)
    at = later + timedelta(seconds=5)
    plan = store.tasks.lease([TaskKind.PLAN_OPT_INS], "me", at)
    assert plan is not None
    assert plan.task.subject == "User:Ada/Watch"


@pytest.mark.parametrize(
    ("how", "settles_s"),
    [
        ({}, 60),
        ({"is_minor": True}, 300),
        ({"user": UserKind.BOT}, 300),
    ],
)
async def test_what_is_trivial_counts_and_settles_longer(
    store: Store, how: dict[str, object], settles_s: int
) -> None:
    store.watches.keep(_WATCH, [], _NOW)
    watches = ActiveWatches(store)
    watches.refresh()
    sink = QueueSink("recentchange", store, watches)

    await sink.commit(Batch(_NOW, None, (_change("Clock", 0, **how),)))

    due = _NOW + timedelta(seconds=settles_s)
    assert store.jobs.state().oldest_due_at == due
