"""How many flags like a suggestion's are right if few citations fail.

For older rows this is not known until their pages are checked again. Their precision is
deleted: it was measured on claims of which two thirds failed, which misleads readers of
a real article.
"""

import sqlalchemy as sa
from alembic import op

from bot.store.migrations.steps import add, long_text

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Add the column that is missing, and empty the misleading one."""
    add("suggestions", sa.Column("flag_expected", long_text()))
    known = sa.table("suggestions", sa.column("flag_precision"))
    told = known.c.flag_precision.is_not(None)
    op.execute(known.update().values(flag_precision=None).where(told))
