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
        return (part if self.is_tidy else tidy(part)).strip()

    def words_before(self, end: int, most: int) -> str:
        """Return the last whole words before a place, on one line.

        They are at most `most` characters together; a longer word stands whole.
        """
        start = max(0, end - most - 1)
        if start > 0:  # the blank before the first word may be the first character
            start = max(start, self.text.find(" ", start, end) + 1)
        return self.tidied(start, end)

    def wikitext_of(self, plain_start: int, plain_end: int) -> tuple[int, int]:
        """Return where in the wikitext a non-empty range of the text comes from."""
        _, plain_starts, wiki_starts, wiki_ends, _ = self
        first = bisect_right(plain_starts, plain_start) - 1
        last = bisect_left(plain_starts, plain_end, first) - 1
        start, end = wiki_starts[first], wiki_ends[last]
        begins, ends = plain_starts[first], plain_starts[last + 1]
        # Inside a part that stands verbatim in the wikitext, the way is shorter.
        if begins < plain_start and self._is_verbatim(first):
            start += plain_start - begins
        if plain_end < ends and self._is_verbatim(last):
            end -= ends - plain_end
        return start, end

    def offset_of(self, wiki_offset: int) -> int:
        """Return how much of the text comes from before `wiki_offset`."""
        _, plain_starts, wiki_starts, wiki_ends, _ = self
        part = bisect_left(wiki_starts, wiki_offset) - 1
        if part < 0:
            return 0
        if wiki_offset >= wiki_ends[part] or not self._is_verbatim(part):
            return plain_starts[part + 1]
        return plain_starts[part] + wiki_offset - wiki_starts[part]

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
    if "(" in text and _HOLLOW.search(text):
        return True
    return " ," in text or " )" in text
