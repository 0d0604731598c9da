"""Rows as values and values as rows, by name; and what a newer version wrote.

A field comes from the column of its name: enums by the names of their members, lists
as JSON, an engine from the two columns that name it. What the names of columns do not
say, the caller gives.

After an update an older version and a newer one run for a while, and after a rollback
the older one goes on with the newer one's rows. It leaves alone what it does not know:
posts, plans and decisions of later kinds, and notes it does not understand. New
*states* are different: a migration that adds one has to raise `OLDEST` in
`bot.store.schema`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from enum import Enum
from functools import cache, partial
from typing import Any, TypeAlias, TypeVar, get_args, get_origin, get_type_hints

from sqlalchemy import Column, ColumnElement, Row, String, Table

from bot.store import sanitise
from handlers.model import Engine
from handlers.ports import TemporaryError

_T = TypeVar("_T")
_Stored = TypeVar("_Stored")
_Kind = TypeVar("_Kind", bound=Enum)
_Reader: TypeAlias = Callable[[Mapping[str, Any], str], Any]
_LATER_S = 3600.0


class NotKnown(TemporaryError):  # noqa: N818 - not an error: another version has it
    """Only a newer version of the program understands this row."""

    def __init__(self, what: object) -> None:
        super().__init__(
            f"a newer version of Sidenote stored {what}, which this version does not"
            " know; it is left to the newer one",
            retry_in_s=_LATER_S,
        )


def as_value(
    kind: type[_T], row: Row[*tuple[Any, ...]] | Mapping[str, Any], /, **given: Any
) -> _T:
    """Return a row as a value of a dataclass, with the fields that are `given`.

    Every other field needs a column of its name, even one that has a default.

    Raises:
        NotKnown: a newer version wrote it.
    """
    columns: Any = row._mapping if isinstance(row, Row) else row
    readers_of: Any = _readers
    plain, readers = readers_of(kind, *given)
    values = {name: columns[name] for name in plain}
    for name, read in readers:
        values[name] = read(columns, name)
    return kind(**values, **given)


def as_columns(table: Table, value: object, /, **given: Any) -> dict[str, Any]:
    """Return a value as columns of a table; those that are `given` are taken as they are.

    Long text is clipped. A column without a value of its name is left out.

    Raises:
        PermanentError: something that identifies is empty or too long.
    """
    found = {
        column.key: _stored(column, getattr(value, column.key))
        for column in table.columns
        if column.key not in given and hasattr(value, column.key)
    }
    if isinstance(engine := getattr(value, "engine", None), Engine):
        found |= sanitise.engine(engine)
    return found | given


def _stored(column: Column[Any], value: Any) -> Any:
    match value:
        case Enum():
            return value.name
        case tuple():
            names = (one.name if isinstance(one, Enum) else one for one in value)
            return sanitise.listed(names)
        case str() if isinstance(column.type, String) and column.type.length:
            is_nothing = value == "" and column.nullable
            what = column.key.replace("_", " ")
            return "" if is_nothing else sanitise.key(value, what, column.type.length)
        case str():
            return sanitise.text(value)
    return value


@cache
def _readers(
    kind: type[Any], *given: str
) -> tuple[tuple[str, ...], tuple[tuple[str, _Reader], ...]]:
    """Return the fields whose columns are taken as they are, and how to read the rest."""
    hints = get_type_hints(kind)
    names = [one.name for one in fields(kind) if one.name not in given]
    readers = {name: _reader(hints[name]) for name in names}
    plain = tuple(name for name, read in readers.items() if read is None)
    return plain, tuple((name, read) for name, read in readers.items() if read)


def _reader(hint: Any) -> _Reader | None:
    if hint is Engine:
        return _engine
    if get_origin(hint) is tuple:
        [kind, *_] = get_args(hint)
        return partial(_members, kind) if _is_enum(kind) else _texts
    if _is_enum(hint):
        return partial(_member, hint)
    for kind in get_args(hint):  # one of `X | None` may be an enum
        if _is_enum(kind):
            return partial(_member_or_none, kind)
    return None


def _is_enum(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Enum)


def _engine(columns: Mapping[str, Any], _name: str) -> Engine:
    return Engine(columns["engine_name"], columns["engine_version"])


def _member(kind: type[Enum], columns: Mapping[str, Any], name: str) -> Enum:
    return kind_of(kind, columns[name])


def _member_or_none(
    kind: type[Enum], columns: Mapping[str, Any], name: str
) -> Enum | None:
    return kind_of(kind, columns[name]) if columns[name] else None


def _texts(columns: Mapping[str, Any], name: str) -> tuple[str, ...]:
    return sanitise.unlisted(columns[name] or "[]")


def _members(
    kind: type[Enum], columns: Mapping[str, Any], name: str
) -> tuple[Enum, ...]:
    return tuple(kind_of(kind, one) for one in _texts(columns, name))


def known(column: ColumnElement[Any], kinds: type[Enum]) -> ColumnElement[bool]:
    """Return the condition that a column has the name of one of `kinds`, or NULL."""
    return column.is_(None) | column.in_(list(kinds.__members__))


def kind_of(kinds: type[_Kind], name: str) -> _Kind:
    """Return the kind with this name.

    Raises:
        NotKnown: there is none.
    """
    try:
        return kinds[name]
    except KeyError:
        raise NotKnown(f"“{name[:40]}”") from None


def counted(kinds: type[_Kind], rows: Iterable[tuple[str, int]]) -> Mapping[_Kind, int]:
    """Return counts by kind, without unknown kinds."""
    return {kinds[name]: count for name, count in rows if name in kinds.__members__}


def understood(read: Callable[[_Stored], _T], rows: Iterable[_Stored]) -> Iterator[_T]:
    """Read rows, except those that only a newer version understands."""
    for row in rows:
        try:
            value = read(row)
        except NotKnown:
            continue
        yield value
