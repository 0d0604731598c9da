"""How a long run says how far it is; the command line shows it."""

from typing import Protocol


class Progress(Protocol):
    """Counts the steps of one run."""

    def started(self, total: int, /) -> None:
        """Begin a count of `total` steps."""
        ...

    def advance(self) -> None:
        """Count one step."""
        ...
