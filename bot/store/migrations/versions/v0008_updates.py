"""Updates among the suggestions; what was looked for, and what belongs into sections."""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = "0008"
down_revision = "0007"

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
    known = {
        one["name"] for one in sa.inspect(op.get_bind()).get_columns("suggestions")
    }
    if "update_kind" not in known:
        op.add_column("suggestions", sa.Column("update_kind", sa.String(100)))
    if "is_sensitive" not in known:
        op.add_column("suggestions", sa.Column("is_sensitive", sa.Boolean()))
    _discoveries()
    _criteria()


def _discoveries() -> None:
    op.create_table(
        "discoveries",
        sa.Column("id", _number(), nullable=False),
        sa.Column("page", _number(), nullable=False),
        sa.Column("revision", _number(), nullable=False),
        sa.Column("searched_at", _moment(), nullable=False),
        sa.Column("since", sa.String(10)),
        sa.Column("until", sa.String(10)),
        sa.Column("stopped", sa.String(100), nullable=False),
        sa.Column("updates", sa.Integer(), nullable=False),
        sa.Column("took_s", _double(), nullable=False),
        sa.Column("engine_name", sa.String(100), nullable=False),
        sa.Column("engine_version", sa.String(100), nullable=False),
        sa.Column("trace", _long_text(), nullable=False),
        sa.Column("troubles", _long_text(), nullable=False),
        sa.Column("is_sensitive", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_discoveries"),
        sa.UniqueConstraint("page", "searched_at", name="uq_discoveries_page"),
        sa.ForeignKeyConstraint(
            ["page"], ["pages.id"], name="fk_discoveries_page", ondelete="CASCADE"
        ),
        **_OPTIONS,
    )
    _index("discoveries", "searched_at")


def _criteria() -> None:
    op.create_table(
        "kept_criteria",
        sa.Column("id", _number(), nullable=False),
        sa.Column("wiki", sa.String(255), nullable=False),
        sa.Column("title", sa.String(255), nullable=False),
        sa.Column("outline_sha256", sa.String(64), nullable=False),
        sa.Column("engine_name", sa.String(100), nullable=False),
        sa.Column("engine_version", sa.String(100), nullable=False),
        sa.Column("criteria", _long_text(), nullable=False),
        sa.Column("kept_at", _moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_kept_criteria"),
        sa.UniqueConstraint("wiki", "title", name="uq_kept_criteria_wiki"),
        **_OPTIONS,
    )
    _index("kept_criteria", "kept_at")


def _index(table: str, column: str) -> None:
    op.create_index(f"ix_{table}_{column}", table, [column], if_not_exists=True)


def _number() -> sa.BigInteger:
    return sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _double() -> sa.Float[float]:
    return sa.Float(53).with_variant(mysql.DOUBLE(asdecimal=False), *_MARIADB)


def _long_text() -> sa.Text:
    return sa.Text().with_variant(mysql.MEDIUMTEXT(), *_MARIADB)


def _moment() -> sa.DateTime:
    return sa.DateTime().with_variant(mysql.DATETIME(fsp=6), *_MARIADB)
