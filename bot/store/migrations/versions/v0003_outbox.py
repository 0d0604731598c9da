"""What is to be written to wikis, and how much was written on which day."""

import sqlalchemy as sa
from alembic import op

from bot.store.migrations.steps import OPTIONS, index, long_text, moment, number

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make the tables."""
    _make_posts()
    _make_post_counts()


def _make_posts() -> None:
    op.create_table(
        "posts",
        sa.Column("id", number(), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("wiki", sa.String(255), nullable=False),
        sa.Column("title", sa.String(255), nullable=False),
        sa.Column("task", sa.String(100), nullable=False),
        sa.Column("user", sa.String(255), nullable=False),
        sa.Column("kind", sa.String(100), nullable=False),
        sa.Column("section", sa.Integer()),
        sa.Column("expected", long_text()),
        sa.Column("text", long_text(), nullable=False),
        sa.Column("text_sha256", sa.String(64), nullable=False),
        sa.Column("summary", long_text(), nullable=False),
        sa.Column("asked_at", moment(), nullable=False),
        sa.Column("state", sa.String(100), nullable=False),
        sa.Column("due_at", moment(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("token", sa.BigInteger(), nullable=False),
        sa.Column("leased_until", moment()),
        sa.Column("first_tried_at", moment()),
        sa.Column("counted_on", sa.Date()),
        sa.Column("revision", sa.BigInteger()),
        sa.Column("refusal", sa.String(100)),
        sa.Column("note", long_text()),
        sa.Column("changed_at", moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_posts"),
        sa.UniqueConstraint("name", name="uq_posts_name"),
        **OPTIONS,
    )
    for columns in (["state", "due_at"], ["wiki", "title"]):
        index("posts", columns)


def _make_post_counts() -> None:
    op.create_table(
        "post_counts",
        sa.Column("id", number(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("task", sa.String(100), nullable=False),
        sa.Column("scope", sa.String(100), nullable=False),
        sa.Column("wiki", sa.String(255), nullable=False),
        sa.Column("subject", sa.String(255), nullable=False),
        sa.Column("used", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_post_counts"),
        sa.UniqueConstraint(
            "day", "task", "scope", "wiki", "subject", name="uq_post_counts_day"
        ),
        **OPTIONS,
    )
