"""A process that says something new runs, whatever time it takes it for."""

from datetime import timedelta

import pytest

from bot.records.heartbeat import Heartbeat, LastSeen
from tests.bot.store.runs import NOON


def _beat(at_s: float, name: str = "a:1") -> Heartbeat:
    seen = NOON + timedelta(seconds=at_s)
    return Heartbeat(name, "read", "a", 1, "1", NOON, seen, every_s=15)


@pytest.mark.parametrize("off_s", [-3600, -50, 0, 50, 3600])
def test_a_process_is_heard_of_until_it_is_silent(off_s: float) -> None:
    now_s = [0.0]
    last_seen = LastSeen(lambda: now_s[0])

    def runs(beaten_s: float | None, at_s: float) -> bool:
        now_s[0] = at_s
        beats = [] if beaten_s is None else [_beat(beaten_s + off_s)]
        return last_seen.any_runs(beats, NOON + timedelta(seconds=at_s))

    assert not runs(None, 0)
    assert runs(1, 2) is (off_s >= 0)  # not known before, so its time is believed
    assert runs(16, 17)
    assert runs(16, 60)
    assert not runs(16, 70)
    assert runs(76, 77)


def test_one_that_runs_is_enough() -> None:
    last_seen = LastSeen(lambda: 0.0)

    assert last_seen.any_runs([_beat(-900, "b:1"), _beat(-1)], NOON)
    assert not last_seen.any_runs([_beat(-900, "b:1")], NOON)
