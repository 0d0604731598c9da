"""Problems of the program, and what pages and people refuse."""

import sqlalchemy as sa
from alembic import op

from bot.store.migrations.steps import OPTIONS, add, long_text, moment

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    """Add what is missing."""
    op.create_table(
        "ailments",
        sa.Column("kind", sa.String(100), nullable=False),
        sa.Column("subject", sa.String(255), nullable=False),
        sa.Column("what", long_text(), nullable=False),
        sa.Column("remedy", long_text(), nullable=False),
        sa.Column("since", moment(), nullable=False),
        sa.Column("ended_at", moment()),
        sa.Column("told_at", moment()),
        sa.PrimaryKeyConstraint("kind", "subject", name="pk_ailments"),
        **OPTIONS,
    )
    add("pages", sa.Column("refusal", long_text()))
    add("watches", sa.Column("refuses", long_text()))
