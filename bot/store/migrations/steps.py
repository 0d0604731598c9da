"""Building blocks of migrations: column types, and steps that skip what is already done.

Additions are fine, changes are not, just as for migrations: both describe the tables of
their time, wherever they run. `bot.store.schema` describes the tables of today.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

_MARIADB = ("mysql", "mariadb")

_OPTIONS: dict[str, Any] = {
    f"{dialect}_{option}": value
    for dialect in _MARIADB
    for option, value in (
        ("engine", "InnoDB"),
        ("default_charset", "utf8mb4"),
        ("collate", "utf8mb4_nopad_bin"),
    )
}


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


def required(
    kind: sa.types.TypeEngine[Any], names: str, default: str | None = None
) -> list[sa.Column[Any]]:
    """Return columns of one type, by their `names`, that are never NULL."""
    return [
        sa.Column(name, kind, nullable=False, server_default=default)
        for name in names.split()
    ]


def optional(kind: sa.types.TypeEngine[Any], names: str) -> list[sa.Column[Any]]:
    """Return columns of one type, by their `names`, that may be NULL."""
    return [sa.Column(name, kind) for name in names.split()]


def make(
    table: str,
    *columns: list[sa.Column[Any]],
    key: Sequence[str] = ("id",),
    unique: Sequence[str] = (),
    owners: Mapping[str, str] | None = None,
    refers: Mapping[str, str] | None = None,
    indexes: Mapping[str, Sequence[str]] | None = None,
) -> None:
    """Make a table, or add the columns and indexes that it lacks.

    Args:
        table: its name.
        columns: of it.
        key: the columns of its primary key.
        unique: columns that are unique together.
        owners: columns that name a row in another table, and that row's; if it is
            deleted, so is this one.
        refers: the same, but such a row cannot be deleted.
        indexes: their columns, by the end of their names.
    """
    if is_there(table):
        add(table, *chain.from_iterable(columns))
    else:
        references = [(owners or {}, "CASCADE"), (refers or {}, None)]
        op.create_table(
            table,
            *chain.from_iterable(columns),
            sa.PrimaryKeyConstraint(*key, name=f"pk_{table}"),
            *(
                sa.ForeignKeyConstraint(
                    ours.split(),
                    theirs.split(),
                    name=f"fk_{table}_{ours.split()[-1]}",
                    ondelete=deleted,
                )
                for several, deleted in references
                for ours, theirs in several.items()
            ),
            *_unique(table, unique),
            **_OPTIONS,
        )
    for name, some in (indexes or {}).items():
        op.create_index(f"ix_{table}_{name}", table, list(some), if_not_exists=True)


def _unique(table: str, columns: Sequence[str]) -> list[sa.UniqueConstraint]:
    name = f"uq_{table}_{columns[0]}" if columns else ""
    return [sa.UniqueConstraint(*columns, name=name)] if columns else []


def add(table: str, *columns: sa.Column[Any]) -> None:
    """Add columns to an existing table, unless it has them."""
    known = {one["name"] for one in sa.inspect(op.get_bind()).get_columns(table)}
    for column in columns:
        if column.name not in known:
            op.add_column(table, column)


def is_there(table: str) -> bool:
    """Return whether there is a table of this name."""
    return table in sa.inspect(op.get_bind()).get_table_names()
