"""Shows an evaluation as one HTML file: its tables and plots, and its data."""

from collections.abc import Iterator, Mapping
from typing import Any

from markupsafe import Markup

from bot.report.to_html import templates
from bot.research.evaluation.report import EvaluationReport

_INTERVAL = "_ci95"


def render_page(report: EvaluationReport) -> str:
    """Return a self-contained page; the same report gives the same bytes."""
    page = templates().get_template("evaluation.html")
    return page.render(
        report=report,
        engine=_facts(report.engine),
        tables=[
            {
                "name": name,
                "facts": _facts(values),
                "figures": list(_figures(values)),
                "plots": list(_plots(name, report)),
            }
            for name, values in _nested(report.benchmark, report.metrics)
        ],
    )


def _nested(
    name: str, values: Mapping[str, Any]
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the groups of metrics that belong together, at any level of nesting."""
    if any(_is_figure(key, value) for key, value in values.items()):
        yield name, values
    for key, value in values.items():
        if isinstance(value, Mapping) and key != "notes":
            yield from _nested(key, value)


def _is_figure(key: str, value: object) -> bool:
    return not key.endswith(_INTERVAL) and (value is None or isinstance(value, float))


def _facts(values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return counts and names; figures with a fraction are in the table."""
    return [
        (_words(key), str(value))
        for key, value in values.items()
        if isinstance(value, int | str)
    ]


def _figures(values: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    notes = values.get("notes", {})
    for key, value in values.items():
        if _is_figure(key, value):
            ends = values.get(f"{key}{_INTERVAL}")
            yield {
                "name": _words(key),
                "value": "–" if value is None else f"{value:.3f}",
                "interval": f"{ends[0]:.3f} to {ends[1]:.3f}" if ends else "",
                "note": str(notes.get(key, "")),
            }


def _words(key: str) -> str:
    return key.replace("_", " ").replace("auroc", "AUROC")


def _plots(name: str, report: EvaluationReport) -> Iterator[tuple[str, Markup]]:
    """Yield the plots for a group of metrics, each with its title.

    We make the drawings; text from outside is escaped by the functions that draw.
    """
    plots = [one for one in report.plots if one.table == name]
    if plots:
        from bot.research.evaluation.plots import drawn  # noqa: PLC0415 - slow to import

        for plot in plots:
            for title, drawing in drawn(plot):
                yield title, Markup(drawing)  # noqa: S704 - see above
