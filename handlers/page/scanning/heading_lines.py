"""Lines that are headings: equal signs at both ends, comments set aside. Pure."""

from bisect import bisect_right
from collections.abc import Sequence

from handlers.page.scanning.elements import Kind, Piece

_MAX_LEVEL = 6
_HEADING = Kind.HEADING  # bound once, for look-ups in an enum are dear


class Lines:
    """The lines of a page, of which a comment may hide the end."""

    def __init__(self, text: str, comments: Sequence[tuple[int, int]]) -> None:
        self._text = text
        self._comments = comments  # start and end of each, in document order
        self._starts = [start for start, _ in comments]

    def heading_at(self, start: int) -> Piece | None:
        """Return the heading that begins with the "=" at `start`, if it is one."""
        line_end = self._end_of_line(start)
        closing = self._end_without_comments(start, line_end)
        line = self._text[start:closing]
        level = min(
            len(line) - len(line.lstrip("=")),
            len(line) - len(line.rstrip("=")),
            (len(line) - 1) // 2,
            _MAX_LEVEL,
        )
        if level < 1:
            return None
        end = min(line_end + 1, len(self._text))
        inner, inner_end = start + level, closing - level
        return (start, -end, _HEADING, inner, inner_end, "", (), ())

    def _end_of_line(self, at: int) -> int:
        while True:
            end = self._text.find("\n", at)
            if end < 0:
                return len(self._text)
            comment = self._comment_around(end)
            if comment is None:
                return end
            _, at = comment

    def _end_without_comments(self, start: int, end: int) -> int:
        while end > start:
            if self._text[end - 1] in " \t":
                end -= 1
            elif comment := self._comment_around(end - 1):
                end, _ = comment
            else:
                break
        return end

    def _comment_around(self, at: int) -> tuple[int, int] | None:
        place = bisect_right(self._starts, at) - 1
        if place < 0 or self._comments[place][1] <= at:
            return None
        return self._comments[place]
