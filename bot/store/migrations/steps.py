"""What migrations are written in: kinds of columns, and steps that skip what is done.

Only added to, never changed, as little as a migration is: both say what tables became
at the time, wherever they run, and `bot.store.schema` says what they are now.
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
    """Return the kind of numbers that a database gives out, or that a wiki gave."""
    return sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def double() -> sa.Float[float]:
    """Return the kind of shares and seconds."""
    return sa.Float(53).with_variant(mysql.DOUBLE(asdecimal=False), *_MARIADB)


def moment() -> sa.DateTime:
    """Return the kind of points in time, to the microsecond."""
    return sa.DateTime().with_variant(mysql.DATETIME(fsp=6), *_MARIADB)


def long_text() -> sa.Text:
    """Return the kind of texts that no index is on, of up to 16 MiB."""
    return sa.Text().with_variant(mysql.MEDIUMTEXT(), *_MARIADB)


def long_bytes() -> sa.LargeBinary:
    """Return the kind of what is no text, of up to 16 MiB."""
    return sa.LargeBinary().with_variant(mysql.MEDIUMBLOB(), *_MARIADB)


def add(table: str, *columns: sa.Column[Any]) -> None:
    """Add columns to a table that is there, unless it has them."""
    known = {one["name"] for one in sa.inspect(op.get_bind()).get_columns(table)}
    for column in columns:
        if column.name not in known:
            op.add_column(table, column)


def index(table: str, columns: Sequence[str], *, named: str = "") -> None:
    """Make an index, unless it is there; named after its first column if not `named`."""
    name = f"ix_{table}_{named or columns[0]}"
    op.create_index(name, table, list(columns), if_not_exists=True)
