"""Readers count, not decisions: for whom a decision holds, and its part of a voice."""

import sqlalchemy as sa

from bot.store.migrations.steps import add, double, optional

revision = "0021"
down_revision = "0019"


def upgrade() -> None:
    """Add what is missing."""
    add("decisions", *optional(sa.Boolean(), "is_own"))
    add("decisions", *optional(double(), "voice"))
