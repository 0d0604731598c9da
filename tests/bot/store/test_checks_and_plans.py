"""A look at a page has planned anew what it changes, and nothing else."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from bot.records.jobs import JobReason, PageJob
from bot.records.tasks import TaskKind
from bot.records.watches import ActiveWatch, PlanKind, Surface, WatcherKind
from bot.store import Store, open_store
from handlers.findings import CitationFinding, Suggestion
from handlers.model import Verdict
from tests import builders
from tests.bot.store.runs import NOON, TITLE, WIKI, hour, planned, run, suggestion

_REPORT = (PlanKind.REPORT, "User:Ada")
_TALK = (PlanKind.TALK, TITLE)
_BOTH = {_REPORT, _TALK}
_FOUND = suggestion("First")


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    """Return a store in which Ada has a report and a project has talk pages."""
    with open_store(url) as opened_store:
        user = ActiveWatch(
            WIKI, "User:Ada", WatcherKind.USER, "Ada", (TITLE,), report="User:Ada/R"
        )
        project = ActiveWatch(
            WIKI,
            "Talk:P",
            WatcherKind.PROJECT,
            "P",
            ("Other", TITLE),
            surfaces=(Surface.TALK,),
        )
        opened_store.watches.keep(user, [], NOON)
        opened_store.watches.keep(project, [], NOON)
        planned(opened_store)
        yield opened_store


def _check(
    store: Store, number: int, found: Sequence[Suggestion] = (), title: str = TITLE
) -> set[tuple[PlanKind, str]]:
    """Save the run number so many; return what is planned anew."""
    store.save_check(run(number, hour(number), title=title), found)
    return planned(store)


def test_the_first_check_of_a_page_is_reported(store: Store) -> None:
    assert _check(store, 1) == _BOTH
    assert _check(store, 2) == set()


def test_a_check_of_a_page_that_nobody_watches_plans_nothing(store: Store) -> None:
    assert _check(store, 1, [_FOUND], title="Unwatched") == set()


def test_what_is_found_and_what_is_gone_is_reported(store: Store) -> None:
    _check(store, 1)

    assert _check(store, 2, [_FOUND]) == _BOTH
    assert _check(store, 3, [_FOUND]) == set()
    assert _check(store, 4) == _BOTH
    assert _check(store, 5) == set()
    assert _check(store, 6, [_FOUND]) == _BOTH


@pytest.mark.parametrize(
    "changed",
    [
        replace(_FOUND, finding=CitationFinding(Verdict.CONTRADICTED)),
        replace(_FOUND, quote="Another quote."),
        replace(_FOUND, probability=0.9),
        replace(_FOUND, section=("Aftermath",)),
        replace(_FOUND, flag=builders.flag()),
    ],
    ids=["verdict", "quote", "probability", "section", "flag"],
)
def test_what_is_said_otherwise_is_reported(store: Store, changed: Suggestion) -> None:
    _check(store, 1, [_FOUND])

    assert _check(store, 2, [changed]) == _BOTH


def test_what_nobody_sees_is_not_reported(store: Store) -> None:
    _check(store, 1, [_FOUND])
    same = replace(
        _FOUND, probability=_FOUND.probability + 1e-6, place=_FOUND.place + 40
    )

    assert _check(store, 2, [same]) == set()


def test_a_check_of_an_older_revision_is_not_reported(store: Store) -> None:
    _check(store, 5, [_FOUND])

    assert _check(store, 4, []) == set()


def test_the_check_the_lease_and_the_plans_end_together(store: Store) -> None:
    store.jobs.put([PageJob(WIKI, TITLE, JobReason.OPT_IN, NOON, NOON)])
    lease = store.tasks.lease([TaskKind.CHECK], "worker", NOON)

    assert store.save_check(run(1, hour(1)), [_FOUND], ends=lease)

    plan = store.tasks.lease([TaskKind.PLAN_REPORT], "me", hour(1))
    assert plan is not None
    assert plan.task.due_at == hour(1)
