"""The fate of edits saved through the panel, figures by day, and the cost of pages."""

import sqlalchemy as sa

from bot.store.migrations.steps import (
    add,
    long_text,
    make,
    moment,
    number,
    optional,
    required,
)

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    """Add what is missing."""
    make(
        "panel_edits",
        required(number(), "id"),
        required(sa.String(255), "wiki"),
        required(sa.BigInteger(), "revision"),
        required(sa.String(100), "kind found_by state"),
        required(moment(), "saved_at looked_at"),
        unique=["wiki", "revision"],
        indexes={"saved_at": ["saved_at"]},
    )
    make(
        "panel_edit_sweeps",
        required(sa.String(255), "wiki"),
        required(moment(), "until"),
        key=["wiki"],
    )
    make(
        "accuracy_days",
        required(sa.String(255), "wiki"),
        required(sa.Date(), "day"),
        required(long_text(), "figures"),
        required(moment(), "kept_at"),
        key=["wiki", "day"],
    )
    add("spending_parts", *optional(sa.Integer(), "checks fetches"))
    add("spending_parts", *optional(sa.BigInteger(), "tokens"))
    add("link_visits", *optional(moment(), "archive_asked_at"))
