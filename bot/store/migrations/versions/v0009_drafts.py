"""The drafts that people asked for."""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = "0009"
down_revision = "0008"

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
    """Add what is missing."""
    op.create_table(
        "drafts",
        sa.Column("id", _number(), nullable=False),
        sa.Column("wiki", sa.String(255), nullable=False),
        sa.Column("page", sa.String(255), nullable=False),
        sa.Column("place", sa.String(255), nullable=False),
        sa.Column("watcher", sa.String(255), nullable=False),
        sa.Column("topic", sa.String(255), nullable=False),
        sa.Column("asked_in", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.String(100), nullable=False),
        sa.Column("due_at", _moment(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("token", sa.BigInteger(), nullable=False),
        sa.Column("note", _long_text(), nullable=False),
        sa.Column("text", _long_text(), nullable=False),
        sa.Column("text_sha256", sa.String(64), nullable=False),
        sa.Column("drafted_at", _moment()),
        sa.Column("revision", sa.BigInteger()),
        sa.Column("changed_at", _moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_drafts"),
        sa.UniqueConstraint("wiki", "page", name="uq_drafts_wiki"),
        **_OPTIONS,
    )
    for name, columns in (("place", ["wiki", "place"]), ("state", ["state", "due_at"])):
        op.create_index(f"ix_drafts_{name}", "drafts", columns, if_not_exists=True)


def _number() -> sa.BigInteger:
    return sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _long_text() -> sa.Text:
    return sa.Text().with_variant(mysql.MEDIUMTEXT(), *_MARIADB)


def _moment() -> sa.DateTime:
    return sa.DateTime().with_variant(mysql.DATETIME(fsp=6), *_MARIADB)
