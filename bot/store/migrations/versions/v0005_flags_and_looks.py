"""What a suggestion is flagged for and what would mend it; when a claim was looked at.

Of older rows nothing of this is known: their suggestions are published once the page
was looked at again, which then looks at every claim.
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
