"""The page before a sign-in by edit began, and the browser and system used for it.

Earlier sign-ins by edit are forgotten, because it is not known what was saved since.
They last ten minutes at most, and whoever had begun one begins again.
"""

import sqlalchemy as sa
from alembic import op

from bot.store.migrations.steps import add

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Add what is missing."""
    add(
        "sign_ins",
        sa.Column("revision_before", sa.BigInteger()),
        sa.Column("log_before", sa.BigInteger()),
        sa.Column("browser", sa.String(100)),
        sa.Column("system", sa.String(100)),
    )
    known = sa.table("sign_ins", sa.column("way"), sa.column("revision_before"))
    op.execute(
        known.delete().where(
            (known.c.way == "PROOF") & known.c.revision_before.is_(None)
        )
    )
