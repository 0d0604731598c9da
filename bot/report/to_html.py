"""Renders reports as html."""

from collections.abc import Sequence

from bot.report.page_report import PageReport


def render_html(reports: Sequence[PageReport]) -> str:
    """Return the html form of `reports`."""
    return str(len(reports))
