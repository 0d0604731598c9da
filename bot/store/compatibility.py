"""How an older version of the program treats rows of a newer one.

After an update both run for a while, and after a rollback the older one goes on with
the newer one's rows. It leaves alone what it does not know: posts, plans and decisions
of later kinds, and notes it does not understand. New *states* are different: a
migration that adds one has to raise `OLDEST` in `bot.store.schema`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from typing import Any, TypeVar

from sqlalchemy import ColumnElement

from handlers.ports import TemporaryError

_T = TypeVar("_T")
_Row = TypeVar("_Row")
_Kind = TypeVar("_Kind", bound=Enum)
_LATER_S = 3600.0


class NotKnown(TemporaryError):  # noqa: N818 - not an error: another version has it
    """Only a newer version of the program understands this row."""

    def __init__(self, what: object) -> None:
        super().__init__(
            f"a newer version of Sidenote stored {what}, which this version does not"
            " know; it is left to the newer one",
            retry_in_s=_LATER_S,
        )


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


def understood(read: Callable[[_Row], _T], rows: Iterable[_Row]) -> Iterator[_T]:
    """Read rows, except those that only a newer version understands."""
    for row in rows:
        try:
            value = read(row)
        except NotKnown:
            continue
        yield value
