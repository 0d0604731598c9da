"""A place in a text."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open range `[start, end)` of character offsets into one text."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """Return the part of `text` that this span covers."""
        return text[self.start : self.end]
