"""What a suggestion is flagged for and what would mend it; when a claim was looked at.

Of older rows nothing of this is known: their suggestions are published once the page
was looked at again, which then looks at every claim.
"""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = "0005"
down_revision = "0004"

_MARIADB = ("mysql", "mariadb")


def upgrade() -> None:
    """Add the columns that are missing."""
    _add(
        "suggestions",
        sa.Column("flag_kind", sa.String(100)),
        sa.Column("flag_probability", _share()),
        sa.Column("flag_threshold", _share()),
        sa.Column("flag_precision", _share()),
        sa.Column("place", sa.Integer()),
        sa.Column("remedies", sa.Text().with_variant(mysql.MEDIUMTEXT(), *_MARIADB)),
    )
    _add(
        "claim_checks",
        sa.Column("fingerprint", sa.String(64)),
        sa.Column(
            "looked_at", sa.DateTime().with_variant(mysql.DATETIME(fsp=6), *_MARIADB)
        ),
    )


def _add(table: str, *columns: sa.Column[Any]) -> None:
    known = {one["name"] for one in sa.inspect(op.get_bind()).get_columns(table)}
    for column in columns:
        if column.name not in known:
            op.add_column(table, column)


def _share() -> sa.Float[float]:
    return sa.Float(53).with_variant(mysql.DOUBLE(asdecimal=False), *_MARIADB)
