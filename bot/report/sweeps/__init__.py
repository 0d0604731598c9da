"""Shows what a sweep of a whole wiki came to, on one page and as JSON. Pure."""

from bot.report.sweeps.summary import HostLine, Line, SweepSummary, Trouble
from bot.report.sweeps.to_html import render_html
from bot.report.sweeps.to_json import render_json
from bot.report.sweeps.to_text import render_text

__all__ = [
    "HostLine",
    "Line",
    "SweepSummary",
    "Trouble",
    "render_html",
    "render_json",
    "render_text",
]
