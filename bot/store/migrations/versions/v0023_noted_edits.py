"""Edits that were noted, and what became of them."""

import sqlalchemy as sa

from bot.store.migrations.steps import make, moment, number, optional, required

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    """Add what is missing."""
    make(
        "noted_edits",
        required(number(), "id"),
        required(sa.String(255), "wiki"),
        required(sa.String(64), "identity"),
        required(sa.String(100), "kind"),
        required(moment(), "noted_at"),
        optional(sa.String(100), "became"),
        optional(sa.Boolean(), "is_final"),
        optional(moment(), "looked_at"),
        unique=("wiki", "identity"),
        indexes={"wiki": ("wiki", "noted_at"), "noted_at": ("noted_at",)},
    )
