"""A page cut at its headings; the pieces, joined, are the page again. Pure."""

from bisect import bisect_left
from itertools import pairwise

from handlers.model import Section, Span
from handlers.wikitext.scanning.elements import Element
from handlers.wikitext.scanning.held_headings import held_headings
from handlers.wikitext.scanning.markup import plain_text
from handlers.wikitext.scanning.scan import Scan


def find_sections(scan: Scan) -> tuple[Section, ...]:
    """Return the lead, which may be empty, and a section for each heading."""
    text, headings = scan.text, scan.headings
    held = held_headings(text, scan.elements)
    starts = [0, *(heading.start for heading in headings), len(text)]
    sections = [Section((), 0, Span(*starts[:2]), Span(*starts[:2]), 0)]
    above: list[tuple[int, str]] = []  # level and title of the headings around
    byte_offset = _bytes_in(text, *starts[:2])
    for heading, (start, end) in zip(headings, pairwise(starts[1:]), strict=True):
        level = heading.inner_start - heading.start
        while above and above[-1][0] >= level:
            above.pop()
        above.append((level, _title(text, heading)))
        path = tuple(title for _, title in above)
        body = Span(heading.end, end)
        number = len(sections) + bisect_left(held, start)
        section = Section(path, level, Span(start, end), body, byte_offset, number)
        sections.append(section)
        byte_offset += _bytes_in(text, start, end)
    return tuple(sections)


def _title(text: str, heading: Element) -> str:
    return plain_text(text[heading.inner_start : heading.inner_end])


def _bytes_in(text: str, start: int, end: int) -> int:
    # A file may hold half a surrogate pair; it counts as the three bytes it was.
    return len(text[start:end].encode("utf-8", "surrogatepass"))
