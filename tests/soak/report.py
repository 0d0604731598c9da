"""Writes what came of each part to `tests/results/soak.md`, with plots beside it.

A part that was not run keeps what stands there of it. Nothing is typed by hand.
"""

import os
import platform
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from tests.soak.outcome import Curve, Outcome

RESULTS = Path(__file__).parents[1] / "results"
_FILE = "soak.md"
_HEAD = """\
# Long runs

Made by `./dev soak --write`; a part that is run anew replaces its section. What the
parts do, and what counts as wrong, stands in `tests/soak`. “Delivered again” is the
time from the end of a fault until each change that people had made was looked at, and
all that came of it was posted to the wiki.
"""
_WIDTH, _HEIGHT, _LEFT, _BELOW = 640, 220, 60, 34
_COLOURS = ("#36c", "#b32424", "#14866d", "#72777d")
_PART = re.compile(r"<!-- part ([a-z-]+) -->\n.*?<!-- end \1 -->\n", re.DOTALL)


def write(name: str, command: str, outcome: Outcome, results: Path = RESULTS) -> None:
    """Put one part into the file, in the place of what stands there of it."""
    results.mkdir(parents=True, exist_ok=True)
    file = results / _FILE
    text = file.read_text("utf-8") if file.exists() else ""
    parts = {found[1]: found[0] for found in _PART.finditer(text)}
    plots = _plots(name, outcome, results)
    parts[name] = _section(name, command, outcome, plots)
    body = "\n".join(parts[each] for each in sorted(parts))
    file.write_text(f"{_HEAD}\n{body}", "utf-8")


def _section(
    name: str, command: str, outcome: Outcome, plots: Sequence[tuple[str, str]]
) -> str:
    rows = "\n".join(f"| {what} | {_cell(value)} |" for what, value in outcome.lines)
    end = "\n".join(f"- WRONG: {_cell(each)}" for each in outcome.wrong)
    shown = "".join(f"\n![{text}]({file})\n" for file, text in plots)
    return (
        f"<!-- part {name} -->\n## {outcome.part}\n\n"
        f"`{command}`, {datetime.now(UTC):%Y-%m-%d}, {_machine()}\n\n"
        f"| what | measured |\n|---|---|\n{rows}\n\n"
        f"{end or 'Nothing was wrong.'}\n{shown}<!-- end {name} -->\n"
    )


def _cell(text: str) -> str:
    return text.replace("|", "&#124;").replace("\n", " ")


def _machine() -> str:
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return (
        f"{os.cpu_count()} cores, {pages / 1024**3:.0f} GiB, "
        f"Python {platform.python_version()}, load {os.getloadavg()[2]:.1f}"
    )


def _plots(name: str, outcome: Outcome, results: Path) -> list[tuple[str, str]]:
    """Draw the curves of each unit into a file; return its name and what it shows."""
    plots = []
    for unit in dict.fromkeys(curve.unit for curve in outcome.curves):
        curves = [one for one in outcome.curves if one.unit == unit and one.points]
        if curves:
            file = f"soak-{name}-{unit.lower() or 'count'}.svg"
            drawn = plot(curves, outcome.across, unit)
            (results / file).write_text(drawn, "utf-8")
            plots.append((file, ", ".join(one.name for one in curves)))
    return plots


def plot(curves: Sequence[Curve], across: str, unit: str) -> str:
    """Return a plot of curves over the same axis as SVG; both axes begin at zero."""
    most_x = max(x for one in curves for x, _ in one.points) or 1.0
    most_y = 1.1 * max(y for one in curves for _, y in one.points) or 1.0
    wide, high = _WIDTH - _LEFT - 10, _HEIGHT - _BELOW - 10

    def place(x: float, y: float) -> str:
        return f"{_LEFT + wide * x / most_x:.1f},{10 + high * (1 - y / most_y):.1f}"

    lines = [
        f'<polyline fill="none" stroke="{colour}" stroke-width="1.5" points="'
        f'{" ".join(place(x, y) for x, y in one.points)}"/>'
        f'<text x="{_LEFT + 8}" y="{24 + 14 * at}" fill="{colour}">{one.name}</text>'
        for at, (one, colour) in enumerate(zip(curves, _COLOURS, strict=False))
    ]
    marks = [
        f'<text x="{_LEFT - 6}" y="{14 + high * (1 - share / 1.1)}" text-anchor="end">'
        f"{share * most_y / 1.1:,.0f} {unit}</text>"
        for share in (0.0, 0.5, 1.0)
    ] + [
        f'<text x="{_LEFT + wide * share}" y="{_HEIGHT - 12}" text-anchor="middle">'
        f"{share * most_x:,.0f}</text>"
        for share in (0.0, 0.25, 0.5, 0.75)
    ]
    foot = (
        f'<text x="{_LEFT + wide}" y="{_HEIGHT - 12}" text-anchor="end">'
        f"{most_x:,.0f} {across}</text>"
        f'<path d="M{_LEFT} 10V{10 + high}H{_LEFT + wide}" fill="none" stroke="#a2a9b1"/>'
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}"'
        f' font-family="sans-serif" font-size="11"><rect width="{_WIDTH}"'
        f' height="{_HEIGHT}" fill="#fff"/>{"".join(marks)}{foot}{"".join(lines)}</svg>\n'
    )
