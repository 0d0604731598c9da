"""Which processes run, and what language models took."""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = "0006"
down_revision = "0005"

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
    op.create_table(
        "processes",
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("role", sa.String(100), nullable=False),
        sa.Column("host", sa.String(255), nullable=False),
        sa.Column("pid", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.String(100), nullable=False),
        sa.Column("started_at", _moment(), nullable=False),
        sa.Column("seen_at", _moment(), nullable=False),
        sa.Column("every_s", _double(), nullable=False),
        sa.Column("problem", _long_text(), nullable=False),
        sa.Column("figures", _long_text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_processes"),
        **_OPTIONS,
    )
    op.create_table(
        "model_uses",
        sa.Column(
            "id",
            sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
            nullable=False,
        ),
        sa.Column("used_at", _moment(), nullable=False),
        sa.Column("model", sa.String(100), nullable=False),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column("remembered", sa.Integer(), nullable=False),
        sa.Column("input_tokens", sa.BigInteger(), nullable=False),
        sa.Column("output_tokens", sa.BigInteger(), nullable=False),
        sa.Column("billionths", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_model_uses"),
        **_OPTIONS,
    )
    op.create_index(
        "ix_model_uses_used_at", "model_uses", ["used_at"], if_not_exists=True
    )


def _double() -> sa.Float[float]:
    return sa.Float(53).with_variant(mysql.DOUBLE(asdecimal=False), *_MARIADB)


def _long_text() -> sa.Text:
    return sa.Text().with_variant(mysql.MEDIUMTEXT(), *_MARIADB)


def _moment() -> sa.DateTime:
    return sa.DateTime().with_variant(mysql.DATETIME(fsp=6), *_MARIADB)
