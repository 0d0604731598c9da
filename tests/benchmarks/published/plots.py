"""Draws what was measured as SVG files that stand by themselves."""

import re
from collections.abc import Sequence
from io import StringIO
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tests.benchmarks.published.values import Bar, Comparison, Growth, Section

_OURS, _PEER = "#36c", "#8a6d3b"
_COLOURS = ("#36c", "#b32424", "#14866d", "#8a6d3b", "#6b4ba1")
_MARKS = ("o", "s", "^", "D", "v")
_DECADE = 10.0
_WIDTH, _HEIGHT, _BAR = 7.6, 3.8, 0.34  # inches
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
}


def draw(section: Section) -> str:
    """Return one plot; whiskers reach from the least to the most of the rounds."""
    with mpl.rc_context({**_STYLE, "svg.hashsalt": section.key}):
        if isinstance(section, Comparison):
            return _svg(_bars(section), section.title)
        return _svg(_curves(section), section.title)


def _bars(section: Comparison) -> Figure:
    bars = section.bars
    figure, axes = _plot(1.1 + _BAR * len(bars))
    places = range(len(bars))
    axes.barh(
        places,
        [bar.median for bar in bars],
        color=[_PEER if bar.is_peer else _OURS for bar in bars],
        xerr=_whiskers(bars),
        error_kw={"lw": 1, "capsize": 2},
    )
    for place, bar in zip(places, bars, strict=True):
        axes.annotate(
            f" {bar.median:,.3g}",
            (max(bar.rounds), place),
            xytext=(3, 0),
            textcoords="offset points",
            va="center",
        )
    axes.set_yticks(places, [bar.name for bar in bars])
    axes.invert_yaxis()
    axes.margins(x=0.12)
    axes.set_xlim(left=0)
    axes.set_xlabel(section.unit)
    return figure


def _curves(section: Growth) -> Figure:
    figure, axes = _plot(_HEIGHT)
    for curve, colour, mark in zip(section.curves, _COLOURS, _MARKS, strict=False):
        bars = [Bar(curve.name, rounds) for _, rounds in curve.points]
        axes.errorbar(
            [x for x, _ in curve.points],
            [bar.median for bar in bars],
            yerr=_whiskers(bars),
            color=colour,
            marker=mark,
            ms=4,
            ls="--" if curve.is_peer else "-",
            lw=1.4,
            capsize=2,
            label=curve.name,
        )
    axes.set_xscale("log")
    if _spans_a_decade(section):
        axes.set_yscale("log")
    else:  # on such a scale, little things would look large
        axes.set_ylim(bottom=0)
    axes.set(xlabel=section.across, ylabel=section.unit)
    axes.grid(visible=True, lw=0.4)
    if section.curves:
        axes.legend()
    return figure


def _spans_a_decade(section: Growth) -> bool:
    values = [
        one for curve in section.curves for _, rounds in curve.points for one in rounds
    ]
    return bool(values) and max(values) >= _DECADE * min(values) > 0


def _whiskers(bars: Sequence[Bar]) -> list[list[float]]:
    return [
        [bar.median - min(bar.rounds) for bar in bars],
        [max(bar.rounds) - bar.median for bar in bars],
    ]


def _plot(height: float) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(_WIDTH, height), layout="constrained")
    return figure, figure.add_subplot()


def _svg(figure: Figure, title: str) -> str:
    out = StringIO()
    empty = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    figure.savefig(out, format="svg", metadata={**empty, "Title": title})
    return re.sub(r"[ \t]+$", "", out.getvalue(), flags=re.MULTILINE)
