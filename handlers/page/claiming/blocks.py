"""Running text to its paragraphs, list items and gallery lines.

One walk over the line ends that lie outside markup. Headings and tables part what
is before them from what is after them. Pure.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from handlers.model import Span
from handlers.page.scanning.elements import Element, Kind

_PICTURE = r"(?i:file|image|datei|bild|fichier|archivo|imagen|ficheiro|immagine|файл):"
_LEAD = rf"(?:(?P<item>[*#:;]++)|(?P<picture>{_PICTURE})|(?P<blank>[ \t]*+(?=\n|\Z)))?+"
_LINE = re.compile(r"\n" + _LEAD)
_FIRST_LINE = re.compile(_LEAD)


class Shape(Enum):
    """What a block looks like on the page."""

    PARAGRAPH = "paragraph"
    ITEM = "item"  # of a list
    PICTURE = "picture"  # a line of a gallery; only its caption is in the block


# Bound once: looking up a member is dear.
_PARAGRAPH, _ITEM, _PICTURE_LINE = Shape.PARAGRAPH, Shape.ITEM, Shape.PICTURE
_PARTING = (Kind.HEADING, Kind.TABLE)


class Block(NamedTuple):
    """A stretch of running text, list marks excluded; `start:end` in the wikitext."""

    start: int
    end: int
    shape: Shape


def blocks_of(
    text: str, stretch: Span, elements: Sequence[Element], starts: Sequence[int]
) -> list[Block]:
    """Return the blocks of `stretch` in order; blank lines are in none.

    Args:
        text: the whole page.
        stretch: running text: the page itself, or one value, cell or caption.
        elements: the scan's, all of the page.
        starts: the `start` of each element.
    """
    walk = _Walk(text, stretch, elements, starts)
    end = stretch.end
    at = text.find("\n", stretch.start, end)
    while at >= 0:
        if walk.next_markup <= at:
            walk.pass_markup(at)
        after = walk.inside_until
        if at >= after:
            after = walk.end_line(at)
        at = text.find("\n", after, end)
    walk.pass_markup(end)
    walk.close(end)
    return walk.blocks


class _Walk:
    """The block being read, and how far markup reaches."""

    def __init__(
        self,
        text: str,
        stretch: Span,
        elements: Sequence[Element],
        starts: Sequence[int],
    ) -> None:
        self._text = text
        self._elements = elements
        self._starts = starts
        self._index = bisect_left(starts, stretch.start)
        self._last_index = bisect_left(starts, stretch.end)
        self._stretch_end = stretch.end
        self.inside_until = stretch.start
        first = self._index
        is_any = first < self._last_index
        self.next_markup = starts[first] if is_any else stretch.end
        self.blocks: list[Block] = []
        self._open(stretch.start)

    def pass_markup(self, until: int) -> None:
        """Go past the markup that begins before `until`."""
        elements, starts = self._elements, self._starts
        index, last = self._index, self._last_index
        at = self.next_markup
        while index < last and at <= until:
            element = elements[index]
            end = element[2]
            index += 1
            if index < last and starts[index] < end:  # go past all that is inside
                index = bisect_left(starts, end, index, last)
            if element[0] in _PARTING:
                self.close(at)
                self._open(end)
            self.inside_until = end
            at = starts[index] if index < last else self._stretch_end
        self._index = index
        self.next_markup = at

    def end_line(self, at: int) -> int:
        """Read the line end at `at`; return where the words of the next line begin."""
        line = _LINE.match(self._text, at, self._stretch_end)
        if not line:
            return at + 1
        if (
            line.lastgroup or self._shape is not _PARAGRAPH
        ):  # else the paragraph goes on
            self.close(at)
            self._begin(line)
        return line.end()

    def close(self, end: int) -> None:
        start = self._start
        if self._shape is _PICTURE_LINE:
            start = _caption(self._text, start, end)
        if start < end:
            self.blocks.append(Block(start, end, self._shape))

    def _open(self, at: int) -> None:
        """Begin a block at the beginning of a line."""
        lead = _FIRST_LINE.match(self._text, at)
        if lead and self._text[max(0, at - 1) : at] in ("", "\n"):
            self._begin(lead)
        else:
            self._start, self._shape = at, _PARAGRAPH

    def _begin(self, lead: re.Match[str]) -> None:
        self._start, self._shape = lead.end(), _PARAGRAPH
        mark = lead.lastgroup
        if mark == "picture":
            self._shape = _PICTURE_LINE
        elif mark == "item" and lead["item"].strip(":"):
            self._shape = _ITEM  # colons alone only indent


def _caption(text: str, start: int, end: int) -> int:
    """Return where the caption of a gallery line begins; `end` if it has none."""
    pipe = text.find("|", start, end)
    while pipe >= 0 and text.startswith(("alt=", "link="), pipe + 1):
        pipe = text.find("|", pipe + 1, end)
    return pipe + 1 if pipe >= 0 else end
