"""What is remembered of a feed: what came, what waits to be kept, how far behind we are."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.daemon.intake.stream import Health, IntakeLimits, Pending, RecentChanges
from bot.records.changes import (
    Change,
    ChangeKind,
    DeadLetter,
    DeadReason,
    Gap,
    UserKind,
)


def _change(number: int) -> Change:
    return Change(
        kind=ChangeKind.EDIT,
        wiki="en.wikipedia.org",
        title="Clock",
        namespace=0,
        changed_at=datetime(2026, 11, 21, tzinfo=UTC),
        user=UserKind.REGISTERED,
        event_id=f"event-{number}",
        revision_id=number,
    )


def test_a_change_is_new_once() -> None:
    seen = RecentChanges(10)

    assert [seen.is_new(_change(number)) for number in (1, 2, 1, 2, 3)] == [
        True,
        True,
        False,
        False,
        True,
    ]


def test_a_revision_is_new_once_whatever_the_id_of_the_event() -> None:
    seen = RecentChanges(10)
    seen.is_new(_change(1))

    assert not seen.is_new(replace(_change(1), event_id="other"))
    assert seen.is_new(replace(_change(1), event_id="third", wiki="de.wikipedia.org"))


def test_the_deletion_of_a_page_is_not_taken_for_its_last_edit() -> None:
    seen = RecentChanges(10)
    seen.is_new(_change(1))

    deleted = replace(_change(1), event_id="gone", kind=ChangeKind.DELETE)
    assert seen.is_new(deleted)


def test_it_remembers_the_last_and_no_more() -> None:
    seen = RecentChanges(100)
    for number in range(5_000):
        seen.is_new(_change(number))

    assert not seen.is_new(_change(4_950))
    assert seen.is_new(_change(10))
    assert len(seen._keys) <= 200


_NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
_HEARD = Health(
    is_connected=True, newest_at=_NOON, last_event_at=_NOON + timedelta(seconds=2)
)


def _seconds_on(seconds: float) -> datetime:
    return _NOON + timedelta(seconds=seconds)


def test_before_the_first_event_nothing_is_known() -> None:
    assert Health().lag_s(_NOON) is None


def test_a_quiet_feed_is_silent_but_not_behind() -> None:
    assert _HEARD.lag_s(_seconds_on(600)) == 2


def test_without_a_connection_the_lag_grows() -> None:
    lost = replace(_HEARD, is_connected=False)

    assert lost.lag_s(_seconds_on(600)) == 600


def test_an_event_from_the_future_is_no_lag() -> None:
    ahead = replace(_HEARD, newest_at=_seconds_on(300))

    assert ahead.lag_s(_seconds_on(600)) == 0


# When what was read is due to be kept, also where the clock is set meanwhile.

_LETTER = DeadLetter(DeadReason.BAD_JSON, "not JSON", b"{", 1)
_LIMITS = IntakeLimits(commit_s=2, position_s=10)


@pytest.mark.parametrize(
    ("at_s", "due_s"), [(0.0, 2.0), (1.5, 0.5), (2.0, 0.0), (-3_600.0, 0.0)]
)
def test_a_change_waits_for_two_seconds_and_for_no_clock_that_is_set_back(
    at_s: float, due_s: float
) -> None:
    pending = Pending(_LIMITS, _NOON)
    pending.add(_NOON, changes=[], letters=[_LETTER], has_moved=True)

    assert pending.due_in_s(_seconds_on(at_s)) == due_s


def test_a_position_alone_waits_longer_and_for_no_clock_either() -> None:
    pending = Pending(_LIMITS, _NOON)
    assert pending.due_in_s(_seconds_on(-3_600)) is None

    pending.add(_NOON, changes=[], letters=[], has_moved=True)

    assert pending.due_in_s(_seconds_on(4)) == 6
    assert pending.due_in_s(_seconds_on(-3_600)) == 0


def test_holes_that_are_near_are_one() -> None:
    pending = Pending(IntakeLimits(overlap_s=60), _NOON)
    for since, until in ((0, 10), (15, 20), (79, 90), (500, 510), (505, 507)):
        pending.add_gap(_NOON, Gap(_seconds_on(since), _seconds_on(until)))

    batch = pending.take(_NOON, None)

    assert batch is not None
    assert batch.gaps == (
        Gap(_seconds_on(0), _seconds_on(90)),
        Gap(_seconds_on(500), _seconds_on(510)),
    )
