"""What people asked to have watched, what is planned for them, and what they saw."""

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

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the tables, and give each post its plan."""
    _make_watches()
    _make_watched_pages()
    _make_plans()
    _make_told_notes()
    _make_small_tables()
    _widen_posts()
    index("suggestions", ["identity"])


def _make_watches() -> None:
    op.create_table(
        "watches",
        sa.Column("id", number(), nullable=False),
        sa.Column("wiki", sa.String(255), nullable=False),
        sa.Column("place", sa.String(255), nullable=False),
        sa.Column("kind", sa.String(100), nullable=False),
        sa.Column("watcher", sa.String(255), nullable=False),
        sa.Column("checks", long_text(), nullable=False),
        sa.Column("surfaces", long_text(), nullable=False),
        sa.Column("languages", long_text(), nullable=False),
        sa.Column("report", sa.String(255)),
        sa.Column("interval_s", sa.BigInteger(), nullable=False),
        sa.Column("most_count", sa.BigInteger(), nullable=False),
        sa.Column("most_per", sa.String(100), nullable=False),
        sa.Column("min_confidence", double()),
        sa.Column("kept_at", moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_watches"),
        sa.UniqueConstraint("wiki", "place", name="uq_watches_wiki"),
        **OPTIONS,
    )


def _make_watched_pages() -> None:
    op.create_table(
        "watched_pages",
        sa.Column("watch", number(), nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("wiki", sa.String(255), nullable=False),
        sa.Column("title", sa.String(255), nullable=False),
        sa.PrimaryKeyConstraint("watch", "position", name="pk_watched_pages"),
        sa.ForeignKeyConstraint(
            ["watch"],
            ["watches.id"],
            name="fk_watched_pages_watch",
            ondelete="CASCADE",
        ),
        **OPTIONS,
    )
    index("watched_pages", ["wiki", "title"])


def _make_plans() -> None:
    op.create_table(
        "plans",
        sa.Column("id", number(), nullable=False),
        sa.Column("kind", sa.String(100), nullable=False),
        sa.Column("wiki", sa.String(255), nullable=False),
        sa.Column("subject", sa.String(255), nullable=False),
        sa.Column("state", sa.String(100), nullable=False),
        sa.Column("due_at", moment(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("token", sa.BigInteger(), nullable=False),
        sa.Column("leased_until", moment()),
        sa.Column("again", sa.Boolean(create_constraint=False), nullable=False),
        sa.Column("note", long_text()),
        sa.Column("changed_at", moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_plans"),
        sa.UniqueConstraint("kind", "wiki", "subject", name="uq_plans_kind"),
        **OPTIONS,
    )
    index("plans", ["state", "due_at"])
    index("plans", ["kind", "state", "due_at"])


def _make_told_notes() -> None:
    op.create_table(
        "told_notes",
        sa.Column("id", number(), nullable=False),
        sa.Column("wiki", sa.String(255), nullable=False),
        sa.Column("place", sa.String(255), nullable=False),
        sa.Column("short", sa.String(64), nullable=False),
        sa.Column("identity", sa.String(64), nullable=False),
        sa.Column("article", sa.String(255), nullable=False),
        sa.Column("check_kind", sa.String(100), nullable=False),
        sa.Column("watcher", sa.String(255), nullable=False),
        sa.Column("state", sa.String(100), nullable=False),
        sa.Column("told_at", moment(), nullable=False),
        sa.Column("changed_at", moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_told_notes"),
        sa.UniqueConstraint("wiki", "place", "short", name="uq_told_notes_wiki"),
        **OPTIONS,
    )
    index("told_notes", ["wiki", "told_at"])
    index("told_notes", ["told_at"])


def _make_small_tables() -> None:
    op.create_table(
        "versions",
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_versions"),
        **OPTIONS,
    )
    op.create_table(
        "communities",
        sa.Column("wiki", sa.String(255), nullable=False),
        sa.Column("text", long_text(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("faults", long_text(), nullable=False),
        sa.Column("read_at", moment(), nullable=False),
        sa.PrimaryKeyConstraint("wiki", name="pk_communities"),
        **OPTIONS,
    )
    op.create_table(
        "turns",
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("holder", sa.String(100), nullable=False),
        sa.Column("began_at", moment(), nullable=False),
        sa.Column("until", moment(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_turns"),
        **OPTIONS,
    )


def _widen_posts() -> None:
    add(
        "posts",
        sa.Column("plan", sa.String(100)),
        sa.Column("subject", sa.String(255)),
        sa.Column("adds", long_text()),
        sa.Column("settles", long_text()),
    )
