"""Draws plots as SVG to be put into our pages; the only module that uses matplotlib.

The same values give the same bytes. Lines take their colours from the page's style
sheet, so that a plot follows the page into dark mode. It is slow to import, so only
code that draws should do so.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from typing import Any

import matplotlib as mpl
import numpy as np
from markupsafe import escape
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sklearn.metrics import precision_recall_curve

from bot.research.evaluation.metrics import bins_of
from bot.research.evaluation.report import Bars, Curves, FactMap, Plot, Points

_SIZE_INCHES = (5.4, 4.0)
_WIDE_INCHES = 11.0
_LEAST_HEIGHT, _BAR_HEIGHT = 1.8, 0.16  # inches
_LONGEST_LABEL = 34  # characters
_MOST_POINTS = 250  # of a curve; more cannot be seen
# Colours of the style sheet, as placeholders that matplotlib accepts as colours.
_INK, _QUIET, _RULE = "#010101", "#020202", "#030303"
_SERIES = ("#040404", "#050505", "#060606")
_VARIABLES = {
    _INK: "var(--ink)",
    _QUIET: "var(--quiet)",
    _RULE: "var(--rule)",
    **{colour: f"var(--series-{n})" for n, colour in enumerate(_SERIES, 1)},
}
_DASHES = ("-", "--", "-.")  # to tell the lines apart without colours
_MARKS = ("o", "^", "s")  # to tell points apart
_STYLE: dict[Any, Any] = {  # matplotlib types its keys as a closed set
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.edgecolor": _QUIET,
    "axes.labelcolor": _INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.color": _INK,
    "xtick.color": _QUIET,
    "ytick.color": _QUIET,
    "grid.color": _RULE,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "legend.frameon": False,
    "legend.labelcolor": _INK,
}


@contextmanager
def _drawing(
    size: tuple[float, float] = _SIZE_INCHES, **axes: Any
) -> Iterator[tuple[Figure, Axes]]:
    """Yield an empty figure in our style, and its axes."""
    # The same salt each time, so that the same values give the same ids.
    with mpl.rc_context({**_STYLE, "svg.hashsalt": "sidenote"}):
        figure = Figure(figsize=size, layout="constrained")
        drawn = figure.add_subplot()
        drawn.set(**axes)
        drawn.set_axisbelow(True)
        yield figure, drawn


def drawn(plot: Plot) -> tuple[tuple[str, str], ...]:
    """Return the drawings of a plot, each with its title."""
    match plot:
        case Curves():
            return _curves(plot)
        case Bars():
            return ((plot.title, _bars(plot)),)
        case Points():
            return ((plot.title, _points(plot)),)
        case FactMap():
            return ((plot.title, _map(plot)),)


def _curves(curves: Curves) -> tuple[tuple[str, str], ...]:
    """Draw precision over recall of each scorer, and the engine's calibration."""
    name, chance = curves.table, float(curves.fails.mean())
    square: dict[str, Any] = {"xlim": (0, 1), "ylim": (0, 1.02)}
    with _drawing(xlabel="Recall", ylabel="Precision", **square) as (figure, axes):
        axes.grid(visible=True, lw=0.6)
        for (label, scores), colour, dash in zip(
            curves.scores, _SERIES, _DASHES, strict=False
        ):
            precision, recall, _ = precision_recall_curve(curves.fails, scores)
            step = max(1, len(recall) // _MOST_POINTS)
            shown = sorted({*range(0, len(recall), step), len(recall) - 1})
            axes.plot(
                recall[shown], precision[shown], dash, color=colour, label=label, lw=1.8
            )
        axes.axhline(chance, color=_QUIET, lw=1, ls=":", label=f"chance ({chance:.2f})")
        axes.legend(loc="lower left", fontsize=9)
        ranked = _svg(figure, f"Precision over recall: {name}")
    with _drawing(
        xlabel="Probability of “supported”", ylabel="Share supported", **square
    ) as (figure, axes):
        axes.grid(visible=True, lw=0.6)
        axes.plot([0, 1], [0, 1], ":", color=_QUIET, lw=1, label="perfect")
        places = bins_of(curves.likely)
        bins = [places == one for one in np.unique(places)]
        x = [float(curves.likely[rows].mean()) for rows in bins]
        y = [float((~curves.fails)[rows].mean()) for rows in bins]
        axes.plot(x, y, "-", color=_SERIES[0], lw=1.8, label="engine")
        counts = [int(rows.sum()) for rows in bins]
        sizes = [12 + 90 * one / max(counts) for one in counts]
        axes.scatter(x, y, s=sizes, color=_SERIES[0], label="rows of the bin", lw=0)
        axes.legend(loc="upper left", fontsize=9)
        sure = _svg(figure, f"Reliability: {name}")
    return (
        ("Finding claims that are not fully supported", ranked),
        ("How far the probabilities can be taken at their word", sure),
    )


def _bars(bars: Bars) -> str:
    """Draw horizontal bars, one of each series for each label, the first label on top.

    Means are dotted lines, if they mean something. Long labels are cut.
    """
    labels, series = bars.labels, bars.series
    height = max(_LEAST_HEIGHT, len(labels) * _BAR_HEIGHT * len(series) + 1)
    limits = (len(labels) - 0.4, -0.6)
    size = (_SIZE_INCHES[0], height)
    with _drawing(size, xlabel=bars.across, ylim=limits) as (figure, axes):
        wide = 0.8 / len(series)
        for at, (label, values) in enumerate(series):
            places = [row + at * wide for row in range(len(labels))]
            axes.barh(places, values, wide, color=_SERIES[at], label=label)
            if values and bars.has_means:
                mean = sum(values) / len(values)
                axes.axvline(mean, color=_SERIES[at], lw=1, ls=":")
        middle = 0.4 - wide / 2
        axes.set_yticks([row + middle for row in range(len(labels))])
        axes.set_yticklabels([_cut(label) for label in labels], fontsize=8)
        axes.grid(visible=True, axis="x", lw=0.6)
        figure.legend(loc="outside upper center", ncols=3, fontsize=9)
        return _svg(figure, bars.title)


def _points(points: Points) -> str:
    """Draw points of up to three series, each with a different mark."""
    with _drawing(xlabel=points.across, ylabel=points.up) as (figure, axes):
        for (label, values), colour, mark in zip(
            points.series, _SERIES, _MARKS, strict=False
        ):
            axes.scatter(
                points.x, values, s=22, marker=mark, color=colour, label=label, lw=0
            )
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0)
        axes.grid(visible=True, lw=0.6)
        axes.legend(loc="upper left", fontsize=9)
        return _svg(figure, points.title)


def _map(facts: FactMap) -> str:
    """Draw which facts each of several systems has, the first system on top."""
    count = len(facts.systems)
    with _drawing(
        (_WIDE_INCHES, _LEAST_HEIGHT + 0.28 * count),
        xlabel="Facts in their order; in the second colour: contradicted",
        xlim=(0, max(1, *map(len, facts.rows))),
        ylim=(count - 0.4, -0.6),
    ) as (figure, axes):
        for at, row in enumerate(facts.rows):
            for value, colour in ((1, _SERIES[0]), (2, _SERIES[1])):
                runs = [(place, 1) for place, one in enumerate(row) if one == value]
                axes.broken_barh(runs, (at - 0.4, 0.8), color=colour, lw=0)
        axes.set_yticks(range(count))
        axes.set_yticklabels([_cut(name) for name in facts.systems], fontsize=8)
        return _svg(figure, facts.title)


def _cut(label: str) -> str:
    plain = label.replace("$", "")  # "$" would begin a formula
    return plain if len(plain) <= _LONGEST_LABEL else f"{plain[: _LONGEST_LABEL - 1]}…"


def _svg(figure: Figure, title: str) -> str:
    """Return the figure as an HTML element, without date, program or style rules."""
    out = StringIO()
    empty = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    figure.savefig(out, format="svg", metadata=empty)
    drawn = out.getvalue()
    drawn = drawn[drawn.index("<svg") :]
    # Its rules would apply to the whole page; the tag has the same settings instead.
    drawn = re.sub(r"<style.*?</style>", "", drawn, flags=re.DOTALL)
    drawn = re.sub(r"<metadata>.*?</metadata>", "", drawn, flags=re.DOTALL)
    drawn = re.sub(r"<defs>\s*</defs>", "", drawn)
    drawn = re.sub(r' id="(?:figure|axes|line2d|text|patch|legend|matplotlib|xtick|ytick|PathCollection)[^"]*"', "", drawn)  # fmt: skip
    for colour, variable in _VARIABLES.items():
        drawn = drawn.replace(colour, variable)
    attributes = f'role="img" aria-label="{escape(title)}" stroke-linejoin="round"'
    return drawn.replace("<svg ", f"<svg {attributes} ", 1).strip()
