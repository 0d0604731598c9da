"""Which revision a page had when a post to it was first tried."""

import sqlalchemy as sa

from bot.store.migrations.steps import add, optional

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    """Add what is missing."""
    add("posts", *optional(sa.BigInteger(), "first_base"))
