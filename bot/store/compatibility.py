"""What a newer version of the program kept, as an older one beside it meets it.

After an update both run for a while, and after a rollback the older one continues with the
rows of the newer. It leaves alone what it does not know: posts, plans and decisions of
kinds that came later, notes of which it does not know what they say. New *states* are no
such kinds: a migration that brings one has to raise `OLDEST` in `bot.store.schema`.
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
    """A row says what only a newer version of the program understands."""

    def __init__(self, what: object) -> None:
        super().__init__(
            f"a newer version of Sidenote kept {what}, which this one does not know; it"
            " is left to that version",
            retry_in_s=_LATER_S,
        )


def known(column: ColumnElement[Any], kinds: type[Enum]) -> ColumnElement[bool]:
    """Return the condition that a column names one of `kinds`, or nothing."""
    return column.is_(None) | column.in_(list(kinds.__members__))


def kind_of(kinds: type[_Kind], name: str) -> _Kind:
    """Return the kind of this name.

    Raises:
        NotKnown: there is none.
    """
    try:
        return kinds[name]
    except KeyError:
        raise NotKnown(f"“{name[:40]}”") from None


def counted(kinds: type[_Kind], rows: Iterable[tuple[str, int]]) -> Mapping[_Kind, int]:
    """Return counts by kind, those of unknown kinds left out."""
    return {kinds[name]: count for name, count in rows if name in kinds.__members__}


def understood(read: Callable[[_Row], _T], rows: Iterable[_Row]) -> Iterator[_T]:
    """Read rows, without those that only a newer version understands."""
    for row in rows:
        try:
            value = read(row)
        except NotKnown:
            continue
        yield value
