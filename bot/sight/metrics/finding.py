"""Metrics of what was found, what people made of it, and what it cost. Pure."""

from collections.abc import Iterator

from prometheus_client.core import GaugeMetricFamily

from bot.sight.metrics.gauges import Row, gauge
from bot.sight.sections.written import check_name
from bot.sight.situation import Situation
from bot.store.sight import ModelCost


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


def _tokens(one: ModelCost) -> Iterator[Row]:
    yield (one.model, "in"), one.input_tokens
    yield (one.model, "out"), one.output_tokens
