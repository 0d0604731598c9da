"""The page as running text, rendered piece by piece where somebody asks.

Most of a page is never rendered: only the blocks with marks, and what stands
shortly before them. Pure.
"""

from bisect import bisect_right
from collections.abc import Sequence

from handlers.model import Section, Span
from handlers.page.claiming.blocks import Block, blocks_of
from handlers.page.claiming.prose import Prose, tidy
from handlers.page.claiming.render import prose_of
from handlers.page.scanning.elements import Element

_CONTEXT_CHARACTERS = 600
_CONTEXT_ENOUGH = 300  # with so many from its own block, no earlier one is read
_MOST_BLOCKS_BACK = 40  # an endless list of empty items is not read to its start


class Flow:
    """One stretch of running text: its blocks, and their prose once rendered."""

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
                self._text, Span(block.start, block.end), self._elements, self._starts
            )
        return prose

    def before_words(self, index: int, end: int) -> str:
        """Return up to 600 characters before a place in block `index`.

        Args:
            index: of the block.
            end: the place, in the prose of the block.
        """
        here = self.prose(index).words_before(end, _CONTEXT_CHARACTERS)
        return self.joined(index, here)

    def joined(self, index: int, here: str) -> str:
        """Put what is before block `index` before `here` where that is short."""
        if len(here) < _CONTEXT_ENOUGH:
            before = self._before.get(index)
            if before is None:
                before = self._before[index] = self._gather(index)
            here = f"{before} {here}"
        return _tail(here)

    def _gather(self, index: int) -> str:
        """Return the end of what the blocks before block `index` say."""
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

    No block reaches from one section into the next, so those that nobody asks
    for are never read.
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
        """Return the context of what stands inside the markup at `offset`.

        `own` is the text before it there, in a note, for instance.
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
    """Return the end of a tidy `text`, cut at a word."""
    if len(text) > _CONTEXT_CHARACTERS:
        text = text[text.find(" ", len(text) - _CONTEXT_CHARACTERS - 1) + 1 :]
    return text.strip()
