"""Edits of a whole wiki that are looked at, and how many a day."""

import sqlalchemy as sa

from bot.store.migrations.steps import add, make, optional, required

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    """Add what is missing."""
    add(
        "tasks",
        *optional(sa.BigInteger(), "since_revision"),
        *optional(sa.Boolean(), "is_by_bots"),
    )
    make(
        "patrol_days",
        required(sa.String(255), "wiki"),
        required(sa.Date(), "day"),
        required(
            sa.Integer(),
            "events diffs not_read candidates over_budget sources notes",
        ),
        key=["wiki", "day"],
    )
