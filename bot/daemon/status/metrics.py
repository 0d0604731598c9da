"""The status in Prometheus's text format.

The library writes the format; it is given a collector that holds one status, in a
separate registry, so that nothing of this process is mixed in. All are gauges, since
old rows of the database are removed. Pure.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from enum import Enum
from typing import TypeAlias, TypeVar

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from bot.daemon.status.reasons import health_problems
from bot.daemon.status.situation import Situation
from bot.daemon.status.view import check_name, engine_name
from bot.records.heartbeat import HealthProblemKind, Heartbeat
from bot.records.spending import PayerKind
from bot.records.status import AGES_S, Ages

Row: TypeAlias = tuple[tuple[str, ...], float]
"""The values of the labels, and the number."""


_E = TypeVar("_E", bound=Enum)


def _gauge(
    name: str, about: str, rows: Iterable[Row] | float | None, *labels: str
) -> GaugeMetricFamily:
    """Return a gauge; `name` comes without the program's prefix.

    A gauge without labels has one number, or none yet.
    """
    family = GaugeMetricFamily(f"sidenote_{name}", about, labels=labels)
    if isinstance(rows, int | float):
        rows = [((), rows)]
    for values, number in rows or ():
        family.add_metric(values, number)
    return family


def _by(counts: Mapping[_E, float]) -> list[Row]:
    """Return a row for each member of a closed set."""
    return [((one.name.lower(),), number) for one, number in counts.items()]


def _totals(ages: Mapping[_E, Ages]) -> list[Row]:
    return _by({one: each.total for one, each in ages.items()})


def _program(situation: Situation) -> Iterator[GaugeMetricFamily]:
    """Yield the metrics of the program and its processes."""
    configured, seen = situation.configured, situation.status
    version = [((configured.version,), 1)]
    yield _gauge(
        "build_info", "Always 1; the version is in the label.", version, "version"
    )
    wrong = {one.kind for one in health_problems(situation)}
    yield _gauge("healthy", "1 if /healthz reports healthy.", not wrong)
    unwell = [((kind.value,), kind in wrong) for kind in HealthProblemKind]
    yield _gauge("unwell", "1 if an operator must act on it.", unwell, "kind")
    yield _gauge("posting_live", "1 if posts go to wikis.", configured.is_live)
    process = ("role", "host", "pid")
    yield _gauge(
        "process_up",
        "1 if the process has a recent heartbeat.",
        [(_process(one), one.is_fresh(seen.at)) for one in seen.processes],
        *process,
    )
    yield _gauge(
        "process_seen_timestamp_seconds",
        "Last heartbeat of the process.",
        [(_process(one), one.seen_at.timestamp()) for one in seen.processes],
        *process,
    )
    yield _gauge(
        "process_figure",
        "What a process measured about itself; the name ends in the unit.",
        [
            ((*_process(one), name), value)
            for one in seen.processes
            for name, value in one.figures.items()
        ],
        *process,
        "name",
    )
    yield _gauge(
        "task_begun_timestamp_seconds",
        "When a scheduled task was last started.",
        [
            ((task.name,), task.last_run_at.timestamp())
            for task in seen.scheduled
            if task.last_run_at
        ],
        "task",
    )


def _process(one: Heartbeat) -> tuple[str, str, str]:
    return (one.role, one.host, str(one.pid))


def _feeds(situation: Situation) -> Iterator[GaugeMetricFamily]:
    """Yield how far the change feed has been read."""
    feeds, at = situation.status.feeds, situation.status.at
    yield _gauge(
        "lag_seconds",
        "How far behind the wikis we are; missing before the first event.",
        situation.lag_s,
    )
    yield _gauge(
        "feed_lag_seconds",
        "The same for each feed, as recorded in the database.",
        [((one.feed,), lag) for one in feeds if (lag := one.lag_s(at)) is not None],
        "feed",
    )
    yield _gauge(
        "feed_kept_timestamp_seconds",
        "When a change from the feed was last saved.",
        [((one.feed,), one.received_at.timestamp()) for one in feeds],
        "feed",
    )
    yield _gauge(
        "feed_open_holes",
        "Periods whose changes are still to be fetched.",
        [((one.feed,), len(one.gaps)) for one in feeds],
        "feed",
    )
    yield _gauge(
        "dead_letters_day",
        "Events of the last 24 hours that could not be read.",
        [
            ((one.feed, reason.name.lower()), count)
            for one in feeds
            for reason, count in one.dead_day.items()
        ],
        "feed",
        "reason",
    )


def _work(situation: Situation) -> Iterator[GaugeMetricFamily]:
    """Yield what waits to be checked or planned, and for whom."""
    seen, at = situation.status, situation.status.at
    states = seen.queue.states
    yield _gauge(
        "queue_pages", "Pages in the queue by state.", _totals(states), "state"
    )
    yield _gauge(
        "queue_pages_older_than",
        "Pages by state that have been in it for at least this many seconds.",
        [
            ((state.name.lower(), f"{age_s:.0f}"), sum(ages.counts[place:]))
            for state, ages in states.items()
            for place, age_s in enumerate((0.0, *AGES_S))
        ],
        "state",
        "age_seconds",
    )
    yield _gauge(
        "queue_oldest_age_seconds",
        "Age of the page that has been longest in its state.",
        [
            ((state.name.lower(),), (at - ages.oldest_at).total_seconds())
            for state, ages in states.items()
            if ages.come and ages.oldest_at
        ],
        "state",
    )
    plans_due = _by({kind: ages.come for kind, ages in seen.plans.waiting.items()})
    yield _gauge("plans_due", "Plans that are due, by kind.", plans_due, "kind")
    yield _gauge(
        "plans_failing",
        "Plans that failed and wait to be retried; only the newest are counted.",
        len(seen.plans.failing),
    )
    drafts = _totals(seen.drafts.states)
    yield _gauge("drafts", "Requested drafts, by state.", drafts, "state")
    yield _gauge(
        "patrol_today",
        "All edits of a wiki today (UTC): heard of, read, worth a source, noted.",
        [
            ((one.wiki, name), count)
            for one in seen.patrol
            for name, count in asdict(one.today).items()
        ],
        "wiki",
        "stage",
    )
    yield _gauge(
        "patrol_due",
        "Edits that are due to be looked at.",
        [((one.wiki,), one.waiting.come) for one in seen.patrol],
        "wiki",
    )
    pages = [((one.wiki,), one.pages) for one in seen.watches]
    yield _gauge("watched_pages", "Watched pages.", pages, "wiki")
    yield _gauge(
        "watches",
        "Opt-ins in force.",
        [
            ((one.wiki, kind.name.lower()), count)
            for one in seen.watches
            for kind, count in one.kinds.items()
        ],
        "wiki",
        "kind",
    )


def _posts(situation: Situation) -> Iterator[GaugeMetricFamily]:
    """Yield what was written."""
    posts = situation.status.posts
    yield _gauge("posts", "Stored posts, by state.", _by(posts.counts), "state")
    yield _gauge("posts_parked", "Posts that only a person can settle.", posts.parked)
    yield _gauge(
        "posts_refused_week",
        "Posts refused in the last 7 days, by reason.",
        _by(posts.refusals),
        "reason",
    )
    yield _gauge(
        "posts_today",
        "Posts that count towards today's limits (UTC); without a name: of all wikis.",
        [((one.task, one.wiki), one.count) for one in posts.used_today],
        "task",
        "wiki",
    )
    last = posts.last_posted_at
    yield _gauge(
        "last_post_timestamp_seconds",
        "When the last post was made.",
        last.timestamp() if last else None,
    )


def _notes(situation: Situation) -> Iterator[GaugeMetricFamily]:
    """Yield what people did with notes."""
    by_kind = situation.status.findings.notes
    yield _gauge(
        "notes",
        "Notes shown to people, by check and outcome.",
        [
            ((check_name(one), state), count)
            for one in by_kind
            for state, count in (
                ("open", one.open),
                ("settled", one.settled),
                ("dismissed", one.dismissed),
            )
        ],
        "check",
        "state",
    )
    yield _gauge(
        "note_precision_ratio",
        "settled / (settled + dismissed); missing where no one acted on a note.",
        [
            ((check_name(one),), one.precision)
            for one in by_kind
            if one.precision is not None
        ],
        "check",
    )


def _decided(situation: Situation) -> Iterator[GaugeMetricFamily]:
    """Yield what readers of the panel decided, and what is held back because of it."""
    rows = [
        ((row.kind.value, row.wiki, engine_name(row)), row)
        for row in situation.feedback.rows
    ]
    of = ("check", "wiki", "engine")
    yield _gauge(
        "reader_decisions",
        "Flagged suggestions that readers decided on, by decision.",
        [
            ((*names, decision), count)
            for names, row in rows
            for decision, count in (("right", row.right), ("wrong", row.wrong))
        ],
        *of,
        "said",
    )
    yield _gauge(
        "reader_precision_ratio",
        "right / (right + wrong) by readers' decisions.",
        [(names, row.precision) for names, row in rows],
        *of,
    )
    yield _gauge(
        "reader_precision_bound",
        "Bounds of its 95 % Wilson interval.",
        [
            ((*names, end), bound)
            for names, row in rows
            for end, bound in zip(("low", "high"), row.interval, strict=True)
        ],
        *of,
        "end",
    )
    yield _gauge(
        "reader_least_probability",
        "Probability from which suggestions are shown; 0: as set; missing: none are.",
        [(names, row.least) for names, row in rows if not row.is_held],
        *of,
    )
    yield _gauge(
        "reader_held",
        "1 if readers found a kind wrong too often for it to be shown.",
        [(names, row.is_held) for names, row in rows],
        *of,
    )
    yield _gauge(
        "suggestions_closed_by_readers",
        "Suggestions that two readers dismissed.",
        situation.status.decided.closed,
    )


def _findings(situation: Situation) -> Iterator[GaugeMetricFamily]:
    """Yield what was checked and found."""
    found = situation.status.findings
    today, last = found.days[0], found.last_check_at
    yield _gauge("checks_day", "Pages checked in the last 24 hours.", today.checks)
    yield _gauge(
        "claims_day",
        "Claims in the checks of the last 24 hours, by verdict.",
        [*_by(today.verdicts), (("unchecked",), today.unchecked)],
        "verdict",
    )
    yield _gauge(
        "last_check_timestamp_seconds",
        "When a page was last checked.",
        last.timestamp() if last else None,
    )
    yield _gauge(
        "suggestions_open",
        "Open suggestions, by what they are flagged for.",
        [*_by(found.flagged), (("none",), found.doubtful)],
        "flag",
    )
    yield _gauge(
        "sources_day",
        "Sources read in the newest checks of the last 24 hours, by outcome.",
        _by(found.sources_day.outcomes),
        "outcome",
    )


def _costs(situation: Situation) -> Iterator[GaugeMetricFamily]:
    """Yield what language models used, and how much of the day's allowance is left."""
    costs = situation.status.costs_day
    yield _gauge(
        "model_cost_day",
        "Money spent on language models in the last 24 hours, by the prices in the"
        " settings.",
        [((one.model,), float(one.cost)) for one in costs],
        "model",
    )
    yield _gauge(
        "model_calls_day",
        "Requests to language models in the last 24 hours.",
        [((one.model,), one.calls) for one in costs],
        "model",
    )
    yield _gauge(
        "model_tokens_day",
        "Language model tokens in the last 24 hours.",
        [
            ((one.model, direction), tokens)
            for one in costs
            for direction, tokens in (
                ("in", one.input_tokens),
                ("out", one.output_tokens),
            )
        ],
        "model",
        "direction",
    )
    # Of a UTC day, if a model is set up.
    allowance, spent = situation.configured.allowance, situation.status.spending
    money = [
        (("paid",), float(spent.settled)),
        (("set aside",), float(spent.reserved)),
    ]
    yield _gauge(
        "model_money_today",
        "Money for language models today (UTC), all processes: spent, or set aside.",
        money if allowance else None,
        "state",
    )
    yield _gauge(
        "model_money_today_limit",
        "The limit of that.",
        float(allowance.money) if allowance else None,
    )
    yield _gauge(
        "model_calls_today",
        "Requests to language models today (UTC), all processes.",
        spent.calls if allowance else None,
    )
    yield _gauge(
        "model_calls_today_limit",
        "The limit of these.",
        allowance.calls if allowance else None,
    )
    refused = [
        (("all",), int(spent.refused_at is not None)),
        *(((kind.value,), spent.refused.get(kind, 0)) for kind in PayerKind),
    ]
    yield _gauge(
        "model_refused_today",
        "Whose next request is refused: everyone's (1), pages, people who asked.",
        refused if allowance else None,
        "whose",
    )


CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_PARTS = (_program, _feeds, _work, _posts, _notes, _decided, _findings, _costs)


class _SituationCollector(Collector):
    """A snapshot."""

    def __init__(self, situation: Situation) -> None:
        self._situation = situation

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield the metrics in the order of the work."""
        for part in _PARTS:
            yield from part(self._situation)


def render_metrics(situation: Situation) -> str:
    """Return all metrics, each with its help line."""
    registry = CollectorRegistry()
    registry.register(_SituationCollector(situation))
    return generate_latest(registry).decode()
