"""Metrics of the program, its processes and the change feed. Pure."""

from collections.abc import Iterator

from prometheus_client.core import GaugeMetricFamily

from bot.daemon.status.metrics.gauges import Row, gauge
from bot.daemon.status.situation import Situation, ailments
from bot.store.status import FeedSight, Heartbeat


def program(situation: Situation) -> Iterator[GaugeMetricFamily]:
    """Yield what there is to say of the program and its processes."""
    means, seen = situation.means, situation.sight
    yield gauge(
        "build_info",
        "Always 1; the version stands in the label.",
        ("version",),
        [((means.version,), 1)],
    )
    yield gauge(
        "healthy", "1 unless /healthz says no.", (), [((), not ailments(situation))]
    )
    yield gauge("posting_live", "1 if posts go to wikis.", (), [((), means.is_live)])
    role = ("role", "host", "pid")
    beats = seen.processes
    yield gauge(
        "process_up",
        "1 if the process was heard of lately.",
        role,
        [(_process(one), one.is_fresh(seen.at)) for one in beats],
    )
    yield gauge(
        "process_seen_timestamp_seconds",
        "When the process was heard of last.",
        role,
        [(_process(one), one.seen_at.timestamp()) for one in beats],
    )
    yield gauge(
        "process_figure",
        "What a process measured of itself; its unit ends the name.",
        (*role, "name"),
        [
            ((*_process(one), name), value)
            for one in beats
            for name, value in one.figures.items()
        ],
    )
    yield gauge(
        "task_begun_timestamp_seconds",
        "When a scheduled task was begun last.",
        ("task",),
        [
            ((turn.name,), turn.last_run_at.timestamp())
            for turn in seen.turns
            if turn.last_run_at
        ],
    )


def _process(one: Heartbeat) -> tuple[str, str, str]:
    return (one.role, one.host, str(one.pid))


def feeds(situation: Situation) -> Iterator[GaugeMetricFamily]:
    """Yield how far the change feed was read."""
    feeds, at = situation.sight.feeds, situation.sight.at
    lag_s = situation.lag_s
    yield gauge(
        "lag_seconds",
        "How far behind the wikis we are; missing before the first event.",
        (),
        [] if lag_s is None else [((), lag_s)],
    )
    yield gauge(
        "feed_lag_seconds",
        "The same of each feed, as the database knows it.",
        ("feed",),
        [((one.feed,), lag) for one in feeds if (lag := one.lag_s(at)) is not None],
    )
    yield gauge(
        "feed_kept_timestamp_seconds",
        "When something of the feed was kept last.",
        ("feed",),
        [((one.feed,), one.received_at.timestamp()) for one in feeds],
    )
    yield gauge(
        "feed_open_holes",
        "Times whose changes are still to be asked for.",
        ("feed",),
        [((one.feed,), len(one.holes)) for one in feeds],
    )
    yield gauge(
        "dead_letters_day",
        "Events of the last 24 hours that could not be read.",
        ("feed", "reason"),
        [row for one in feeds for row in _dead(one)],
    )


def _dead(feed: FeedSight) -> Iterator[Row]:
    for reason, count in feed.dead_day.items():
        yield (feed.feed, reason.name.lower()), count
