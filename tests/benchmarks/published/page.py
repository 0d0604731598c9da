"""Writes what was measured as a page, its plots, and the figures for machines."""

import json
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined

from tests.benchmarks.published.plots import draw
from tests.benchmarks.published.values import Made, to_json

_TEMPLATE = Path(__file__).with_name("page.html")
_FIGURES = "figures.json"


def write(publication: Made, folder: Path) -> None:
    """Write `index.html`, `figures.json` and a plot of each section."""
    folder.mkdir(parents=True, exist_ok=True)
    _remove_plots(folder)
    for section in publication.sections:
        (folder / f"{section.key}.svg").write_text(draw(section), "utf-8")
    content = to_json(publication)
    figures = json.dumps(content, indent=1, ensure_ascii=False)
    (folder / _FIGURES).write_text(f"{figures}\n", "utf-8")
    (folder / "index.html").write_text(_page(publication, content), "utf-8")


def _remove_plots(folder: Path) -> None:
    """Remove the plots of the run before; what else lies there is somebody's."""
    figures = folder / _FIGURES
    if figures.exists():
        for section in json.loads(figures.read_text("utf-8"))["sections"]:
            folder.joinpath(f"{section['key']}.svg").unlink(missing_ok=True)


def _page(publication: Made, figures: dict[str, Any]) -> str:
    template = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True
    ).from_string(_TEMPLATE.read_text("utf-8"))
    sections = [
        _shown(one) | {"is_whole": getattr(section, "is_whole", False)}
        for section, one in zip(publication.sections, figures["sections"], strict=True)
    ]
    return template.render(facts=publication.facts, sections=sections) + "\n"


def _shown(one: dict[str, Any]) -> dict[str, Any]:
    if "bars" in one:
        return one | {"sum": sum(bar["median"] for bar in one["bars"]) or 1.0}
    points = [
        {point["at"]: point for point in each["points"]} for each in one["curves"]
    ]
    sizes = sorted({at for each in points for at in each})
    rows = [
        {"at": f"{at:,g}", "cells": [each.get(at) for each in points]} for at in sizes
    ]
    return one | {"rows": rows}
