"""Renders a run of update discovery as one HTML file that needs nothing but itself."""

from bot.report.templating import templates
from bot.report.updates.views import News


def render_html(found: News) -> str:
    """Return one self-contained page with all updates and the trace."""
    run = found.discovery
    return (
        templates()
        .get_template("updates.html")
        .render(news=found, run=run, page=run.subject.page.id)
    )
