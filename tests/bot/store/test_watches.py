"""What stands is what was kept last: watches, and the pages of communities."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from bot.records.jobs import JobReason, PageJob
from bot.records.tasks import TaskKind
from bot.records.watches import (
    ActiveWatch,
    Check,
    CommunityPage,
    Period,
    PlanKind,
    Rate,
    Surface,
    WatcherKind,
)
from bot.store import Store, open_store
from handlers.ports import PermanentError
from tests.bot.store.runs import NOON, TITLE, WIKI, hour, planned, start

_PLACE = "User:Ada Penrose/Sidenote"
_REPORT = "User:Ada Penrose/Sidenote/Report"


def _watch(*pages: str, **changes: object) -> ActiveWatch:
    default = ActiveWatch(
        wiki=WIKI,
        place=_PLACE,
        kind=WatcherKind.USER,
        watcher="Ada Penrose",
        pages=pages or (TITLE,),
        surfaces=(Surface.REPORT,),
        report=_REPORT,
        interval_s=3600,
    )
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


def _job(title: str = TITLE) -> PageJob:
    return PageJob(WIKI, title, JobReason.OPT_IN, NOON, NOON)


def test_a_watch_comes_out_as_it_was_kept(store: Store) -> None:
    watch = _watch(
        "Zebra",
        "Ångström 🕰",
        "A",
        kind=WatcherKind.PROJECT,
        checks=(Check.CITATIONS, Check.DRIFT),
        surfaces=(Surface.TALK, Surface.GADGET),
        report=None,
        most=Rate(7, Period.WEEK),
        min_confidence=0.85,
        languages=("en", "de"),
    )

    assert store.watches.keep(watch, [], NOON)

    assert store.watches.get(WIKI, _PLACE) == watch
    assert store.watches.all() == store.watches.all(WIKI) == (watch,)
    assert store.watches.of_page(WIKI, "Ångström 🕰") == (watch,)
    assert store.watches.of_page(WIKI, "Angström 🕰") == ()
    assert store.watches.of_page("de.wikipedia.org", "A") == ()
    assert store.watches.all("de.wikipedia.org") == ()


def test_a_watch_that_stands_so_already_changes_nothing(store: Store) -> None:
    store.watches.keep(_watch("A", "B", "A"), [], NOON)
    planned(store)
    version = store.watches.version()

    assert not store.watches.keep(_watch("A", "B"), [], hour(1))

    assert store.watches.version() == version
    assert planned(store) == set()


def test_the_version_grows_with_each_change(store: Store) -> None:
    assert store.watches.version() == 0
    store.watches.keep(_watch("A"), [], NOON)
    store.watches.keep(_watch("B"), [], NOON)
    store.watches.end(WIKI, _PLACE, NOON)
    store.watches.end(WIKI, _PLACE, NOON)

    assert store.watches.version() == 3


def test_a_new_watch_plans_its_report_and_its_talk_pages(store: Store) -> None:
    both = (Surface.REPORT, Surface.TALK)
    store.watches.keep(_watch("A", "B", surfaces=both), [], NOON)

    assert planned(store) == {
        (PlanKind.REPORT, _PLACE),
        (PlanKind.TALK, "A"),
        (PlanKind.TALK, "B"),
    }


def test_a_page_that_is_no_longer_watched_loses_its_notes(store: Store) -> None:
    talk = (Surface.TALK,)
    store.watches.keep(_watch("A", "B", surfaces=talk, report=None), [], NOON)
    planned(store)

    store.watches.keep(_watch("B", surfaces=(Surface.GADGET,)), [], NOON)

    assert (PlanKind.TALK, "A") in planned(store)
    assert store.watches.of_page(WIKI, "A") == ()


def test_a_watch_that_ends_is_gone_and_its_talk_pages_are_planned(
    store: Store,
) -> None:
    watch = _watch("A", "B", surfaces=(Surface.TALK,))
    store.watches.keep(watch, [], NOON)
    planned(store)

    assert store.watches.end(WIKI, _PLACE, hour(1)) == watch
    assert store.watches.end(WIKI, _PLACE, hour(1)) is None

    assert planned(store) == {(PlanKind.TALK, "A"), (PlanKind.TALK, "B")}
    assert store.watches.get(WIKI, _PLACE) is None
    assert store.watches.pauses() == {}


def test_of_two_watches_the_shorter_pause_counts(store: Store) -> None:
    store.watches.keep(_watch("A", "B", interval_s=7200), [], NOON)
    store.watches.keep(_watch("B", place="User:Bo", interval_s=600), [], NOON)

    assert store.watches.pauses() == {(WIKI, "A"): 7200.0, (WIKI, "B"): 600.0}
    assert [each.place for each in store.watches.of_page(WIKI, "B")] == [
        _PLACE,
        "User:Bo",
    ]


def test_a_watch_and_its_jobs_are_kept_together(store: Store) -> None:
    store.watches.keep(_watch(), [_job()], NOON)

    lease = store.tasks.lease([TaskKind.CHECK], "worker", NOON)
    assert lease is not None
    assert lease.task.reason is JobReason.OPT_IN


def test_nothing_of_a_watch_is_kept_where_a_job_cannot_be(store: Store) -> None:
    with pytest.raises(PermanentError, match="title"):
        store.watches.keep(_watch(), [_job("A"), _job("x" * 256)], NOON)

    assert store.watches.all() == ()
    assert store.watches.version() == 0
    assert store.tasks.lease([TaskKind.CHECK], "worker", NOON) is None
    assert planned(store) == set()


def test_a_page_not_checked_for_long_is_named(store: Store) -> None:
    store.watches.keep(_watch("Never", "Long ago", "Now", "Waits"), [], NOON)
    store.watches.keep(_watch("Never", place="User:Bo", interval_s=60), [], NOON)
    for title, at in (("Long ago", NOON), ("Now", hour(9)), ("Unwatched", NOON)):
        store.jobs.put([_job(title)])
        lease = store.tasks.lease([TaskKind.CHECK], "worker", at)
        assert lease is not None
        store.finish_check(lease, at)
    store.jobs.put([_job("Waits")])

    found = store.watches.stale(hour(10), 7200, 10)

    assert [(one.title, one.reason, one.pause_s) for one in found] == [
        ("Never", JobReason.RECHECK, 60.0),
        ("Long ago", JobReason.RECHECK, 3600.0),
    ]
    assert store.jobs.put(found) == 2
    assert store.watches.stale(hour(10), 7200, 10) == ()
    assert len(store.watches.stale(hour(20), 7200, 1)) == 1


def test_a_project_may_watch_very_many_pages(store: Store) -> None:
    titles = tuple(f"Page {number}" for number in range(2500))

    store.watches.keep(_watch(*titles, surfaces=(Surface.TALK,)), [], NOON)

    [watch] = store.watches.of_page(WIKI, "Page 1234")
    assert watch.pages == titles
    assert store.plans.state().waiting[PlanKind.TALK] == 2500


_TITLES = some.lists(some.sampled_from(["A", "a", "A ", "É", "E", "🕰"]), unique=True)
_STEPS = some.lists(
    some.tuples(some.sampled_from(["User:X", "User:x"]), some.none() | _TITLES),
    max_size=12,
)


@given(steps=_STEPS)
@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_what_stands_is_what_was_kept_last(
    steps: list[tuple[str, list[str] | None]], store: Store
) -> None:
    for watch in store.watches.all():
        store.watches.end(WIKI, watch.place, NOON)
    model: dict[str, ActiveWatch] = {}

    for place, titles in steps:
        before = store.watches.version()
        if titles is None:
            assert store.watches.end(WIKI, place, NOON) == model.pop(place, None)
            continue
        watch = replace(_watch(place=place), pages=tuple(titles))
        changed = store.watches.keep(watch, [], NOON)
        assert changed == (model.get(place) != watch)
        assert store.watches.version() == before + changed
        model[place] = watch

    assert {each.place: each for each in store.watches.all()} == model
    watched = {(WIKI, title) for each in model.values() for title in each.pages}
    assert store.watches.pauses().keys() == watched


def _keep_thirty(url: str, own: str) -> None:
    with open_store(url) as store:
        for number in range(30):
            pages = (f"Page {number % 3}", f"Page {(number + 1) % 3}")
            watch = _watch(*pages, place=own, surfaces=(Surface.TALK,))
            store.watches.keep(watch, [_job(title) for title in pages], NOON)


def test_processes_that_keep_watches_of_the_same_pages_do_not_stop_each_other(
    store: Store,
    url: str,
) -> None:
    with open_store(url):
        pass
    processes = [start(_keep_thirty, url, f"User:{name}") for name in "ABC"]
    for process in processes:
        process.join(60)

    assert [process.exitcode for process in processes] == [0, 0, 0]
    assert store.watches.version() == 90
    assert store.plans.state().waiting[PlanKind.TALK] == 3


def test_the_watches_of_a_person_are_theirs_alone(store: Store) -> None:
    other = "User:Ada Penrose/Other"
    own = [_watch("A", "B"), _watch("C", place=other, report=None)]
    for watch in (
        *own,
        _watch("D", place="User:Bo/S", watcher="Bo"),
        _watch(place="Talk:X", kind=WatcherKind.PAGE),
        _watch("E", wiki="de.wikipedia.org"),
    ):
        store.watches.keep(watch, (), NOON)

    found = store.watches.of_user(WIKI, "Ada Penrose")

    assert sorted(found, key=lambda one: one.place) == sorted(
        own, key=lambda one: one.place
    )
    assert store.watches.of_user(WIKI, "Nobody") == ()


_GOOD = CommunityPage('{"größe": "🕰"}', 70, NOON)


def test_a_page_comes_out_as_it_was_kept(store: Store) -> None:
    assert store.communities.get(WIKI) is None

    store.communities.keep(WIKI, _GOOD)

    assert store.communities.get(WIKI) == _GOOD
    assert store.communities.get("de.wikipedia.org") is None


def test_faults_of_a_newer_version_stand_beside_the_last_good_one(
    store: Store,
) -> None:
    store.communities.keep(WIKI, _GOOD)
    store.communities.keep(WIKI, CommunityPage("{", 71, hour(1), ("no JSON",)))

    assert store.communities.get(WIKI) == CommunityPage(
        _GOOD.text, 70, hour(1), ("no JSON",)
    )

    mended = CommunityPage("{}", 72, hour(2))
    store.communities.keep(WIKI, mended)
    assert store.communities.get(WIKI) == mended


def test_a_page_that_was_never_good_has_no_text(store: Store) -> None:
    store.communities.keep(WIKI, CommunityPage("{", 71, NOON, ("no JSON", "empty")))

    community = store.communities.get(WIKI)

    assert community == CommunityPage("", 0, NOON, ("no JSON", "empty"))


def test_what_was_read_before_does_not_replace_what_was_read_later(
    store: Store,
) -> None:
    later = CommunityPage("{}", 72, hour(2))
    store.communities.keep(WIKI, later)

    store.communities.keep(WIKI, _GOOD)

    assert store.communities.get(WIKI) == later
