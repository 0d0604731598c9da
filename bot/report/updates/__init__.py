"""Shows what is newer than an article: the old sentence beside dated quotes.

As text for a terminal, JSON for programs, HTML to read. How each was found, and why
the rest was passed over, stands below. Pure.
"""

from bot.report.updates.to_html import render_html
from bot.report.updates.to_json import load_schema, render_json
from bot.report.updates.to_text import render_text
from bot.report.updates.views import News, news

__all__ = ["News", "load_schema", "news", "render_html", "render_json", "render_text"]
