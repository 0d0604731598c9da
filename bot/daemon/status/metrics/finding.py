"""Metrics of what was found, what people made of it, and what it cost. Pure."""

from collections.abc import Iterator

from prometheus_client.core import GaugeMetricFamily

from bot.daemon.status.metrics.gauges import Row, gauge
from bot.daemon.status.sections.decided import engine_name
from bot.daemon.status.sections.written import check_name
from bot.daemon.status.situation import Situation
from bot.records.spending import PayerKind
from bot.store.status import ModelCost


def notes(situation: Situation) -> Iterator[GaugeMetricFamily]:
    """Yield what people made of notes."""
    told = situation.sight.findings.told
    yield gauge(
        "notes",
        "Notes that people were shown, by check and what became of them.",
        ("check", "state"),
        [
            ((check_name(one), state), count)
            for one in told
            for state, count in (
                ("open", one.open),
                ("settled", one.settled),
                ("dismissed", one.dismissed),
            )
        ],
    )
    yield gauge(
        "note_precision_ratio",
        "settled / (settled + dismissed); missing where nobody acted on a note.",
        ("check",),
        [
            ((check_name(one),), one.precision)
            for one in told
            if one.precision is not None
        ],
    )


def decided(situation: Situation) -> Iterator[GaugeMetricFamily]:
    """Yield what readers of the panel decided, and what is held for it."""
    rows = [
        ((row.kind.value, row.wiki, engine_name(row)), row)
        for row in situation.steering.rows
    ]
    of = ("check", "wiki", "engine")
    yield gauge(
        "reader_decisions",
        "Flagged suggestions that readers decided about, by what they said.",
        (*of, "said"),
        [
            ((*names, said), count)
            for names, row in rows
            for said, count in (("right", row.right), ("wrong", row.wrong))
        ],
    )
    yield gauge(
        "reader_precision_ratio",
        "right / (right + wrong) by readers' decisions.",
        of,
        [(names, row.precision) for names, row in rows],
    )
    yield gauge(
        "reader_precision_bound",
        "Ends of the 95 % Wilson interval of that.",
        (*of, "end"),
        [
            ((*names, end), bound)
            for names, row in rows
            for end, bound in zip(("low", "high"), row.interval, strict=True)
        ],
    )
    yield gauge(
        "reader_least_probability",
        "From which probability suggestions are shown; 0: as set; missing: none is.",
        of,
        [(names, row.least) for names, row in rows if not row.is_held],
    )
    yield gauge(
        "reader_held",
        "1 where readers found a kind wrong too often to be shown.",
        of,
        [(names, int(row.is_held)) for names, row in rows],
    )
    closed = situation.sight.decided.closed
    yield gauge(
        "suggestions_closed_by_readers",
        "Suggestions that two readers refused.",
        (),
        [((), closed)],
    )


def findings(situation: Situation) -> Iterator[GaugeMetricFamily]:
    """Yield what was checked and found."""
    found = situation.sight.findings
    today = found.days[0]
    yield gauge(
        "checks_day", "Pages checked in the last 24 hours.", (), [((), today.checks)]
    )
    yield gauge(
        "claims_day",
        "Claims in the checks of the last 24 hours, by verdict.",
        ("verdict",),
        [
            *(((verdict.name.lower(),), n) for verdict, n in today.verdicts.items()),
            (("unchecked",), today.unchecked),
        ],
    )
    last = found.last_check_at
    yield gauge(
        "last_check_timestamp_seconds",
        "When a page was checked last.",
        (),
        [((), last.timestamp())] if last else [],
    )
    yield gauge(
        "suggestions_open",
        "Open suggestions by what they are flagged for.",
        ("flag",),
        [
            *(((kind.name.lower(),), n) for kind, n in found.flagged.items()),
            (("none",), found.doubtful),
        ],
    )
    yield gauge(
        "sources_day",
        "Readings of sources in the newest checks of the last 24 hours, by outcome.",
        ("outcome",),
        [((one.name.lower(),), n) for one, n in found.sources_day.outcomes.items()],
    )


def costs(situation: Situation) -> Iterator[GaugeMetricFamily]:
    """Yield what language models took."""
    costs = situation.sight.costs_day
    yield gauge(
        "model_cost_day",
        "Money for language models in the last 24 hours, as their prices are set.",
        ("model",),
        [((one.model,), float(one.cost)) for one in costs],
    )
    yield gauge(
        "model_calls_day",
        "Requests to language models in the last 24 hours.",
        ("model",),
        [((one.model,), one.calls) for one in costs],
    )
    yield gauge(
        "model_tokens_day",
        "Tokens of language models in the last 24 hours.",
        ("model", "direction"),
        [row for one in costs for row in _tokens(one)],
    )
    yield from _allowed(situation)


def _allowed(situation: Situation) -> Iterator[GaugeMetricFamily]:
    """Yield what was taken of what a day of UTC allows, where a model is set up."""
    allowance, spent = situation.means.allowance, situation.sight.spending
    is_set = allowance is not None
    yield gauge(
        "model_money_today",
        "Money for language models this day (UTC), all processes: paid, or set aside.",
        ("state",),
        [(("paid",), float(spent.settled)), (("set aside",), float(spent.reserved))]
        if is_set
        else [],
    )
    yield gauge(
        "model_money_today_limit",
        "What that may be at most.",
        (),
        [((), float(allowance.money))] if allowance else [],
    )
    yield gauge(
        "model_calls_today",
        "Requests to language models this day (UTC), all processes.",
        (),
        [((), spent.calls)] if is_set else [],
    )
    yield gauge(
        "model_calls_today_limit",
        "How many these may be at most.",
        (),
        [((), allowance.calls)] if allowance else [],
    )
    refused = [
        (("all",), int(spent.refused_at is not None)),
        *(((kind.value,), spent.refused.get(kind, 0)) for kind in PayerKind),
    ]
    yield gauge(
        "model_refused_today",
        "Whose next request is not let through: all (1), pages, people who asked.",
        ("whose",),
        refused if is_set else [],
    )


def _tokens(one: ModelCost) -> Iterator[Row]:
    yield (one.model, "in"), one.input_tokens
    yield (one.model, "out"), one.output_tokens
