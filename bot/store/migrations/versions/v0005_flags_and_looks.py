"""Why a suggestion is flagged and what would fix it; when a claim was checked.

For older rows this is not known: their suggestions are shown after the next check of
their page, which then checks every claim.
"""

import sqlalchemy as sa

from bot.store.migrations.steps import add, double, long_text, moment

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the columns that are missing."""
    add(
        "suggestions",
        sa.Column("flag_kind", sa.String(100)),
        sa.Column("flag_probability", double()),
        sa.Column("flag_threshold", double()),
        sa.Column("flag_precision", double()),
        sa.Column("place", sa.Integer()),
        sa.Column("remedies", long_text()),
    )
    add(
        "claim_checks",
        sa.Column("fingerprint", sa.String(64)),
        sa.Column("looked_at", moment()),
    )
