"""What is spent on language models, by day.

Programs of before go on beside this, but what they spend is not counted here.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = "0011"
down_revision = "0010"

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
        "spending",
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("reserved", sa.BigInteger(), nullable=False),
        sa.Column("settled", sa.BigInteger(), nullable=False),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column("refused_at", _moment()),
        sa.Column("changed_at", _moment(), nullable=False),
        sa.PrimaryKeyConstraint("day", name="pk_spending"),
        **_OPTIONS,
    )
    op.create_table(
        "reservations",
        sa.Column("token", sa.String(64), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("money", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("token", name="pk_reservations"),
        **_OPTIONS,
    )
    op.create_index("ix_reservations_day", "reservations", ["day"], if_not_exists=True)


def _moment() -> sa.DateTime:
    return sa.DateTime().with_variant(mysql.DATETIME(fsp=6), "mysql", "mariadb")
