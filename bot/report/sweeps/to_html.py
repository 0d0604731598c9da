"""Renders a sweep as one HTML page that needs nothing but itself."""

from collections.abc import Mapping

from bot.report.sweeps.summary import SweepSummary
from bot.report.templating import templates


def render_html(summary: SweepSummary) -> str:
    """Return the page."""
    environment = templates()
    environment.filters["combined"] = _combined
    return environment.get_template("sweep.html").render(sweep=summary)


def _combined(
    tally: Mapping[str, int], other: Mapping[str, int], prefix: str
) -> dict[str, int]:
    return {**tally, **{f"{prefix}{name}": number for name, number in other.items()}}
