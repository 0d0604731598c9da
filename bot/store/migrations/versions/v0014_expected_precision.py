"""How many flags like a suggestion's are right, where few citations fail.

Of older rows that is not known until their pages are looked at again. What they say of
precision is forgotten: it was that of rows of which two thirds failed, and whoever reads
it beside a real article is misled.
"""

import sqlalchemy as sa
from alembic import op

from bot.store.migrations.steps import add, long_text

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Add the column that is missing, and empty the one that misled."""
    add("suggestions", sa.Column("flag_expected", long_text()))
    known = sa.table("suggestions", sa.column("flag_precision"))
    told = known.c.flag_precision.is_not(None)
    op.execute(known.update().values(flag_precision=None).where(told))
