"""The fate of edits saved through the panel, figures by day, and the cost of pages."""

import sqlalchemy as sa
from alembic import op

from bot.store.migrations.steps import OPTIONS, add, index, long_text, moment, number

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    """Add what is missing."""
    op.create_table(
        "panel_edits",
        sa.Column("id", number(), nullable=False),
        sa.Column("wiki", sa.String(255), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.String(100), nullable=False),
        sa.Column("found_by", sa.String(100), nullable=False),
        sa.Column("saved_at", moment(), nullable=False),
        sa.Column("state", sa.String(100), nullable=False),
        sa.Column("looked_at", moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_panel_edits"),
        sa.UniqueConstraint("wiki", "revision", name="uq_panel_edits_wiki"),
        **OPTIONS,
    )
    index("panel_edits", ["saved_at"])
    op.create_table(
        "panel_edit_sweeps",
        sa.Column("wiki", sa.String(255), nullable=False),
        sa.Column("until", moment(), nullable=False),
        sa.PrimaryKeyConstraint("wiki", name="pk_panel_edit_sweeps"),
        **OPTIONS,
    )
    op.create_table(
        "accuracy_days",
        sa.Column("wiki", sa.String(255), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("figures", long_text(), nullable=False),
        sa.Column("kept_at", moment(), nullable=False),
        sa.PrimaryKeyConstraint("wiki", "day", name="pk_accuracy_days"),
        **OPTIONS,
    )
    add(
        "spending_parts",
        sa.Column("checks", sa.Integer()),
        sa.Column("fetches", sa.Integer()),
        sa.Column("tokens", sa.BigInteger()),
    )
    add("link_visits", sa.Column("archive_asked_at", moment()))
