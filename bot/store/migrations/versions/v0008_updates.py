"""Updates among the suggestions; what was searched for, and what belongs in sections."""

import sqlalchemy as sa
from alembic import op

from bot.store.migrations.steps import (
    OPTIONS,
    add,
    double,
    index,
    long_text,
    moment,
    number,
)

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Add what is missing."""
    add(
        "suggestions",
        sa.Column("update_kind", sa.String(100)),
        sa.Column("is_sensitive", sa.Boolean()),
    )
    _discoveries()
    _criteria()


def _discoveries() -> None:
    op.create_table(
        "discoveries",
        sa.Column("id", number(), nullable=False),
        sa.Column("page", number(), nullable=False),
        sa.Column("revision", number(), nullable=False),
        sa.Column("searched_at", moment(), nullable=False),
        sa.Column("since", sa.String(10)),
        sa.Column("until", sa.String(10)),
        sa.Column("stopped", sa.String(100), nullable=False),
        sa.Column("updates", sa.Integer(), nullable=False),
        sa.Column("took_s", double(), nullable=False),
        sa.Column("engine_name", sa.String(100), nullable=False),
        sa.Column("engine_version", sa.String(100), nullable=False),
        sa.Column("trace", long_text(), nullable=False),
        sa.Column("troubles", long_text(), nullable=False),
        sa.Column("is_sensitive", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_discoveries"),
        sa.UniqueConstraint("page", "searched_at", name="uq_discoveries_page"),
        sa.ForeignKeyConstraint(
            ["page"], ["pages.id"], name="fk_discoveries_page", ondelete="CASCADE"
        ),
        **OPTIONS,
    )
    index("discoveries", ["searched_at"])


def _criteria() -> None:
    op.create_table(
        "kept_criteria",
        sa.Column("id", number(), nullable=False),
        sa.Column("wiki", sa.String(255), nullable=False),
        sa.Column("title", sa.String(255), nullable=False),
        sa.Column("outline_sha256", sa.String(64), nullable=False),
        sa.Column("engine_name", sa.String(100), nullable=False),
        sa.Column("engine_version", sa.String(100), nullable=False),
        sa.Column("criteria", long_text(), nullable=False),
        sa.Column("kept_at", moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_kept_criteria"),
        sa.UniqueConstraint("wiki", "title", name="uq_kept_criteria_wiki"),
        **OPTIONS,
    )
    index("kept_criteria", ["kept_at"])
