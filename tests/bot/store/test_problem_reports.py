"""Reports are kept once, and their answers are part of the measured precision."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from bot.records.accounts import ProblemReport, ReportAnswer, Tally
from bot.store import Store, open_store
from tests import builders
from tests.bot.store.runs import NOON, WIKI, run, suggestion

FOUND = suggestion(flag=builders.flag())
NAME = "0f" * 16


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with open_store(url) as opened_store:
        opened_store.save_check(run(), [FOUND])
        yield opened_store


def keep(
    store: Store,
    answer: ReportAnswer | None,
    minutes: int = 0,
    identity: str = FOUND.identity,
) -> int:
    report = ProblemReport(NAME, identity, 12, answer)
    now = NOON + timedelta(minutes=minutes)
    return store.problem_reports.keep(WIKI, [report], now)


def tally(store: Store) -> tuple[int, int]:
    """Return how many findings are said to be right, and how many wrong."""
    found: tuple[Tally, ...] = store.decisions.tallies(NOON - timedelta(days=1))
    return sum(len(one.right) for one in found), sum(len(one.wrong) for one in found)


def test_a_report_counts_once_it_is_answered(store: Store) -> None:
    assert keep(store, None) == 1
    assert tally(store) == (0, 0)
    assert keep(store, ReportAnswer.WRONG, 1) == 1
    assert keep(store, ReportAnswer.WRONG, 2) == 0, "it is known"

    assert tally(store) == (0, 1)
    assert store.status(NOON).decided.reports == {ReportAnswer.WRONG: 1}


@pytest.mark.parametrize(
    ("answer", "counted"),
    [
        (ReportAnswer.RIGHT, (1, 0)),
        (ReportAnswer.WRONG, (0, 1)),
        (ReportAnswer.FIXED, (0, 1)),
        (None, (0, 0)),
    ],
)
def test_another_answer_takes_the_place_of_the_one_before(
    store: Store, answer: ReportAnswer | None, counted: tuple[int, int]
) -> None:
    before = ReportAnswer.RIGHT if counted != (1, 0) else ReportAnswer.WRONG
    keep(store, before)
    keep(store, answer, 1)

    assert tally(store) == counted


def test_a_report_of_a_note_that_nobody_knows_is_left_out(store: Store) -> None:
    assert keep(store, ReportAnswer.WRONG, identity="cd" * 32) == 0
    assert store.status(NOON).decided.reports == {}
