"""Shows checked pages: as HTML to read, as text for a terminal, as JSON for programs.

Pure presentation: values in, a string out; nothing is read but this package's own templates
and schemas. Everything from a page or the web is untrusted.

`page_report` is what a check returns: read it first. `notes` is what was found, `claims`
what each claim shows, `words` puts figures, times and enums into words; `to_text`, `to_html`
and `to_json` lay them out. `reviews`, `updates`, `dossiers` and `rankings` are the other
reports.
"""

from bot.report.claims import consultation_lines, expectation_line
from bot.report.page_report import (
    ATTENTION,
    ClaimState,
    PageReport,
    claim_state,
)
from bot.report.to_html import render_html
from bot.report.to_json import render_json
from bot.report.to_text import render_summary, render_text, summary_line

__all__ = [
    "ATTENTION",
    "ClaimState",
    "PageReport",
    "claim_state",
    "consultation_lines",
    "expectation_line",
    "render_html",
    "render_json",
    "render_summary",
    "render_text",
    "summary_line",
]
