"""Shows an evaluation as one HTML file: its tables and plots, and what they rest on."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup
from sklearn import metrics as sklearn_metrics

from bot.report.to_html import templates
from bot.research.evaluation.metrics import CALIBRATION_BINS
from bot.research.evaluation.report import Bars, Curves, EvaluationReport, Points

_INTERVAL = "_ci95"


@dataclass(frozen=True, slots=True)
class Figure:
    name: str
    value: str
    interval: str
    note: str


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    facts: tuple[tuple[str, str], ...]
    figures: tuple[Figure, ...]
    plots: tuple[tuple[str, Markup], ...]  # what it shows, and the drawing


def render_page(report: EvaluationReport) -> str:
    """Return a page that needs nothing but itself; the same report, the same bytes."""
    return (
        templates()
        .get_template("evaluation.html")
        .render(report=report, engine=_facts(report.engine), tables=_tables(report))
    )


def _tables(report: EvaluationReport) -> tuple[Table, ...]:
    curves = {one.name: one for one in report.curves}
    return tuple(
        Table(
            name,
            _facts(values),
            tuple(_figures(values)),
            (
                *_plots(curves.get(name)),
                *(_drawn(one) for one in report.bars if one.table == name),
                *(_scattered(one) for one in report.points if one.table == name),
            ),
        )
        for name, values in _parts(report)
    )


def _parts(report: EvaluationReport) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the groups of metrics that stand together, wherever they are nested."""
    yield from _nested(report.benchmark, report.metrics)


def _nested(
    name: str, values: Mapping[str, Any]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if any(_is_figure(key, value) for key, value in values.items()):
        yield name, values
    for key, value in values.items():
        if isinstance(value, Mapping) and key != "notes":
            yield from _nested(key, value)


def _is_figure(key: str, value: object) -> bool:
    return not key.endswith(_INTERVAL) and (value is None or isinstance(value, float))


def _facts(values: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return counts and names; figures with a fraction stand in the table."""
    return tuple(
        (_words(key), str(value))
        for key, value in values.items()
        if isinstance(value, int | str)
    )


def _figures(values: Mapping[str, Any]) -> Iterator[Figure]:
    notes = values.get("notes", {})
    for key, value in values.items():
        if _is_figure(key, value):
            interval = values.get(f"{key}{_INTERVAL}")
            yield Figure(
                name=_words(key),
                value="–" if value is None else f"{value:.3f}",
                interval=f"{interval[0]:.3f} to {interval[1]:.3f}" if interval else "",
                note=str(notes.get(key, "")),
            )


def _words(key: str) -> str:
    return key.replace("_", " ").replace("auroc", "AUROC")


# --- plots --------------------------------------------------------------------


def _plots(curves: Curves | None) -> tuple[tuple[str, Markup], ...]:
    if curves is None or not curves.can_be_drawn:
        return ()
    from bot.research.evaluation.plots import precision_recall_svg, reliability_svg  # noqa: PLC0415 - slow to import

    chance = float(curves.fails.mean())
    # The drawings are ours; their one text from outside, the name, is escaped there.
    ranked = Markup(precision_recall_svg(_lines(curves), chance, curves.name))  # noqa: S704 - see above
    sure = Markup(reliability_svg(_bins(curves), curves.name))  # noqa: S704 - see above
    return (
        ("Finding claims that are not fully supported", ranked),
        ("How far the probabilities can be taken at their word", sure),
    )


def _drawn(bars: Bars) -> tuple[str, Markup]:
    from bot.research.evaluation.plots import bars_svg  # noqa: PLC0415 - slow to import

    # The drawing is ours; the labels in it are escaped by what draws.
    drawing = bars_svg(
        bars.labels,
        bars.series,
        bars.across,
        bars.title,
        has_means=bars.has_means,
    )
    return bars.title, Markup(drawing)  # noqa: S704 - see above


def _scattered(points: Points) -> tuple[str, Markup]:
    from bot.research.evaluation.plots import points_svg  # noqa: PLC0415 - slow to import

    # The drawing is ours; the labels in it are escaped by what draws.
    drawing = points_svg(
        points.x, points.series, points.across, points.up, points.title
    )
    return points.title, Markup(drawing)  # noqa: S704 - see above


def _lines(curves: Curves) -> list[Any]:
    from bot.research.evaluation.plots import Line  # noqa: PLC0415 - slow to import

    lines = []
    for label, scores in curves.scores:
        precision, recall, _ = sklearn_metrics.precision_recall_curve(
            curves.fails, scores
        )
        lines.append(Line(label, recall.tolist(), precision.tolist()))
    return lines


def _bins(curves: Curves) -> list[Any]:
    """Return the same bins as the calibration error has."""
    from bot.research.evaluation.plots import Bin  # noqa: PLC0415 - slow to import

    places = (curves.likely * CALIBRATION_BINS).astype(int)
    places = np.minimum(places, CALIBRATION_BINS - 1)
    return [
        Bin(
            float(curves.likely[places == one].mean()),
            float((~curves.fails)[places == one].mean()),
            int((places == one).sum()),
        )
        for one in np.unique(places)
    ]
