"""Building blocks of migrations: column types, and steps that skip what is already done.

Additions are fine, changes are not, just as for migrations: both describe the tables of
their time, wherever they run. `bot.store.schema` describes the tables of today.
"""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

_MARIADB = ("mysql", "mariadb")

OPTIONS: dict[str, Any] = {
    "mysql_engine": "InnoDB",
    "mariadb_engine": "InnoDB",
    "mysql_default_charset": "utf8mb4",
    "mariadb_default_charset": "utf8mb4",
    "mysql_collate": "utf8mb4_nopad_bin",
    "mariadb_collate": "utf8mb4_nopad_bin",
    "if_not_exists": True,
}
"""Of each table that is made."""


def number() -> sa.BigInteger:
    """Return the type of numbers assigned by a database or a wiki."""
    return sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def double() -> sa.Float[float]:
    """Return the type of fractions and durations in seconds."""
    return sa.Float(53).with_variant(mysql.DOUBLE(asdecimal=False), *_MARIADB)


def moment() -> sa.DateTime:
    """Return the type of points in time, to the microsecond."""
    return sa.DateTime().with_variant(mysql.DATETIME(fsp=6), *_MARIADB)


def long_text() -> sa.Text:
    """Return the type of texts without an index, up to 16 MiB."""
    return sa.Text().with_variant(mysql.MEDIUMTEXT(), *_MARIADB)


def long_bytes() -> sa.LargeBinary:
    """Return the type of binary data, up to 16 MiB."""
    return sa.LargeBinary().with_variant(mysql.MEDIUMBLOB(), *_MARIADB)


def add(table: str, *columns: sa.Column[Any]) -> None:
    """Add columns to an existing table, unless it has them."""
    known = {one["name"] for one in sa.inspect(op.get_bind()).get_columns(table)}
    for column in columns:
        if column.name not in known:
            op.add_column(table, column)


def index(table: str, columns: Sequence[str], *, named: str = "") -> None:
    """Create an index unless it exists; named after its first column if not `named`."""
    name = f"ix_{table}_{named or columns[0]}"
    op.create_index(name, table, list(columns), if_not_exists=True)
