"""Remembers which changes were read, so that what is delivered twice counts once. Pure."""

import hashlib
from collections import OrderedDict
from collections.abc import Sequence

from bot.changes import Change, ChangeKind, DeadLetter

_REVISIONS = (ChangeKind.EDIT, ChangeKind.NEW)

_Key = str | bytes | tuple[str, int]


class Seen:
    """The changes that came last.

    Args:
        most: how many are remembered; the oldest are forgotten. It should be more
            than what is wanted of the time that feeds are read twice.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._keys: OrderedDict[_Key, None] = OrderedDict()

    def is_new(self, change: Change) -> bool:
        """Whether `change` comes for the first time; from now on it does not.

        The same revision can come from two feeds, with an id from each.
        """
        keys: list[_Key] = [change.event_id]
        if change.kind in _REVISIONS and change.revision_id is not None:
            keys.append((change.wiki, change.revision_id))
        return self._is_new(keys)

    def is_new_letter(self, letter: DeadLetter) -> bool:
        """Whether `letter` comes for the first time, as far as its beginning tells."""
        return self._is_new([hashlib.sha256(letter.raw).digest()])

    def _is_new(self, keys: Sequence[_Key]) -> bool:
        is_new = not any(key in self._keys for key in keys)
        for key in keys:
            self._keys[key] = None
            self._keys.move_to_end(key)
        while len(self._keys) > 2 * self._most:
            self._keys.popitem(last=False)
        return is_new
