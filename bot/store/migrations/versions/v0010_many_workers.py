"""Shares of the work, turns at hosts, and sources read by other processes.

Older programs can go on beside this one: what they queue belongs to the party of nobody
in particular, and the table of pages keeps the index that they use.
"""

import sqlalchemy as sa
from alembic import op

from bot.store.migrations.steps import (
    OPTIONS,
    add,
    double,
    index,
    long_bytes,
    long_text,
    moment,
    number,
)

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Add what is missing."""
    _parties()
    _shares()
    _hosts()
    _readings()


def _parties() -> None:
    party = sa.Column("party", sa.String(64), nullable=False, server_default="-")
    add("jobs", party)
    index("jobs", ["wiki", "party", "state", "urgency", "due_at"])


def _shares() -> None:
    op.create_table(
        "shares",
        sa.Column("wiki", sa.String(255), nullable=False),
        sa.Column("party", sa.String(64), nullable=False),
        sa.Column("ends", double(), nullable=False),
        sa.Column("clock", double(), nullable=False),
        sa.Column("served", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", moment(), nullable=False),
        sa.PrimaryKeyConstraint("wiki", "party", name="pk_shares"),
        **OPTIONS,
    )
    for name, columns in (
        ("wiki", ["wiki", "ends", "party"]),
        ("party", ["party", "ends", "wiki"]),
    ):
        index("shares", columns, named=name)


def _hosts() -> None:
    op.create_table(
        "hosts",
        sa.Column("host", sa.String(255), nullable=False),
        sa.Column("token", sa.BigInteger(), nullable=False),
        sa.Column("until", moment()),
        sa.Column("free_at", moment(), nullable=False),
        sa.Column("weary_until", moment()),
        sa.Column("changed_at", moment(), nullable=False),
        sa.PrimaryKeyConstraint("host", name="pk_hosts"),
        **OPTIONS,
    )
    index("hosts", ["changed_at"])


def _readings() -> None:
    op.create_table(
        "readings",
        sa.Column("id", number(), nullable=False),
        sa.Column("request", sa.String(64), nullable=False),
        sa.Column("host", sa.String(255), nullable=False),
        sa.Column("asked", long_text(), nullable=False),
        sa.Column("state", sa.String(100), nullable=False),
        sa.Column("asked_at", moment(), nullable=False),
        sa.Column("wanted_until", moment(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("token", sa.BigInteger(), nullable=False),
        sa.Column("leased_until", moment()),
        sa.Column("worker", sa.String(100)),
        sa.Column("answer", long_bytes()),
        sa.Column("changed_at", moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_readings"),
        sa.UniqueConstraint("request", name="uq_readings_request"),
        **OPTIONS,
    )
    for name, columns in (
        ("state", ["state", "asked_at"]),
        ("worker", ["worker", "state"]),
        ("changed_at", ["changed_at"]),
    ):
        index("readings", columns, named=name)
