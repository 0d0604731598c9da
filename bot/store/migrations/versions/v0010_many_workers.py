"""Who gets which share of the work, whose turn it is at a host, and what is read elsewhere.

Programs of before go on beside this: what they put waits under the party that nobody
in particular is, and the table of pages keeps the index that they ask by.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = "0010"
down_revision = "0009"

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
    _parties()
    _shares()
    _hosts()
    _readings()


def _parties() -> None:
    known = {one["name"] for one in sa.inspect(op.get_bind()).get_columns("jobs")}
    if "party" not in known:
        party = sa.Column("party", sa.String(64), nullable=False, server_default="-")
        op.add_column("jobs", party)
    columns = ["wiki", "party", "state", "urgency", "due_at"]
    op.create_index("ix_jobs_wiki", "jobs", columns, if_not_exists=True)


def _shares() -> None:
    op.create_table(
        "shares",
        sa.Column("wiki", sa.String(255), nullable=False),
        sa.Column("party", sa.String(64), nullable=False),
        sa.Column("ends", _double(), nullable=False),
        sa.Column("clock", _double(), nullable=False),
        sa.Column("served", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", _moment(), nullable=False),
        sa.PrimaryKeyConstraint("wiki", "party", name="pk_shares"),
        **_OPTIONS,
    )
    for name, columns in (
        ("wiki", ["wiki", "ends", "party"]),
        ("party", ["party", "ends", "wiki"]),
    ):
        op.create_index(f"ix_shares_{name}", "shares", columns, if_not_exists=True)


def _hosts() -> None:
    op.create_table(
        "hosts",
        sa.Column("host", sa.String(255), nullable=False),
        sa.Column("token", sa.BigInteger(), nullable=False),
        sa.Column("until", _moment()),
        sa.Column("free_at", _moment(), nullable=False),
        sa.Column("weary_until", _moment()),
        sa.Column("changed_at", _moment(), nullable=False),
        sa.PrimaryKeyConstraint("host", name="pk_hosts"),
        **_OPTIONS,
    )
    op.create_index("ix_hosts_changed_at", "hosts", ["changed_at"], if_not_exists=True)


def _readings() -> None:
    op.create_table(
        "readings",
        sa.Column("id", _number(), nullable=False),
        sa.Column("request", sa.String(64), nullable=False),
        sa.Column("host", sa.String(255), nullable=False),
        sa.Column("asked", _long_text(), nullable=False),
        sa.Column("state", sa.String(100), nullable=False),
        sa.Column("asked_at", _moment(), nullable=False),
        sa.Column("wanted_until", _moment(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("token", sa.BigInteger(), nullable=False),
        sa.Column("leased_until", _moment()),
        sa.Column("worker", sa.String(100)),
        sa.Column("answer", _long_bytes()),
        sa.Column("changed_at", _moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_readings"),
        sa.UniqueConstraint("request", name="uq_readings_request"),
        **_OPTIONS,
    )
    for name, columns in (
        ("state", ["state", "asked_at"]),
        ("worker", ["worker", "state"]),
        ("changed_at", ["changed_at"]),
    ):
        op.create_index(f"ix_readings_{name}", "readings", columns, if_not_exists=True)


def _number() -> sa.BigInteger:
    return sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _double() -> sa.Float[float]:
    return sa.Float(53).with_variant(mysql.DOUBLE(asdecimal=False), *_MARIADB)


def _long_text() -> sa.Text:
    return sa.Text().with_variant(mysql.MEDIUMTEXT(), *_MARIADB)


def _long_bytes() -> sa.LargeBinary:
    return sa.LargeBinary().with_variant(mysql.MEDIUMBLOB(), *_MARIADB)


def _moment() -> sa.DateTime:
    return sa.DateTime().with_variant(mysql.DATETIME(fsp=6), *_MARIADB)
