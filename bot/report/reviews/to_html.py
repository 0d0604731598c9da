"""Renders a review as one HTML file that needs nothing but itself."""

from bot.report.reviews.views import ReviewView
from bot.report.templating import templates


def render_html(view: ReviewView) -> str:
    """Return one self-contained page with all findings, by kind."""
    return (
        templates()
        .get_template("review.html")
        .render(view=view, review=view.review, page=view.review.page.id)
    )
