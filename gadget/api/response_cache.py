"""Whole answers that were made a moment ago, by their tags: pages are read by many.

A tag changes whenever anything of its answer may, and differs between readers, so what
is remembered under it is what would be made anew.
"""

import gzip
from collections import OrderedDict
from dataclasses import dataclass

_LEVEL = 5
_LEAST_BYTES = 1400  # what goes out in one packet is not made smaller


@dataclass(frozen=True, slots=True)
class Body:
    """The bytes of an answer, and the same compressed where that is worth it."""

    plain: bytes
    packed: bytes | None = None

    @property
    def size(self) -> int:
        """Return how many bytes it takes."""
        return len(self.plain) + len(self.packed or b"")


def packed(text: str) -> Body:
    """Return a text as it goes out; it takes some milliseconds where it is long."""
    plain = text.encode()
    if len(plain) < _LEAST_BYTES:
        return Body(plain)
    return Body(plain, gzip.compress(plain, _LEVEL, mtime=0))


class Remembered:
    """The answers that were asked for last.

    Args:
        most: how many there are at most.
        most_bytes: how many bytes they take at most, all together.
    """

    def __init__(self, most: int = 64, most_bytes: int = 16 * 1024 * 1024) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._bodies: OrderedDict[str, Body] = OrderedDict()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._bodies)

    def get(self, tag: str) -> Body | None:
        """Return the answer with this tag; None if it is not remembered."""
        body = self._bodies.get(tag)
        if body is not None:
            self._bodies.move_to_end(tag)
        return body

    def keep(self, tag: str, body: Body) -> None:
        """Remember an answer, and forget those that nobody has asked for longest."""
        known = self._bodies.pop(tag, None)
        self._bytes += body.size - (known.size if known else 0)
        self._bodies[tag] = body
        while len(self._bodies) > self._most or self._bytes > self._most_bytes:
            self._bytes -= self._bodies.popitem(last=False)[1].size
