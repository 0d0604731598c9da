"""Jobs, positions in feeds, events that could not be read, and times that were missed."""

import sqlalchemy as sa
from alembic import op

from bot.store.migrations.steps import OPTIONS, double, index, long_text, moment, number

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the tables, referenced ones first."""
    _make_jobs()
    _make_positions()
    _make_dead_letters()
    _make_holes()


def _make_jobs() -> None:
    op.create_table(
        "jobs",
        sa.Column("id", number(), nullable=False),
        sa.Column("wiki", sa.String(255), nullable=False),
        sa.Column("title", sa.String(255), nullable=False),
        sa.Column("wiki_page_id", sa.BigInteger()),
        sa.Column("revision", sa.BigInteger()),
        sa.Column("reason", sa.String(100), nullable=False),
        sa.Column("urgency", sa.Integer(), nullable=False),
        sa.Column("asked_at", moment(), nullable=False),
        sa.Column("pause_s", double(), nullable=False),
        sa.Column("state", sa.String(100), nullable=False),
        sa.Column("due_at", moment(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("token", sa.BigInteger(), nullable=False),
        sa.Column("leased_until", moment()),
        sa.Column("worker", sa.String(100)),
        sa.Column("begun_at", moment()),
        sa.Column("begun_revision", sa.BigInteger()),
        sa.Column("again", sa.Boolean(create_constraint=False), nullable=False),
        sa.Column("note", long_text()),
        sa.Column("changed_at", moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_jobs"),
        sa.UniqueConstraint("wiki", "title", name="uq_jobs_wiki"),
        **OPTIONS,
    )
    index("jobs", ["state", "urgency", "due_at"])


def _make_positions() -> None:
    op.create_table(
        "positions",
        sa.Column("feed", sa.String(255), nullable=False),
        sa.Column("position", long_text(), nullable=False),
        sa.Column("received_at", moment(), nullable=False),
        sa.PrimaryKeyConstraint("feed", name="pk_positions"),
        **OPTIONS,
    )


def _make_dead_letters() -> None:
    op.create_table(
        "dead_letters",
        sa.Column("id", number(), nullable=False),
        sa.Column("feed", sa.String(255), nullable=False),
        sa.Column("received_at", moment(), nullable=False),
        sa.Column("reason", sa.String(100), nullable=False),
        sa.Column("detail", long_text(), nullable=False),
        sa.Column("raw", sa.LargeBinary(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_dead_letters"),
        _of_feed("dead_letters"),
        **OPTIONS,
    )
    index("dead_letters", ["received_at"])


def _make_holes() -> None:
    op.create_table(
        "holes",
        sa.Column("id", number(), nullable=False),
        sa.Column("feed", sa.String(255), nullable=False),
        sa.Column("since", moment(), nullable=False),
        sa.Column("until", moment()),
        sa.Column("filled_at", moment()),
        sa.PrimaryKeyConstraint("id", name="pk_holes"),
        _of_feed("holes"),
        **OPTIONS,
    )


def _of_feed(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["feed"], ["positions.feed"], name=f"fk_{table}_feed", ondelete="CASCADE"
    )
