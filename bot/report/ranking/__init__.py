"""Shows many pages' claims in one list, those that fail likeliest first.

As text for a terminal, JSON and CSV for programs, HTML to read. What could not be
checked, and pages that could not be read, stand apart in every form. Pure.
"""

from bot.report.ranking.gathered import Failure, Ranking, gathered, ranking
from bot.report.ranking.to_csv import render_csv
from bot.report.ranking.to_html import render_html
from bot.report.ranking.to_json import load_schema, render_json
from bot.report.ranking.to_text import render_text

__all__ = [
    "Failure",
    "Ranking",
    "gathered",
    "load_schema",
    "ranking",
    "render_csv",
    "render_html",
    "render_json",
    "render_text",
]
