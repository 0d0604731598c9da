"""Splits running text into paragraphs, list items and gallery lines; renders on demand.

One walk over the line ends outside markup; headings and tables separate what is before
them from what is after them. Most of a page is never rendered: only the blocks with
marks, and the text just before them. Pure.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from handlers.model import Section, Span
from handlers.page.markup import Element, Kind
from handlers.page.prose import Prose, prose_of, tidy

# --- Blocks ---

_PICTURE = r"(?i:file|image|datei|bild|fichier|archivo|imagen|ficheiro|immagine|файл):"
_LEAD = rf"(?:(?P<item>[*#:;]++)|(?P<picture>{_PICTURE})|(?P<blank>[ \t]*+(?=\n|\Z)))?+"
_LINE = re.compile(r"\n" + _LEAD)
_FIRST_LINE = re.compile(_LEAD)


class Shape(Enum):
    """What a block looks like on the page."""

    PARAGRAPH = "paragraph"
    ITEM = "item"  # of a list
    PICTURE = "picture"  # a line of a gallery; only its caption is in the block


# Bound once: enum look-ups are expensive.
_PARAGRAPH, _ITEM, _PICTURE_LINE = Shape.PARAGRAPH, Shape.ITEM, Shape.PICTURE
_BOUNDARIES = (Kind.HEADING, Kind.TABLE)


class Block(NamedTuple):
    """A stretch of running text without list marks; `start:end` in the wikitext."""

    start: int
    end: int
    shape: Shape


def blocks_of(
    text: str, stretch: Span, elements: Sequence[Element], starts: Sequence[int]
) -> list[Block]:
    """Return the blocks of `stretch` in order; blank lines belong to none.

    Args:
        text: the whole page.
        stretch: running text: the page itself, or one value, cell or caption.
        elements: all elements of the page, from the scan.
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
    """The block being read, and where the markup around it ends."""

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
        """Skip the markup that begins before `until`."""
        elements, starts = self._elements, self._starts
        index, last = self._index, self._last_index
        at = self.next_markup
        while index < last and at <= until:
            element = elements[index]
            end = element[2]
            index += 1
            if index < last and starts[index] < end:  # skip everything inside
                index = bisect_left(starts, end, index, last)
            if element[0] in _BOUNDARIES:
                self.close(at)
                self._open(end)
            self.inside_until = end
            at = starts[index] if index < last else self._stretch_end
        self._index = index
        self.next_markup = at

    def end_line(self, at: int) -> int:
        """Process the line end at `at`; return where words of the next line begin."""
        line = _LINE.match(self._text, at, self._stretch_end)
        if not line:
            return at + 1
        if (
            line.lastgroup or self._shape is not _PARAGRAPH
        ):  # else the paragraph continues
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
            self._shape = _ITEM  # with only colons it is just indented


def _caption(text: str, start: int, end: int) -> int:
    """Return where the caption of a gallery line begins; `end` if it has none."""
    pipe = text.find("|", start, end)
    while pipe >= 0 and text.startswith(("alt=", "link="), pipe + 1):
        pipe = text.find("|", pipe + 1, end)
    return pipe + 1 if pipe >= 0 else end


# --- Flow ---

_CONTEXT_CHARACTERS = 600
_CONTEXT_ENOUGH = 300  # characters in its own block that need no earlier one
_MOST_BLOCKS_BACK = 40  # an endless list of empty items is not read to its start


class Flow:
    """One stretch of running text: its blocks, and their prose once rendered."""

    def __init__(
        self,
        text: str,
        stretch: Span,
        elements: Sequence[Element],
        starts: Sequence[int],
        *,
        is_cell: bool = False,
    ) -> None:
        self._text = text
        self._elements = elements
        self._starts = starts
        self._is_cell = is_cell
        self._prose: dict[int, Prose] = {}
        self._before: dict[int, str] = {}
        self.blocks: Sequence[Block] = blocks_of(text, stretch, elements, starts)
        self._block_starts = [block.start for block in self.blocks]

    def block_of(self, offset: int) -> int | None:
        """Return the index of the block that holds `offset`."""
        index = bisect_right(self._block_starts, offset) - 1
        return index if index >= 0 and offset < self.blocks[index].end else None

    def last_before(self, offset: int) -> int:
        """Return the index of the last block that begins up to `offset`, or -1."""
        return bisect_right(self._block_starts, offset) - 1

    def prose(self, index: int) -> Prose:
        """Return block `index` as plain text."""
        prose = self._prose.get(index)
        if prose is None:
            block = self.blocks[index]
            prose = self._prose[index] = prose_of(
                self._text,
                Span(block.start, block.end),
                self._elements,
                self._starts,
                is_cell=self._is_cell,
            )
        return prose

    def before_words(self, index: int, end: int) -> str:
        """Return up to 600 characters before a place in a block.

        Args:
            index: the index of the block.
            end: the place, in the prose of the block.
        """
        here = self.prose(index).words_before(end, _CONTEXT_CHARACTERS)
        return self.joined(index, here)

    def joined(self, index: int, here: str) -> str:
        """Prepend the text before block `index` to `here`, if `here` is short."""
        if len(here) < _CONTEXT_ENOUGH:
            before = self._before.get(index)
            if before is None:
                before = self._before[index] = self._gather(index)
            here = f"{before} {here}"
        return _tail(here)

    def _gather(self, index: int) -> str:
        """Return the end of the text of the blocks before block `index`."""
        found: list[str] = []
        missing = _CONTEXT_ENOUGH
        for earlier in range(index - 1, max(-1, index - _MOST_BLOCKS_BACK), -1):
            if missing <= 0:
                break
            prose = self.prose(earlier)
            text = prose.words_before(len(prose.text), _CONTEXT_CHARACTERS)
            found.append(text)
            missing -= len(text) + 1
        return _tail(" ".join(reversed(found)))


class PageFlow:
    """The page's own text, a section at a time, and the plain text before any place.

    No block extends from one section into the next, so sections that are not needed are
    never read.
    """

    def __init__(
        self,
        text: str,
        sections: Sequence[Section],
        elements: Sequence[Element],
        starts: Sequence[int],
    ) -> None:
        self._text = text
        self._sections = sections
        self._section_starts = [section.span.start for section in sections]
        self._elements = elements
        self._starts = starts
        self._flows: dict[int, Flow] = {}

    def section_of(self, offset: int) -> Section:
        """Return the section that `offset` is in."""
        return self._sections[bisect_right(self._section_starts, offset) - 1]

    def flow_of(self, section: Section) -> Flow:
        """Return the running text of a section, its heading excluded."""
        at = section.body.start  # an empty lead begins where the first heading does
        flow = self._flows.get(at)
        if flow is None:
            flow = Flow(self._text, section.body, self._elements, self._starts)
            self._flows[at] = flow
        return flow

    def before(self, section: Section, offset: int, own: str) -> str:
        """Return the context of what is inside the markup at `offset`.

        `own` is the text before it inside that markup, for instance in a note.
        """
        flow = self.flow_of(section)
        index = flow.last_before(offset)
        if index < 0 or len(own) > _CONTEXT_CHARACTERS:
            return _tail(tidy(own))
        prose = flow.prose(index)
        end = prose.offset_of(offset)
        here = prose.words_before(end, _CONTEXT_CHARACTERS)
        return flow.joined(index, f"{here} {tidy(own)}")


def _tail(text: str) -> str:
    """Return the end of a tidy `text`, cut between words."""
    if len(text) > _CONTEXT_CHARACTERS:
        text = text[text.find(" ", len(text) - _CONTEXT_CHARACTERS - 1) + 1 :]
    return text.strip()
