"""Problems of the program, and what pages and people refuse."""

import sqlalchemy as sa

from bot.store.migrations.steps import add, long_text, make, moment, optional, required

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    """Add what is missing."""
    make(
        "ailments",
        required(sa.String(100), "kind"),
        required(sa.String(255), "subject"),
        required(long_text(), "what remedy"),
        required(moment(), "since"),
        optional(moment(), "ended_at told_at"),
        key=["kind", "subject"],
    )
    add("pages", *optional(long_text(), "refusal"))
    add("watches", *optional(long_text(), "refuses"))
