"""What is spent on language models, by day.

Older programs can go on beside this one, but their spending is not counted here.
"""

import sqlalchemy as sa
from alembic import op

from bot.store.migrations.steps import OPTIONS, index, moment

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Add what is missing."""
    op.create_table(
        "spending",
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("reserved", sa.BigInteger(), nullable=False),
        sa.Column("settled", sa.BigInteger(), nullable=False),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column("refused_at", moment()),
        sa.Column("changed_at", moment(), nullable=False),
        sa.PrimaryKeyConstraint("day", name="pk_spending"),
        **OPTIONS,
    )
    op.create_table(
        "reservations",
        sa.Column("token", sa.String(64), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("money", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("token", name="pk_reservations"),
        **OPTIONS,
    )
    index("reservations", ["day"])
