"""What is to be written to wikis, and how much of it was written on which day."""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = "0003"
down_revision = "0002"

_MARIADB = ("mysql", "mariadb")
_OPTIONS: dict[str, Any] = {
    "mysql_engine": "InnoDB",
    "mariadb_engine": "InnoDB",
    "mysql_default_charset": "utf8mb4",
    "mariadb_default_charset": "utf8mb4",
    "mysql_collate": "utf8mb4_nopad_bin",
    "mariadb_collate": "utf8mb4_nopad_bin",
    "if_not_exists": True,
}


def upgrade() -> None:
    """Make the tables."""
    _make_posts()
    _make_post_counts()


def _make_posts() -> None:
    op.create_table(
        "posts",
        sa.Column("id", _row_id(), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("wiki", sa.String(255), nullable=False),
        sa.Column("title", sa.String(255), nullable=False),
        sa.Column("task", sa.String(100), nullable=False),
        sa.Column("user", sa.String(255), nullable=False),
        sa.Column("kind", sa.String(100), nullable=False),
        sa.Column("section", sa.Integer()),
        sa.Column("expected", _long_text()),
        sa.Column("text", _long_text(), nullable=False),
        sa.Column("text_sha256", sa.String(64), nullable=False),
        sa.Column("summary", _long_text(), nullable=False),
        sa.Column("asked_at", _moment(), nullable=False),
        sa.Column("state", sa.String(100), nullable=False),
        sa.Column("due_at", _moment(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("token", sa.BigInteger(), nullable=False),
        sa.Column("leased_until", _moment()),
        sa.Column("first_tried_at", _moment()),
        sa.Column("counted_on", sa.Date()),
        sa.Column("revision", sa.BigInteger()),
        sa.Column("refusal", sa.String(100)),
        sa.Column("note", _long_text()),
        sa.Column("changed_at", _moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_posts"),
        sa.UniqueConstraint("name", name="uq_posts_name"),
        **_OPTIONS,
    )
    for columns in (["state", "due_at"], ["wiki", "title"]):
        op.create_index(f"ix_posts_{columns[0]}", "posts", columns, if_not_exists=True)


def _make_post_counts() -> None:
    op.create_table(
        "post_counts",
        sa.Column("id", _row_id(), nullable=False),
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
        **_OPTIONS,
    )


def _row_id() -> sa.BigInteger:
    return sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _long_text() -> sa.Text:
    return sa.Text().with_variant(mysql.MEDIUMTEXT(), *_MARIADB)


def _moment() -> sa.DateTime:
    return sa.DateTime().with_variant(mysql.DATETIME(fsp=6), *_MARIADB)
