"""Draws plots as SVG that stands inside a page of ours; the one place of matplotlib.

The same values give the same bytes. Lines take their colours from the page's style
sheet, so that a plot follows the page into dark mode. Slow to import: only what
draws should import this.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from itertools import pairwise
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

_SIZE_INCHES = (5.4, 4.0)
_WIDE_INCHES = 11.0
_LEAST_HEIGHT, _BAR_HEIGHT = 1.8, 0.16  # inches
_LONGEST_LABEL = 34  # characters
_MOST_POINTS = 250  # of a curve; more cannot be seen
# Colours of the style sheet, under names that matplotlib takes for colours.
_INK, _QUIET, _RULE = "#010101", "#020202", "#030303"
_SERIES = ("#040404", "#050505", "#060606")
_VARIABLES = {
    _INK: "var(--ink)",
    _QUIET: "var(--quiet)",
    _RULE: "var(--rule)",
    **{colour: f"var(--series-{n})" for n, colour in enumerate(_SERIES, 1)},
}
_DASHES = ("-", "--", "-.")  # tells the lines apart without colours
_MARKS = ("o", "^", "s")  # and points
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


@dataclass(frozen=True, slots=True)
class Line:
    label: str
    x: Sequence[float]
    y: Sequence[float]


@dataclass(frozen=True, slots=True)
class Bin:
    """Rows of like probability: how sure the engine was, and how many were so."""

    mean_probability: float
    share: float
    rows: int


def precision_recall_svg(lines: Sequence[Line], chance: float, name: str) -> str:
    """Draw precision over recall; `chance` is the precision of flagging at random."""
    with mpl.rc_context({**_STYLE, "svg.hashsalt": f"precision-recall {name}"}):
        figure, axes = _plot("Recall", "Precision")
        for line, colour, dash in zip(lines, _SERIES, _DASHES, strict=False):
            thin = _thinned(line)
            axes.plot(thin.x, thin.y, dash, color=colour, label=line.label, lw=1.8)
        axes.axhline(chance, color=_QUIET, lw=1, ls=":", label=f"chance ({chance:.2f})")
        axes.legend(loc="lower left", fontsize=9)
        return _svg(figure, f"Precision over recall: {name}")


def reliability_svg(bins: Sequence[Bin], name: str) -> str:
    """Draw how many were supported against how sure the engine was of it."""
    with mpl.rc_context({**_STYLE, "svg.hashsalt": f"reliability {name}"}):
        figure, axes = _plot("Probability of “supported”", "Share supported")
        axes.plot([0, 1], [0, 1], ":", color=_QUIET, lw=1, label="perfect")
        x = [one.mean_probability for one in bins]
        y = [one.share for one in bins]
        axes.plot(x, y, "-", color=_SERIES[0], lw=1.8, label="engine")
        most = max((one.rows for one in bins), default=1)
        sizes = [12 + 90 * one.rows / most for one in bins]
        axes.scatter(x, y, s=sizes, color=_SERIES[0], label="rows of the bin", lw=0)
        axes.legend(loc="upper left", fontsize=9)
        return _svg(figure, f"Reliability: {name}")


def bars_svg(
    labels: Sequence[str],
    series: Sequence[tuple[str, Sequence[float]]],
    across: str,
    name: str,
    *,
    has_means: bool = True,
) -> str:
    """Draw lying bars, one of each series for each label, the first label on top.

    Means stand as dotted lines, where they mean something. Long labels are cut.
    """
    with mpl.rc_context({**_STYLE, "svg.hashsalt": f"bars {name}"}):
        height = max(_LEAST_HEIGHT, len(labels) * _BAR_HEIGHT * len(series) + 1)
        figure = Figure(figsize=(_SIZE_INCHES[0], height), layout="constrained")
        axes = figure.add_subplot()
        wide = 0.8 / len(series)
        for at, (label, values) in enumerate(series):
            places = [row + at * wide for row in range(len(labels))]
            colour = _SERIES[at]
            axes.barh(places, values, wide, color=colour, label=label)
            if values and has_means:
                axes.axvline(sum(values) / len(values), color=colour, lw=1, ls=":")
        middle = 0.4 - wide / 2
        axes.set_yticks([row + middle for row in range(len(labels))])
        axes.set_yticklabels([_cut(label) for label in labels], fontsize=8)
        axes.set(xlabel=across, ylim=(len(labels) - 0.4, -0.6))
        axes.grid(visible=True, axis="x", lw=0.6)
        axes.set_axisbelow(True)
        figure.legend(loc="outside upper center", ncols=3, fontsize=9)
        return _svg(figure, name)


def points_svg(
    x: Sequence[float],
    series: Sequence[tuple[str, Sequence[float]]],
    across: str,
    up: str,
    name: str,
) -> str:
    """Draw points of up to three series over `x`, each with a mark of its own."""
    with mpl.rc_context({**_STYLE, "svg.hashsalt": f"points {name}"}):
        figure = Figure(figsize=_SIZE_INCHES, layout="constrained")
        axes = figure.add_subplot()
        for (label, values), colour, mark in zip(series, _SERIES, _MARKS, strict=False):
            axes.scatter(x, values, s=22, marker=mark, color=colour, label=label, lw=0)
        axes.set(xlabel=across, ylabel=up)
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0)
        axes.grid(visible=True, lw=0.6)
        axes.set_axisbelow(True)
        axes.legend(loc="upper left", fontsize=9)
        return _svg(figure, name)


def coverage_svg(
    labels: Sequence[str],
    rows: Sequence[Sequence[int]],
    parts: Sequence[tuple[str, int]],
    name: str,
) -> str:
    """Draw which of a row of facts each of several things has, the first on top."""
    with mpl.rc_context({**_STYLE, "svg.hashsalt": f"coverage {name}"}):
        height = _LEAST_HEIGHT + 0.28 * len(labels)
        figure = Figure(figsize=(_WIDE_INCHES, height), layout="constrained")
        axes = figure.add_subplot()
        for at, row in enumerate(rows):
            for value, colour in ((1, _SERIES[0]), (2, _SERIES[1])):
                axes.broken_barh(_runs(row, value), (at - 0.4, 0.8), color=colour, lw=0)
        ends = [0]
        for _, count in parts:
            ends.append(ends[-1] + count)
        for end in ends[1:-1]:
            axes.axvline(end, color=_RULE, lw=0.8)
        axes.set_xticks([(a + b) / 2 for a, b in pairwise(ends)])
        axes.set_xticklabels(
            [_cut(part) for part, _ in parts], rotation=45, ha="right", fontsize=7
        )
        axes.tick_params(axis="x", length=0)
        axes.set_yticks(range(len(labels)))
        axes.set_yticklabels([_cut(label) for label in labels], fontsize=8)
        axes.set(xlim=(0, max(ends[-1], 1)), ylim=(len(labels) - 0.4, -0.6))
        return _svg(figure, name)


def _runs(row: Sequence[int], value: int) -> list[tuple[float, float]]:
    """Return where a value stands in a row, as starts and lengths."""
    runs: list[tuple[float, float]] = []
    for at, one in enumerate(row):
        if one != value:
            continue
        if runs and sum(runs[-1]) == at:
            runs[-1] = (runs[-1][0], runs[-1][1] + 1)
        else:
            runs.append((float(at), 1.0))
    return runs


def _cut(label: str) -> str:
    plain = label.replace("$", "")  # it would begin a formula
    return plain if len(plain) <= _LONGEST_LABEL else f"{plain[: _LONGEST_LABEL - 1]}…"


def _plot(across: str, up: str) -> tuple[Figure, Axes]:
    figure = Figure(figsize=_SIZE_INCHES, layout="constrained")
    axes = figure.add_subplot()
    axes.set(xlabel=across, ylabel=up, xlim=(0, 1), ylim=(0, 1.02))
    axes.grid(visible=True, lw=0.6)
    axes.set_axisbelow(True)
    return figure, axes


def _thinned(line: Line) -> Line:
    step = max(1, len(line.x) // _MOST_POINTS)
    kept = sorted({*range(0, len(line.x), step), len(line.x) - 1})
    return Line(line.label, [line.x[at] for at in kept], [line.y[at] for at in kept])


def _svg(figure: Figure, title: str) -> str:
    """Return the figure as an element for HTML, without date, program or style rules."""
    out = StringIO()
    empty = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    figure.savefig(out, format="svg", metadata=empty)
    drawn = out.getvalue()
    drawn = drawn[drawn.index("<svg") :]
    # Its rules would apply to the whole page; the same stands in the tag instead.
    drawn = re.sub(r"<style.*?</style>", "", drawn, flags=re.DOTALL)
    drawn = re.sub(r"<metadata>.*?</metadata>", "", drawn, flags=re.DOTALL)
    drawn = re.sub(r"<defs>\s*</defs>", "", drawn)
    drawn = re.sub(r' id="(?:figure|axes|line2d|text|patch|legend|matplotlib|xtick|ytick|PathCollection)[^"]*"', "", drawn)  # fmt: skip
    for colour, variable in _VARIABLES.items():
        drawn = drawn.replace(colour, variable)
    attributes = f'role="img" aria-label="{_escaped(title)}" stroke-linejoin="round"'
    return drawn.replace("<svg ", f"<svg {attributes} ", 1).strip()


def _escaped(text: str) -> str:
    for sign, name in (("&", "&amp;"), ('"', "&quot;"), ("<", "&lt;"), (">", "&gt;")):
        text = text.replace(sign, name)
    return text
