"""Shows a draft as a dossier to write from: each sentence leads to what bears it out.

As text for a terminal, JSON for programs, HTML to read, and wikitext. Pure.
"""

from bot.report.drafts.citing import Setting
from bot.report.drafts.to_html import render_html
from bot.report.drafts.to_json import load_schema, render_json
from bot.report.drafts.to_text import render_text
from bot.report.drafts.wikitext import addresses, dossier, templates

__all__ = [
    "Setting",
    "addresses",
    "dossier",
    "load_schema",
    "render_html",
    "render_json",
    "render_text",
    "templates",
]
