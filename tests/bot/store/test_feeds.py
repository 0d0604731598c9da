"""What was read of a feed and how far: kept together, once."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from bot.records.changes import (
    Batch,
    DeadLetter,
    DeadReason,
    Gap,
    Position,
    TopicPosition,
)
from bot.records.jobs import JobReason, PageJob
from bot.records.tasks import TaskKind
from bot.records.watches import PLANS, IntendedPost, PlanKind
from bot.store import Store, open_store
from bot.store.jobs import check_policy
from handlers.ports import PermanentError
from tests.bot.store.runs import TITLE, WIKI, hour

_FEED = "https://stream.example.org/v2/stream/recentchange"
_POSITION = Position((TopicPosition("eqiad.mediawiki.recentchange", 0, 1_700_000),))
_LETTER = DeadLetter(DeadReason.BAD_JSON, "line 1: not JSON", b'{"a\x00\xff', 7)
_JOB = PageJob(WIKI, TITLE, JobReason.CHANGE, hour(0), hour(0), 10)


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with open_store(url, policies={TaskKind.CHECK: check_policy()}) as opened_store:
        yield opened_store


def _batch(at: datetime, **changes: object) -> Batch:
    default = Batch(received_at=at, position=_POSITION)
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


def test_a_feed_that_was_never_read_has_no_position(store: Store) -> None:
    assert store.feeds.position(_FEED) is None


def test_position_jobs_and_dead_letters_are_kept_together(store: Store) -> None:
    hole = Gap(hour(-2), None)
    batch = _batch(hour(0), dead_letters=(_LETTER,), gaps=(hole,))

    assert store.feeds.keep(_FEED, batch, [_JOB]) == 1

    assert store.feeds.position(_FEED) == _POSITION
    assert store.feeds.dead_letters() == (_LETTER,)
    assert [each for _, each in store.feeds.open_gaps(_FEED)] == [hole]
    assert store.tasks.lease([TaskKind.CHECK], "worker", hour(0)) is not None


def test_a_dead_letter_longer_than_its_column_keeps_its_beginning(store: Store) -> None:
    long_letter = replace(_LETTER, raw=b"x" * 70_000)

    store.feeds.keep(_FEED, _batch(hour(0), dead_letters=(long_letter,)), [])

    [letter] = store.feeds.dead_letters()
    assert letter.raw == long_letter.raw[:60_000]


def test_a_batch_is_kept_though_the_clock_was_set_back(store: Store) -> None:
    store.feeds.keep(_FEED, _batch(hour(1)), [])

    assert store.feeds.keep(_FEED, _batch(hour(0), dead_letters=(_LETTER,)), [_JOB])

    assert store.feeds.dead_letters() == (_LETTER,)


def test_a_batch_that_comes_twice_is_kept_once(store: Store) -> None:
    batch = _batch(hour(0), dead_letters=(_LETTER,), gaps=(Gap(hour(-2), hour(-1)),))
    store.feeds.keep(_FEED, batch, [_JOB])

    assert store.feeds.keep(_FEED, batch, [_JOB]) == 0

    assert len(store.feeds.dead_letters()) == 1
    assert len(store.feeds.open_gaps(_FEED)) == 1


def test_a_batch_without_position_leaves_the_one_before(store: Store) -> None:
    store.feeds.keep(_FEED, _batch(hour(0)), [])
    store.feeds.keep(_FEED, _batch(hour(1), position=None), [])

    assert store.feeds.position(_FEED) == _POSITION


def test_a_first_batch_without_position_is_kept(store: Store) -> None:
    store.feeds.keep(_FEED, _batch(hour(1), position=None), [_JOB])

    assert store.feeds.position(_FEED) is None
    assert store.tasks.lease([TaskKind.CHECK], "worker", hour(1)) is not None


def test_nothing_of_a_batch_is_kept_where_a_job_cannot_be(store: Store) -> None:
    too_long = replace(_JOB, title="x" * 256)

    with pytest.raises(PermanentError, match="title"):
        store.feeds.keep(_FEED, _batch(hour(0), dead_letters=(_LETTER,)), [too_long])

    assert store.feeds.position(_FEED) is None
    assert store.feeds.dead_letters() == ()


def test_a_hole_that_was_filled_is_not_asked_for_again(store: Store) -> None:
    gaps = (Gap(hour(-4), hour(-3)), Gap(hour(-2), None))
    store.feeds.keep(_FEED, _batch(hour(0), gaps=gaps), [])
    (first, _), (_, second) = store.feeds.open_gaps(_FEED)

    store.feeds.fill_gap(first, hour(1))

    assert [each for _, each in store.feeds.open_gaps(_FEED)] == [second]


def test_feeds_know_nothing_of_each_other(store: Store) -> None:
    store.feeds.keep(_FEED, _batch(datetime(2026, 1, 1, tzinfo=UTC)), [])

    assert store.feeds.position("another") is None


def test_plans_are_asked_for_together_with_the_position(store: Store) -> None:
    intended_post = IntendedPost(PlanKind.OPT_INS, WIKI, "", hour(0))

    store.feeds.keep(_FEED, _batch(hour(0)), [], [intended_post])

    plan = store.tasks.lease(PLANS, "me", hour(0))
    assert plan is not None
    assert plan.task == intended_post


def test_nothing_of_a_batch_is_kept_where_a_plan_cannot_be(store: Store) -> None:
    intended_post = IntendedPost(PlanKind.TALK, WIKI, "x" * 256, hour(0))

    with pytest.raises(PermanentError, match="subject"):
        store.feeds.keep(_FEED, _batch(hour(0)), [_JOB], [intended_post])

    assert store.feeds.position(_FEED) is None
    assert store.tasks.lease([TaskKind.CHECK], "worker", hour(0)) is None
