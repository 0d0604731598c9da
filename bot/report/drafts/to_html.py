"""Renders a draft as one HTML file that needs nothing but itself.

Each citation unfolds, by click or key, the passage it stands on, and leads out to it.
"""

from bot.records.watches import Policy
from bot.report.drafts.telling import name_of, what_it_is
from bot.report.drafts.views import dossier_view
from bot.report.templating import templates
from handlers.model import Draft


def render_html(draft: Draft, policy: Policy = Policy.POINTER) -> str:
    """Return one self-contained page with the dossier and what became of the rest."""
    shown = dossier_view(draft, policy)
    return (
        templates()
        .get_template("draft.html")
        .render(
            dossier=shown,
            draft=draft,
            policy=policy,
            what=what_it_is(shown),
            left_out=[(name_of(one), one) for one in draft.left_out],
            sources={one.number: one for one in shown.sources},
        )
    )
