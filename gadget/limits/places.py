"""How many long answers run at once, in all and for one asker."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager


class Places:
    """So many places; whoever finds none is told to come again.

    Args:
        most: how many there are in all.
        most_each: how many one asker may hold.
    """

    def __init__(self, most: int, most_each: int) -> None:
        self._most = most
        self._most_each = most_each
        self._held: Counter[str] = Counter()

    def __len__(self) -> int:
        return self._held.total()

    @contextmanager
    def take(self, asker: str) -> Iterator[bool]:
        """Hold a place for as long as the context is open; False if there is none."""
        if len(self) >= self._most or self._held[asker] >= self._most_each:
            yield False
            return
        self._held[asker] += 1
        try:
            yield True
        finally:
            self._held[asker] -= 1
            if not self._held[asker]:
                del self._held[asker]
