"""Judges what a program took of the machine while events came in, and how that grew."""

from collections.abc import Sequence

from tests.soak.outcome import Curve, Outcome
from tests.soak.sampling import Sample, quantile, second_half, slope

ENOUGH = 200_000
"""Events from which on growth says something."""
_MOST_MB = 384.0
_MOST_SLOPE_MB = 1.0  # for 100,000 events
_MOST_FILES = 5.0  # more in the second half than in the first, on average
_MOST_LAG_S = 15.0
_MOST_LAG_OF_MANY_S = 1.0  # of 100 events, 99 are kept by then
_ROOM = 1.25  # times that the database may grow after retention began
_LEAST_SAMPLES = 10  # of the second half, and of lags
# Between two moves of the clock enough is sent for lags to be measured.
_ENOUGH_FOR_LAGS = 1_000_000


def judge_growth(
    outcome: Outcome, samples: Sequence[Sample], lags_s: Sequence[float], events: int
) -> None:
    """Add what was taken, and what is wrong with it.

    Args:
        outcome: takes the figures.
        samples: over all of the time, at least one.
        lags_s: from events to rows, in seconds.
        events: how many there were.
    """
    is_long = events >= ENOUGH
    late = second_half(samples, events)
    _tell_of_memory(outcome, samples, late, is_long=is_long)
    _tell_of_files(outcome, samples, is_long=is_long)
    outcome.add("threads at most", max(one.threads for one in samples))
    p99_s = quantile(lags_s, 0.99)
    median_s = quantile(lags_s, 0.5)
    outcome.add(
        "event to row, as fast as it goes",
        f"median {median_s:.2f} s, p99 {p99_s:.2f} s" if lags_s else "not measured",
    )
    most_s = _MOST_LAG_OF_MANY_S if events >= _ENOUGH_FOR_LAGS else _MOST_LAG_S
    outcome.require(p99_s < most_s, f"p99 from event to row is {p99_s:.1f} s")
    outcome.add("database", _sizes(samples, events))
    outcome.add("rows", _rows(samples))
    if is_long:
        _require_flat_database(outcome, samples, events)
        count = len(late)
        outcome.require(count >= _LEAST_SAMPLES, f"only {count} samples were taken")
    if events >= _ENOUGH_FOR_LAGS:
        count = len(lags_s)
        outcome.require(count >= _LEAST_SAMPLES, f"only {count} lags were taken")
    outcome.curves = _curves(samples)


def _tell_of_memory(
    outcome: Outcome,
    samples: Sequence[Sample],
    late: Sequence[Sample],
    *,
    is_long: bool,
) -> None:
    grown_mb = slope([(one.events / 1e5, one.rss_mb) for one in late])
    alone_mb = slope([(one.events / 1e5, one.main_rss_mb) for one in late])
    peak_mb = max(one.rss_mb for one in samples)
    alone = max(one.main_rss_mb for one in samples)
    outcome.add("memory at most, all processes", f"{peak_mb:.0f} MB")
    outcome.add("memory at most, first process", f"{alone:.0f} MB")
    outcome.add("processes", len(samples[-1].processes))
    outcome.add(
        "slope over the second half",
        f"{grown_mb:+.2f} MB for 100,000 events ({alone_mb:+.2f} the first process),"
        f" {len(late)} samples",
    )
    outcome.require(peak_mb < _MOST_MB, f"{peak_mb:.0f} MB of memory")
    outcome.require(
        not is_long or grown_mb < _MOST_SLOPE_MB,
        f"memory grows by {grown_mb:.2f} MB for 100,000 events",
    )


def _tell_of_files(
    outcome: Outcome, samples: Sequence[Sample], *, is_long: bool
) -> None:
    files = [one.files for one in samples]
    half = len(files) // 2
    more = _mean(files[half:]) - _mean(files[:half])
    outcome.add("file handles", f"{min(files)} to {max(files)} ({more:+.1f})")
    outcome.require(not is_long or more < _MOST_FILES, f"{more:.0f} file handles more")


def _require_flat_database(
    outcome: Outcome, samples: Sequence[Sample], events: int
) -> None:
    then_mb, now_mb = _size_at(samples, events * 0.6), samples[-1].database_mb
    outcome.require(
        now_mb < _ROOM * then_mb,
        f"the database grew from {then_mb:.1f} to {now_mb:.1f} MB",
    )


def _mean(values: Sequence[int]) -> float:
    return sum(values) / len(values) if values else 0.0


def _size_at(samples: Sequence[Sample], events: float) -> float:
    return next(
        (one.database_mb for one in samples if one.events >= events),
        samples[-1].database_mb,
    )


def _sizes(samples: Sequence[Sample], count: int) -> str:
    shares = (0.2, 0.4, 0.6, 0.8)
    sizes = [f"{_size_at(samples, share * count):.1f}" for share in shares]
    return f"{', '.join(sizes)}, {samples[-1].database_mb:.1f} MB after each fifth"


def _rows(samples: Sequence[Sample]) -> str:
    counted = [one.rows for one in samples if one.rows]
    half, last = counted[len(counted) // 2], counted[-1]
    return ", ".join(
        f"{name} {half.get(name, 0):,}→{count:,}"
        for name, count in sorted(last.items())
    )


def _curves(samples: Sequence[Sample]) -> list[Curve]:
    def over(name: str, unit: str, values: list[float]) -> Curve:
        points = zip((float(one.events) for one in samples), values, strict=True)
        return Curve(name, unit, list(points))

    return [
        over("memory of all processes", "MB", [one.rss_mb for one in samples]),
        over("memory of the first", "MB", [one.main_rss_mb for one in samples]),
        over("database", "MB", [one.database_mb for one in samples]),
        over("file handles", "", [float(one.files) for one in samples]),
    ]
