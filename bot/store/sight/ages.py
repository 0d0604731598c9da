"""Counts rows by how old they are, in the database itself."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, case, func, select, true

from bot.store.sight.values.waiting import AGES_S, Ages


def ages_by(
    connection: Connection,
    table: Table,
    group: ColumnElement[Any],
    moment: ColumnElement[datetime],
    now: datetime,
    *,
    where: ColumnElement[bool] | None = None,
) -> Mapping[Any, Ages]:
    """Return the ages of the rows of `table` for each value of `group`.

    Args:
        connection: in a transaction.
        table: whose rows are counted.
        group: what they are parted by.
        moment: from when the age of a row counts.
        now: the time.
        where: which rows count; all, if left out.
    """
    edges = [now - timedelta(seconds=age) for age in AGES_S]
    older = [moment <= edge for edge in edges]
    classes = [
        moment > now,
        (moment <= now) & ~older[0],
        *(old & ~older[at] for at, old in enumerate(older[:-1], 1)),
        older[-1],
    ]
    rows = connection.execute(
        select(group, func.min(moment), *map(_count, classes))
        .select_from(table)
        .where(true() if where is None else where)
        .group_by(group)
    )
    return {
        row[0]: Ages(int(row[2]), tuple(int(count) for count in row[3:]), row[1])
        for row in rows
    }


def _count(matching: ColumnElement[bool]) -> ColumnElement[int]:
    return func.coalesce(func.sum(case((matching, 1), else_=0)), 0)
