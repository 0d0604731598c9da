"""Turns the difference between two texts of a page into one change. Pure.

In people's own space the change is a stretch, as short as possible, so that it still
fits whatever they edit elsewhere on the page meanwhile. On talk pages only whole
sections are replaced, because only those can be compared with what the wiki itself
takes for a section: there the change is the section that contains the difference.
"""

from typing import NamedTuple

from bot.records.posts import ReplaceSection, ReplaceStretch
from bot.surfaces.talk_page import end_of_section
from handlers.model import Span
from handlers.page.scan import scan
from handlers.page.sections import find_sections

_WIDTHS = (40, 400, 4_000)  # characters around a stretch until it is unique


class Difference(NamedTuple):
    """`old[start:end]` became `text`."""

    start: int
    end: int
    text: str


def difference(old: str, new: str, whole: Span | None = None) -> Difference:
    """Return the one stretch in which two texts differ.

    Args:
        old: the text before.
        new: the text after.
        whole: a part of `new` that the stretch must contain entirely.
    """
    start = _shared(old, new)
    shared = _shared(old[start:][::-1], new[start:][::-1])
    if whole is not None:
        start = min(start, whole.start)
        shared = min(shared, len(new) - whole.end)
    return Difference(start, len(old) - shared, new[start : len(new) - shared])


def _shared(one: str, other: str) -> int:
    """Return how many characters two texts have in common at their beginning."""
    least, most = 0, min(len(one), len(other))
    while least < most:
        middle = (least + most + 1) // 2
        if one[least:middle] == other[least:middle]:
            least = middle
        else:
            most = middle - 1
    return least


def stretch(old: str, found: Difference) -> ReplaceStretch | None:
    """Return the change that makes a difference; `None` for an empty page."""
    for width in (*_WIDTHS, len(old)):
        start, end = max(0, found.start - width), found.end + width
        expected = old[start:end]
        if expected.strip() and _stands_once(old, expected, start):
            text = f"{old[start : found.start]}{found.text}{old[found.end : end]}"
            return ReplaceStretch(expected, text)
    return None


def _stands_once(text: str, part: str, at: int) -> bool:
    """Return whether `part` occurs only at `at`, not even overlapping itself."""
    return text.find(part) == at and text.find(part, at + 1) < 0


def section(old: str, new: str, found: Difference) -> ReplaceSection | None:
    """Return the change inside one section; `None` if the difference spans several.

    What is inserted right before a heading belongs to the section above.
    """
    sections = find_sections(scan(old))
    at = max(found.start - 1, 0)
    for number, each in enumerate(sections):
        if each.span.start <= at < each.span.end:
            start, end = each.span.start, end_of_section(sections, number)
            if found.end > end:
                return None
            # The wiki strips white space from the end of the text it is given.
            text = new[start : end + len(new) - len(old)].rstrip()
            return ReplaceSection(number, old[start:end], text)
    return None
