"""Renders a ranking as one HTML file that needs nothing but itself."""

from bot.report.ranking.gathered import Ranking
from bot.report.templating import templates


def render_html(ranking: Ranking) -> str:
    """Return one self-contained page with the whole ranking."""
    return templates().get_template("ranking.html").render(ranking=ranking)
