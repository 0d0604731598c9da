"""Metrics of what waits and what was written. Pure."""

from collections.abc import Iterable, Iterator

from prometheus_client.core import GaugeMetricFamily

from bot.daemon.status.metrics.gauges import Row, gauge
from bot.daemon.status.situation import Situation
from bot.store.status import AGES_S, Ages


def work(situation: Situation) -> Iterator[GaugeMetricFamily]:
    """Yield what waits to be looked at or planned, and for whom."""
    seen, at = situation.sight, situation.sight.at
    states = seen.queue.states
    yield gauge(
        "queue_pages",
        "Pages in the queue by state.",
        ("state",),
        [((state.name.lower(),), ages.total) for state, ages in states.items()],
    )
    yield gauge(
        "queue_pages_older_than",
        "Pages by state that are at least so many seconds old in it.",
        ("state", "age_seconds"),
        [
            ((state.name.lower(), f"{age_s:.0f}"), sum(ages.counts[place:]))
            for state, ages in states.items()
            for place, age_s in enumerate((0.0, *AGES_S))
        ],
    )
    yield gauge(
        "queue_oldest_age_seconds",
        "Age of the page that is oldest in its state.",
        ("state",),
        [
            ((state.name.lower(),), (at - ages.oldest_at).total_seconds())
            for state, ages in states.items()
            if ages.come and ages.oldest_at
        ],
    )
    yield gauge(
        "plans_due",
        "Plans that are due, by kind.",
        ("kind",),
        _come(seen.plans.waiting.items()),
    )
    yield gauge(
        "plans_failing",
        "Plans that failed and wait, the newest at most.",
        (),
        [((), len(seen.plans.failing))],
    )
    yield gauge(
        "drafts",
        "Drafts that people asked for, by state.",
        ("state",),
        [
            ((state.name.lower(),), ages.total)
            for state, ages in seen.drafts.states.items()
        ],
    )
    yield gauge(
        "watched_pages",
        "Pages that somebody watches.",
        ("wiki",),
        [((one.wiki,), one.pages) for one in seen.watches],
    )
    yield gauge(
        "watches",
        "Opt-ins in force.",
        ("wiki", "kind"),
        [
            ((one.wiki, kind.name.lower()), count)
            for one in seen.watches
            for kind, count in one.kinds.items()
        ],
    )


def _come(kinds: Iterable[tuple[object, Ages]]) -> Iterator[Row]:
    for kind, ages in kinds:
        yield (str(getattr(kind, "name", kind)).lower(),), ages.come


def posts(situation: Situation) -> Iterator[GaugeMetricFamily]:
    """Yield what was written."""
    posts = situation.sight.posts
    yield gauge(
        "posts",
        "Posts that are kept, by state.",
        ("state",),
        [((state.name.lower(),), count) for state, count in posts.counts.items()],
    )
    yield gauge(
        "posts_parked",
        "Posts that only a person can settle.",
        (),
        [((), posts.parked)],
    )
    yield gauge(
        "posts_refused_week",
        "Posts refused in the last 7 days, by reason.",
        ("reason",),
        [((why.name.lower(),), count) for why, count in posts.refusals.items()],
    )
    yield gauge(
        "posts_today",
        "Posts that count for today's limits (UTC); of all wikis without a name.",
        ("task", "wiki"),
        [((one.task, one.wiki), one.count) for one in posts.used_today],
    )
    last = posts.last_posted_at
    yield gauge(
        "last_post_timestamp_seconds",
        "When a post was made last.",
        (),
        [((), last.timestamp())] if last else [],
    )
