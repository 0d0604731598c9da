"""A page to what can be compared: its paragraphs, items, values and cells. Pure."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from operator import itemgetter

from handlers.model import ClaimKind, Page, Source, Span
from handlers.page.anchors import normalised
from handlers.page.article import Stated, stated
from handlers.page.paragraphs import PageFlow
from handlers.page.scan import scan
from handlers.updates.human_edits.values import Look

_LOOKS = {
    ClaimKind.LIST_ITEM: Look.ITEM,
    ClaimKind.CAPTION: Look.CAPTION,
    ClaimKind.INFOBOX_VALUE: Look.INFOBOX,
    ClaimKind.TABLE_CELL: Look.TABLE,
}


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Words that stand together. `keys` are its sentences, normalised, one for one.

    `sources` are those that its words cite, in order.
    """

    section: tuple[str, ...]
    look: Look
    wikitext: str
    sentences: tuple[str, ...]
    keys: tuple[str, ...]
    sources: tuple[Source, ...] = ()


def paragraphs_of(page: Page) -> tuple[Paragraph, ...]:
    """Return the paragraphs of `page` in its order. Takes time linear in its length."""
    return _Reader(page).read()


class _Reader:
    def __init__(self, page: Page) -> None:
        self._page = page
        elements = scan(page.wikitext).elements
        starts = list(map(itemgetter(1), elements))
        self._flows = PageFlow(page.wikitext, page.sections, elements, starts)

    def read(self) -> tuple[Paragraph, ...]:
        groups: dict[Span, list[Stated]] = {}
        for one in stated(self._page):
            groups.setdefault(self._around(one), []).append(one)
        words = [found[0].span.start for found in groups.values()]
        sources = self._sources(sorted(words))
        return tuple(
            self._paragraph(span, found, sources.get(found[0].span.start, ()))
            for span, found in groups.items()
        )

    def _around(self, one: Stated) -> Span:
        """Return the whole paragraph or value that a statement stands in."""
        if one.header is not None:
            return one.span
        flow = self._flows.flow_of(self._flows.section_of(one.span.start))
        index = flow.block_of(one.span.start)
        if index is None:
            return one.span
        block = flow.blocks[index]
        return Span(block.start, block.end)

    def _sources(self, starts: Sequence[int]) -> dict[int, tuple[Source, ...]]:
        """Return what is cited by where the words of a paragraph begin."""
        found: dict[int, dict[str, Source]] = defaultdict(dict)
        for claim in self._page.claims:
            at = bisect_right(starts, claim.span.start) - 1
            if at >= 0:
                for source in claim.sources:
                    found[starts[at]].setdefault(source.key, source)
        return {start: tuple(by_key.values()) for start, by_key in found.items()}

    def _paragraph(
        self, span: Span, found: Sequence[Stated], sources: tuple[Source, ...]
    ) -> Paragraph:
        sentences = tuple(
            f"{one.header}: {one.text}" if one.header else one.text for one in found
        )
        return Paragraph(
            section=found[0].section,
            look=_LOOKS.get(found[0].kind, Look.PARAGRAPH),
            wikitext=self._words(span, found[0].span.start),
            sentences=sentences,
            keys=tuple(map(normalised, sentences)),
            sources=sources,
        )

    def _words(self, span: Span, first: int) -> str:
        """Return the wikitext of a paragraph without a box that stands right before it."""
        text = self._page.wikitext
        line = text.rfind("\n", span.start, first) + 1 or span.start
        before = text[line:first]
        is_whole = before.count("{{") == before.count("}}")
        return text[line if is_whole else first : span.end].strip()
