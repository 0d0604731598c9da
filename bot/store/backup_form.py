"""How a backup looks: one JSON value a line, so that it can be read in fifty years.

The first line says what it is; then stands each table, its rows behind it, and the last
line counts them all. Whatever a row holds is text, a number or nothing; times are in ISO
form, bytes in base64. Pure.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from sqlalchemy import Column, Date, LargeBinary

from bot.store.schema import Moment
from handlers.ports import PermanentError

FORM = "sidenote backup 1"
_MOST_LINE = 64_000_000  # characters; a row holds 16 MiB of bytes at most


@dataclass(frozen=True, slots=True)
class Header:
    """What a backup says of itself: the version of its tables, and when it was made."""

    version: str
    made_at: str

    def line(self) -> str:
        """Return the first line of a backup."""
        return _line({"form": FORM, "version": self.version, "made_at": self.made_at})


def table_line(name: str, columns: Sequence[str]) -> str:
    """Return the line that begins a table."""
    return _line({"table": name, "columns": list(columns)})


def row_line(values: Sequence[Any]) -> str:
    """Return the line of a row."""
    return _line([_told(value) for value in values])


def end_line(rows: Mapping[str, int]) -> str:
    """Return the last line, which says that nothing is missing."""
    return _line({"end": dict(rows)})


def _line(value: object) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")) + "\n"


def _told(value: Any) -> Any:
    match value:
        case datetime() | date():
            return value.isoformat()
        case bytes():
            return b64encode(value).decode("ascii")
    return value


def value_of(column: Column[Any], told: Any) -> Any:
    """Return what a column holds, of what a line says.

    Raises:
        ValueError: it is none such.
    """
    if told is None or not isinstance(told, str):
        return told
    kind = column.type
    if isinstance(kind, Moment):
        return datetime.fromisoformat(told)
    if isinstance(kind, Date):
        return date.fromisoformat(told)
    if isinstance(kind, LargeBinary):
        return b64decode(told, validate=True)
    return told


@dataclass(frozen=True, slots=True)
class Begun:
    """Rows of this table follow, with these columns."""

    table: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ended:
    """Nothing follows; so many rows there are of each table."""

    rows: Mapping[str, int]


def header_of(line: str) -> Header:
    """Read the first line.

    Raises:
        PermanentError: it is no backup of ours.
    """
    try:
        given = json.loads(line)
        if given["form"] != FORM:
            raise ValueError(given["form"])
        return Header(str(given["version"]), str(given["made_at"]))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise PermanentError(
            "this is not a backup made by `sidenote backup`; name another file"
        ) from error


def parts_of(lines: Iterator[str]) -> Iterator[Begun | Ended | list[Any]]:
    """Read the lines behind the first.

    Raises:
        PermanentError: a line is damaged, or the last one is missing.
    """
    for number, line in enumerate(lines, start=2):
        try:
            part = _part(line)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise PermanentError(
                f"line {number} of the backup is damaged; take another backup"
            ) from error
        yield part
        if isinstance(part, Ended):
            return
    raise PermanentError("the backup ends early; take another one")


def _part(line: str) -> Begun | Ended | list[Any]:
    if len(line) > _MOST_LINE:
        raise ValueError("too long")
    given = json.loads(line)
    if isinstance(given, list):
        return given
    if "end" in given:
        return Ended({str(name): int(count) for name, count in given["end"].items()})
    return Begun(str(given["table"]), tuple(map(str, given["columns"])))
