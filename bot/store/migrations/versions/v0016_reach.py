"""Texts that people supply, results of visits to addresses, and reports of problems."""

import sqlalchemy as sa
from alembic import op

from bot.store.migrations.steps import (
    OPTIONS,
    index,
    long_bytes,
    long_text,
    moment,
    number,
)

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    """Add what is missing."""
    op.create_table(
        "supplied_texts",
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("reader", sa.String(64), nullable=False),
        sa.Column("wiki", sa.String(255), nullable=False),
        sa.Column("title", sa.String(255), nullable=False),
        sa.Column("source_key", long_text(), nullable=False),
        sa.Column("body", long_bytes()),
        sa.Column("supplied_at", moment(), nullable=False),
        sa.Column("expires_at", moment(), nullable=False),
        sa.Column("ended_at", moment()),
        sa.Column("answer", long_text()),
        sa.Column("problem", long_text()),
        sa.PrimaryKeyConstraint("name", name="pk_supplied_texts"),
        **OPTIONS,
    )
    index("supplied_texts", ["expires_at"])
    op.create_table(
        "link_visits",
        sa.Column("id", number(), nullable=False),
        sa.Column("address_sha256", sa.String(64), nullable=False),
        sa.Column("address", long_text(), nullable=False),
        sa.Column("outcome", sa.String(100), nullable=False),
        sa.Column("http_status", sa.Integer()),
        sa.Column("led_to", long_text()),
        sa.Column("seen_from", sa.String(255), nullable=False),
        sa.Column("first_seen", moment(), nullable=False),
        sa.Column("last_seen", moment(), nullable=False),
        sa.Column("times", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_link_visits"),
        **OPTIONS,
    )
    index("link_visits", ["address_sha256", "last_seen"])
    index("link_visits", ["last_seen"], named="last_seen")
    op.create_table(
        "problem_reports",
        sa.Column("id", number(), nullable=False),
        sa.Column("wiki", sa.String(255), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("identity", sa.String(64), nullable=False),
        sa.Column("revision", sa.BigInteger()),
        sa.Column("verdict", sa.String(100), nullable=False),
        sa.Column("flag_kind", sa.String(100)),
        sa.Column("answer", sa.String(100)),
        sa.Column("reported_at", moment(), nullable=False),
        sa.Column("answered_at", moment()),
        sa.PrimaryKeyConstraint("id", name="pk_problem_reports"),
        sa.UniqueConstraint("wiki", "name", name="uq_problem_reports_wiki"),
        **OPTIONS,
    )
    index("problem_reports", ["reported_at"])
