"""The drafts that people asked for."""

import sqlalchemy as sa
from alembic import op

from bot.store.migrations.steps import OPTIONS, index, long_text, moment, number

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Add what is missing."""
    op.create_table(
        "drafts",
        sa.Column("id", number(), nullable=False),
        sa.Column("wiki", sa.String(255), nullable=False),
        sa.Column("page", sa.String(255), nullable=False),
        sa.Column("place", sa.String(255), nullable=False),
        sa.Column("watcher", sa.String(255), nullable=False),
        sa.Column("topic", sa.String(255), nullable=False),
        sa.Column("asked_in", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.String(100), nullable=False),
        sa.Column("due_at", moment(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("token", sa.BigInteger(), nullable=False),
        sa.Column("note", long_text(), nullable=False),
        sa.Column("text", long_text(), nullable=False),
        sa.Column("text_sha256", sa.String(64), nullable=False),
        sa.Column("drafted_at", moment()),
        sa.Column("revision", sa.BigInteger()),
        sa.Column("changed_at", moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_drafts"),
        sa.UniqueConstraint("wiki", "page", name="uq_drafts_wiki"),
        **OPTIONS,
    )
    for name, columns in (("place", ["wiki", "place"]), ("state", ["state", "due_at"])):
        index("drafts", columns, named=name)
