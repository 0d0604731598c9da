"""Plain text with the way back to its wikitext. Pure."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

# What templates that show nothing leave behind: "( ; born 1950)" and " ,".
_LEFT_OVERS = re.compile(
    r" ?\((?: ?[,;:/–-])* ?\)|(?<=\()(?: ?[,;:/])+ ?| (?=[,)])|(?<=\() "
)
_HOLLOW = re.compile(r"\([ ,;:/)]")  # cheap to look for before the costly one


class Prose(NamedTuple):
    """Plain text and where each part of it comes from.

    Runs of spaces are as in the wikitext; line breaks part what is not one text.

    Part `i` is `text[plain_starts[i]:plain_starts[i + 1]]` and comes from
    `wikitext[wiki_starts[i]:wiki_ends[i]]`; where the two are equally long, they
    match character for character. `plain_starts` ends with the length of `text`.
    """

    text: str
    plain_starts: Sequence[int]
    wiki_starts: Sequence[int]
    wiki_ends: Sequence[int]
    is_tidy: bool  # no part of it has anything for `tidy` to do

    def tidied(self, start: int, end: int) -> str:
        """Return a part of the text on one line."""
        part = self.text[start:end]
        return part if self.is_tidy else tidy(part)

    def wikitext_of(self, plain_start: int, plain_end: int) -> tuple[int, int]:
        """Return where in the wikitext a non-empty range of the text comes from."""
        first = bisect_right(self.plain_starts, plain_start) - 1
        last = bisect_left(self.plain_starts, plain_end) - 1
        start, end = self.wiki_starts[first], self.wiki_ends[last]
        if self._is_verbatim(first):
            start += plain_start - self.plain_starts[first]
        if self._is_verbatim(last):
            end -= self.plain_starts[last + 1] - plain_end
        return start, end

    def offset_of(self, wiki_offset: int) -> int:
        """Return how much of the text comes from before `wiki_offset`."""
        part = bisect_left(self.wiki_starts, wiki_offset) - 1
        if part < 0:
            return 0
        if wiki_offset >= self.wiki_ends[part] or not self._is_verbatim(part):
            return self.plain_starts[part + 1]
        return self.plain_starts[part] + wiki_offset - self.wiki_starts[part]

    def _is_verbatim(self, part: int) -> bool:
        wiki_length = self.wiki_ends[part] - self.wiki_starts[part]
        return wiki_length == self.plain_starts[part + 1] - self.plain_starts[part]


def tidy(text: str) -> str:
    """Put plain text on one line, without what vanished templates left behind."""
    if "\n" in text or "  " in text:
        text = " ".join(text.split())
    if _is_hollow(text):
        text = _LEFT_OVERS.sub("", text)
    return text


def is_tidy(text: str) -> bool:
    """Tell whether `tidy` would change no part of the text."""
    return "\n" not in text and "  " not in text and not _is_hollow(text)


def _is_hollow(text: str) -> bool:
    return " ," in text or " )" in text or _HOLLOW.search(text) is not None
