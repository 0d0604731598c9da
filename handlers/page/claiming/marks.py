"""The marks of a page, citations and cleanup tags, by the text that they stand in.

A tag that asks for a citation marks words as a citation does; other tags only
belong to the words around them. Pure.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple

from handlers.model import Citation, Section, Tag, TagKind
from handlers.page.claiming.blocks import Block
from handlers.page.claiming.flow import PageFlow
from handlers.page.claiming.hosts import Host, HostKind, Hosts

_MOST_TAGS = 20  # that stand inside one reference


class Mark(NamedTuple):
    """A citation, or a tag that asks for one; `at` is where its words end."""

    at: int
    start: int
    sign: Citation | Tag

    @property
    def end(self) -> int:
        """Return where the citation or tag ends in the wikitext."""
        sign = self.sign
        return (sign.marker if isinstance(sign, Citation) else sign.span).end


class Marks:
    """All marks of a page.

    `by_host` holds them in document order, with the host and section of each group.
    """

    def __init__(
        self,
        hosts: Hosts,
        page: PageFlow,
        citations: Sequence[Citation],
        tags: Sequence[Tag],
    ) -> None:
        self._hosts = hosts
        self._page = page
        self._tags = sorted(tags, key=_start_of)
        self._tag_starts = [tag.span.start for tag in self._tags]
        self._loose = self._loose_by_host()
        self.by_host = self._by_host(self._in_order(citations))

    def loose(self, host: Host, section: Section, block: Block) -> Sequence[Tag]:
        """Return the tags of a block that ask for no citation."""
        tags = self._loose.get(_key(host, section))
        if not tags:
            return ()
        first = bisect_left(tags, block.start, key=_start_of)
        return tags[first : bisect_left(tags, block.end, first, key=_start_of)]

    def beside(self, host: Host, section: Section) -> Sequence[Tag]:
        """Return all tags of a host that ask for no citation."""
        return self._loose.get(_key(host, section), ())

    def signs(self, marks: Sequence[Mark]) -> tuple[tuple[Citation, ...], list[Tag]]:
        """Return the citations of a group and the tags in and between them."""
        starts = self._tag_starts
        begin = bisect_left(starts, min([mark.start for mark in marks]))
        if begin == bisect_left(starts, max([mark.end for mark in marks])):
            return tuple([m.sign for m in marks if isinstance(m.sign, Citation)]), []
        citations = []
        tags = []
        for _, _, sign in marks:
            if isinstance(sign, Tag):
                tags.append(sign)
            else:
                citations.append(sign)
                tags.extend(self._tags_in(sign.marker.start, sign.marker.end))
        return tuple(citations), tags

    def _tags_in(self, start: int, end: int) -> Sequence[Tag]:
        first = bisect_left(self._tag_starts, start)
        last = bisect_left(self._tag_starts, end, first)
        return self._tags[first : min(last, first + _MOST_TAGS)]

    def _in_order(self, citations: Sequence[Citation]) -> list[Mark]:
        starts = [each.marker.start for each in citations]
        marks = list(map(Mark, starts, starts, citations))
        marks.extend(
            Mark(tag.span.end, tag.span.start, tag)
            for tag in self._tags
            if tag.kind is TagKind.CITATION_NEEDED
        )
        marks.sort(key=itemgetter(1))
        return marks

    def _by_host(self, marks: Sequence[Mark]) -> list[tuple[Host, Section, list[Mark]]]:
        """Put marks together that stand in the same text, or section of the page."""
        found: dict[tuple[int, int], tuple[Host, Section, list[Mark]]] = {}
        last: tuple[Host, Section, list[Mark]] | None = None
        for mark in marks:
            start = mark[1]
            host, section = self._hosts.host_of(start), self._page.section_of(start)
            if last is None or host is not last[0] or section is not last[1]:
                last = found.setdefault(_key(host, section), (host, section, []))
            last[2].append(mark)
        return list(found.values())

    def _loose_by_host(self) -> dict[tuple[int, int], list[Tag]]:
        """Put the tags that ask for no citation with the text they stand in."""
        found: dict[tuple[int, int], list[Tag]] = {}
        for tag in self._tags:
            if tag.kind is not TagKind.CITATION_NEEDED:
                start = tag.span.start
                host, section = self._hosts.host_of(start), self._page.section_of(start)
                found.setdefault(_key(host, section), []).append(tag)
        return found


def in_order(tags: Sequence[Tag]) -> Iterator[Tag]:
    """Yield the tags by place, each once."""
    seen: set[int] = set()
    for tag in sorted(tags, key=lambda each: each.span.start):
        if tag.span.start not in seen:
            seen.add(tag.span.start)
            yield tag


def _start_of(tag: Tag) -> int:
    return tag.span.start


def _key(host: Host, section: Section) -> tuple[int, int]:
    """Identify a host; the page's own text is one host for each section."""
    stretch = section.span if host.kind is HostKind.PAGE else host.stretch
    return host.element, stretch.start
