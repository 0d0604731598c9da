"""Jobs, how far feeds were read, events that could not be, and times that were missed."""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = "0002"
down_revision = "0001"

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
    """Make the tables, referenced ones first."""
    _make_jobs()
    _make_positions()
    _make_dead_letters()
    _make_holes()


def _make_jobs() -> None:
    op.create_table(
        "jobs",
        sa.Column("id", _row_id(), nullable=False),
        sa.Column("wiki", sa.String(255), nullable=False),
        sa.Column("title", sa.String(255), nullable=False),
        sa.Column("wiki_page_id", sa.BigInteger()),
        sa.Column("revision", sa.BigInteger()),
        sa.Column("reason", sa.String(100), nullable=False),
        sa.Column("urgency", sa.Integer(), nullable=False),
        sa.Column("asked_at", _moment(), nullable=False),
        sa.Column("pause_s", _seconds(), nullable=False),
        sa.Column("state", sa.String(100), nullable=False),
        sa.Column("due_at", _moment(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("token", sa.BigInteger(), nullable=False),
        sa.Column("leased_until", _moment()),
        sa.Column("worker", sa.String(100)),
        sa.Column("begun_at", _moment()),
        sa.Column("begun_revision", sa.BigInteger()),
        sa.Column("again", sa.Boolean(create_constraint=False), nullable=False),
        sa.Column("note", _long_text()),
        sa.Column("changed_at", _moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_jobs"),
        sa.UniqueConstraint("wiki", "title", name="uq_jobs_wiki"),
        **_OPTIONS,
    )
    op.create_index(
        "ix_jobs_state", "jobs", ["state", "urgency", "due_at"], if_not_exists=True
    )


def _make_positions() -> None:
    op.create_table(
        "positions",
        sa.Column("feed", sa.String(255), nullable=False),
        sa.Column("position", _long_text(), nullable=False),
        sa.Column("received_at", _moment(), nullable=False),
        sa.PrimaryKeyConstraint("feed", name="pk_positions"),
        **_OPTIONS,
    )


def _make_dead_letters() -> None:
    op.create_table(
        "dead_letters",
        sa.Column("id", _row_id(), nullable=False),
        sa.Column("feed", sa.String(255), nullable=False),
        sa.Column("received_at", _moment(), nullable=False),
        sa.Column("reason", sa.String(100), nullable=False),
        sa.Column("detail", _long_text(), nullable=False),
        sa.Column("raw", sa.LargeBinary(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_dead_letters"),
        _of_feed("dead_letters"),
        **_OPTIONS,
    )
    op.create_index(
        "ix_dead_letters_received_at",
        "dead_letters",
        ["received_at"],
        if_not_exists=True,
    )


def _make_holes() -> None:
    op.create_table(
        "holes",
        sa.Column("id", _row_id(), nullable=False),
        sa.Column("feed", sa.String(255), nullable=False),
        sa.Column("since", _moment(), nullable=False),
        sa.Column("until", _moment()),
        sa.Column("filled_at", _moment()),
        sa.PrimaryKeyConstraint("id", name="pk_holes"),
        _of_feed("holes"),
        **_OPTIONS,
    )


def _of_feed(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["feed"], ["positions.feed"], name=f"fk_{table}_feed", ondelete="CASCADE"
    )


def _row_id() -> sa.BigInteger:
    return sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _long_text() -> sa.Text:
    return sa.Text().with_variant(mysql.MEDIUMTEXT(), *_MARIADB)


def _seconds() -> sa.Float[float]:
    return sa.Float(53).with_variant(mysql.DOUBLE(asdecimal=False), *_MARIADB)


def _moment() -> sa.DateTime:
    return sa.DateTime().with_variant(mysql.DATETIME(fsp=6), *_MARIADB)
