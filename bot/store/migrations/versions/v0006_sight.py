"""Running processes, and what language models used."""

import sqlalchemy as sa
from alembic import op

from bot.store.migrations.steps import OPTIONS, double, index, long_text, moment

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "processes",
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("role", sa.String(100), nullable=False),
        sa.Column("host", sa.String(255), nullable=False),
        sa.Column("pid", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.String(100), nullable=False),
        sa.Column("started_at", moment(), nullable=False),
        sa.Column("seen_at", moment(), nullable=False),
        sa.Column("every_s", double(), nullable=False),
        sa.Column("problem", long_text(), nullable=False),
        sa.Column("figures", long_text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_processes"),
        **OPTIONS,
    )
    op.create_table(
        "model_uses",
        sa.Column(
            "id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
        ),
        sa.Column("used_at", moment(), nullable=False),
        sa.Column("model", sa.String(100), nullable=False),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column("remembered", sa.Integer(), nullable=False),
        sa.Column("input_tokens", sa.BigInteger(), nullable=False),
        sa.Column("output_tokens", sa.BigInteger(), nullable=False),
        sa.Column("billionths", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_model_uses"),
        **OPTIONS,
    )
    index("model_uses", ["used_at"])
