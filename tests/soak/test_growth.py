"""The judge of long runs sees what leaks, and that nothing was measured."""

import random

import pytest

from tests.soak.growth import judge_growth
from tests.soak.outcome import Outcome
from tests.soak.sampling import Process, Sample

_EVENTS = 1_000_000
_LAGS_S = (0.5,) * 100


def _wrong(
    *,
    leaks_mb: float = 0.0,
    files: float = 0.0,
    database_mb: float = 0.0,
    count: int = 150,
    lags_s: tuple[float, ...] = _LAGS_S,
) -> list[str]:
    """Judge a run in which so much is added with 100,000 events, and chance plays in."""
    chance = random.Random(count)
    samples = []
    for at in range(count):
        events = _EVENTS * at // (count - 1)
        part = events / 100_000
        warm_mb = 20 * min(1.0, part)
        own = Process(
            1,
            "sidenote",
            150 + warm_mb + leaks_mb * part + chance.gauss(0, 1),
            30 + int(files * part) + chance.randrange(3),
            12,
        )
        child = Process(2, "sidenote", 80 + chance.gauss(0, 1), 10, 1)
        kept_mb = 5 + database_mb * part
        samples.append(Sample(float(at), events, (own, child), kept_mb, {"jobs": 5}))
    outcome = Outcome("")
    judge_growth(outcome, samples, lags_s, _EVENTS)
    return outcome.wrong


def test_a_program_that_warms_up_and_then_stays_as_it_is_is_fine() -> None:
    assert _wrong() == []


def test_a_leak_of_a_megabyte_and_a_half_is_seen() -> None:
    [fault] = _wrong(leaks_mb=1.5)
    assert fault.startswith("memory grows by 1.")


def test_a_file_that_is_left_open_is_seen() -> None:
    [fault] = _wrong(files=1.5)
    assert fault.endswith("file handles more")


def test_a_database_that_grows_is_seen() -> None:
    [fault] = _wrong(database_mb=0.6)
    assert fault.startswith("the database grew from")


def test_a_run_of_which_hardly_anything_was_measured_proves_nothing() -> None:
    assert _wrong(count=12) == ["only 6 samples were taken"]
    assert _wrong(lags_s=()) == ["only 0 lags were taken"]


@pytest.mark.parametrize("lag_s", [1.2, 20.0])
def test_events_that_lie_about_are_seen(lag_s: float) -> None:
    [fault] = _wrong(lags_s=(*_LAGS_S, lag_s, lag_s))
    assert fault == f"p99 from event to row is {lag_s} s"
