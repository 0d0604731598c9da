"""When what was read is due to be kept, also where the clock is set meanwhile."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.daemon.intake.stream import IntakeLimits, Pending
from bot.records.changes import DeadLetter, DeadReason, Gap

_NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
_LETTER = DeadLetter(DeadReason.BAD_JSON, "not JSON", b"{", 1)
_LIMITS = IntakeLimits(commit_s=2, position_s=10)


def _after(seconds: float) -> datetime:
    return _NOON + timedelta(seconds=seconds)


@pytest.mark.parametrize(
    ("at_s", "due_s"), [(0.0, 2.0), (1.5, 0.5), (2.0, 0.0), (-3_600.0, 0.0)]
)
def test_a_change_waits_for_two_seconds_and_for_no_clock_that_is_set_back(
    at_s: float, due_s: float
) -> None:
    pending = Pending(_LIMITS, _NOON)
    pending.add(_NOON, changes=[], letters=[_LETTER], has_moved=True)

    assert pending.due_in_s(_after(at_s)) == due_s


def test_a_position_alone_waits_longer_and_for_no_clock_either() -> None:
    pending = Pending(_LIMITS, _NOON)
    assert pending.due_in_s(_after(-3_600)) is None

    pending.add(_NOON, changes=[], letters=[], has_moved=True)

    assert pending.due_in_s(_after(4)) == 6
    assert pending.due_in_s(_after(-3_600)) == 0


def test_holes_that_are_near_are_one() -> None:
    pending = Pending(IntakeLimits(overlap_s=60), _NOON)
    for since, until in ((0, 10), (15, 20), (79, 90), (500, 510), (505, 507)):
        pending.add_gap(_NOON, Gap(_after(since), _after(until)))

    batch = pending.take(_NOON, None)

    assert batch is not None
    assert batch.gaps == (
        Gap(_after(0), _after(90)),
        Gap(_after(500), _after(510)),
    )
