"""Removes what is due of a table, whatever its key is, a batch in each transaction."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Table,
    and_,
    delete,
    select,
    true,
    update,
)

from bot.store.transactions import Transactions


def remove_all(
    database: Transactions,
    table: Table,
    due: ColumnElement[bool],
    batch: int,
    *,
    still: ColumnElement[bool] | None = None,
    values: Mapping[str, Any] | None = None,
) -> int:
    """Remove rows, or set them to `values`, which makes them no longer due.

    Args:
        database: where.
        table: its rows.
        due: what holds of them.
        batch: how many at most in a transaction.
        still: what of `due` has to hold when that is done, if that is less: a condition
            on other tables would lock their rows.
        values: in the place of removing them.

    Returns:
        How many.
    """
    still = due if still is None else still
    keys = tuple(table.primary_key.columns)
    found = 0
    while True:
        rows = database.read(_listed(select(*keys).where(due).limit(batch)))
        done = database.write(_changed(table, rows, still, values)) if rows else 0
        if not done:
            return found
        found += done


def _listed(wanted: Any) -> Callable[[Connection], list[Row[Any]]]:
    return lambda made: list(made.execute(wanted))


def _changed(
    table: Table,
    rows: list[Row[Any]],
    still: ColumnElement[bool],
    values: Mapping[str, Any] | None,
) -> Callable[[Connection], int]:
    change = delete(table) if values is None else update(table).values(**values)
    each = [change.where(named & still) for named in _named(table, rows)]
    return lambda made: sum(made.execute(one).rowcount for one in each)


def _named(table: Table, rows: Iterable[Row[Any]]) -> Iterator[ColumnElement[bool]]:
    """Yield conditions that name rows by their keys.

    Rows whose keys differ in the last column alone are named together. A list
    of whole keys would do for all; MariaDB thinks a second about one of 500 pairs.
    """
    *firsts, last = table.primary_key.columns
    alike: dict[tuple[Any, ...], list[Any]] = {}
    for row in rows:
        alike.setdefault(tuple(row[:-1]), []).append(row[-1])
    for known, ends in alike.items():
        same = (column == value for column, value in zip(firsts, known, strict=True))
        yield and_(true(), *same, last.in_(ends))
