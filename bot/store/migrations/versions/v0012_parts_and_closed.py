"""Spending on language models by page and by person; when suggestions were closed.

Older programs can go on beside this one; their spending counts only for the day.
"""

import sqlalchemy as sa
from alembic import op

from bot.store.migrations.steps import OPTIONS, add, index, moment

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Add what is missing."""
    op.create_table(
        "spending_parts",
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("payer", sa.String(64), nullable=False),
        sa.Column("reserved", sa.BigInteger(), nullable=False),
        sa.Column("settled", sa.BigInteger(), nullable=False),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column("refused_at", moment()),
        sa.Column("changed_at", moment(), nullable=False),
        sa.PrimaryKeyConstraint("day", "payer", name="pk_spending_parts"),
        **OPTIONS,
    )
    add("reservations", sa.Column("payers", sa.String(255)))
    index("suggestions", ["closed_at"])
