"""Shows a review: each finding with its place, its guideline and a way to mend it.

As text for a terminal, JSON for programs, HTML to read. Pure.
"""

from bot.report.reviews.to_html import render_html
from bot.report.reviews.to_json import load_schema, render_json
from bot.report.reviews.to_text import render_text
from bot.report.reviews.views import ReviewView, review_view

__all__ = [
    "ReviewView",
    "load_schema",
    "render_html",
    "render_json",
    "render_text",
    "review_view",
]
