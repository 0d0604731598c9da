"""Finds a quote in its source again, and the passage that it stands in.

Only what this finds counts: a model may make its quotes up, or be talked into an
answer by the page it reads. Pure.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from unicodedata import normalize

from handlers.model import Passage, Span

_LONGEST = 700  # characters; a longer one says nothing about where to look
_MOST_PLACES = 50
_REMEMBERED_TEXTS = 8
# Typography that models and people change without noticing; one character each.
_ALIKE = str.maketrans(
    "\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u00ab\u00bb"
    "\u2010\u2011\u2012\u2013\u2014\u2212",
    "'" * 4 + '"' * 6 + "-" * 6,
)
# White space and what nobody sees; character references that a page shows as they are;
# letters whose accent is a character of its own.
_FOLDED = re.compile(
    r"(?:[\s\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]|&nbsp;)+"
    r"|&(?:\#\d{1,6}|\#[xX][0-9a-fA-F]{1,5}|[a-zA-Z]{2,8});"
    r"|\w[\u0300-\u036f]{1,4}"
)
_MARKS_AROUND = "\"' "


def find(quote: str, text: str) -> Span | None:
    """Return where `quote` stands in `text`, white space and typography folded.

    Whole words only: "killed 1" does not stand in "killed 12".
    """
    if len(quote) > _LONGEST:
        return None
    folded = _folded(text)
    for wanted in dict.fromkeys((_fold(quote), _fold(quote).strip(_MARKS_AROUND))):
        for at in _places(wanted, folded.text):
            return Span(folded.origin(at), folded.end(at + len(wanted) - 1))
    return None


def passage_around(quote: Span, passages: Sequence[Passage]) -> Passage | None:
    """Return the passage that shows most around `quote` on both sides, if any holds it."""
    holding = [
        one
        for one in passages
        if one.span.start <= quote.start and quote.end <= one.span.end
    ]
    return max(
        holding,
        key=lambda one: min(quote.start - one.span.start, one.span.end - quote.end),
        default=None,
    )


@dataclass(frozen=True, slots=True)
class _Folded:
    """A text with its white space folded, and the way back to the original.

    From `starts[i]` in the folded text on, characters come from `origins[i]` to `ends[i]`.
    """

    text: str
    starts: tuple[int, ...]
    origins: tuple[int, ...]
    ends: tuple[int, ...]

    def origin(self, at: int) -> int:
        which = bisect_right(self.starts, at) - 1
        return self.origins[which] + at - self.starts[which]

    def end(self, at: int) -> int:
        """Return where the character at `at` ends in the original."""
        following = bisect_right(self.starts, at)
        is_last = following == len(self.starts) or self.starts[following] == at + 1
        return self.ends[following - 1] if is_last else self.origin(at) + 1


@lru_cache(maxsize=_REMEMBERED_TEXTS)
def _folded(text: str) -> _Folded:
    pieces: list[str] = []
    starts: list[int] = []
    origins: list[int] = []
    ends: list[int] = []
    length = 0
    for start, end, piece in _pieces(text):
        starts.append(length)
        origins.append(start)
        ends.append(end)
        pieces.append(piece)
        length += len(piece)
    whole = "".join(pieces).translate(_ALIKE)
    return _Folded(whole, tuple(starts), tuple(origins), tuple(ends))


def _pieces(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield places and their folded text: runs of plain characters, and what is between.

    A gap of nothing but unseen characters, such as a soft hyphen, is none.
    """
    at = 0
    for found in _FOLDED.finditer(text):
        if found.start() > at:
            yield at, found.start(), text[at : found.start()]
        piece = normalize("NFC", unescape(found.group()))
        if piece[0].isspace() or not piece.strip().isprintable():
            piece = " " if any(char.isspace() for char in piece) else ""
        if piece:
            yield found.start(), found.end(), piece
        at = found.end()
    if at < len(text):
        yield at, len(text), text[at:]


def _fold(quote: str) -> str:
    return _folded(quote).text.strip()


def _places(wanted: str, text: str) -> Iterator[int]:
    """Yield where `wanted` stands as whole words."""
    at = text.find(wanted) if wanted else -1
    for _ in range(_MOST_PLACES):
        if at < 0:
            return
        end = at + len(wanted)
        if not (_joined(text, at) or _joined(text, end)):
            yield at
        at = text.find(wanted, at + 1)


def _joined(text: str, at: int) -> bool:
    """Tell whether a word runs across the place before `at`.

    Of "detailsThe company", which a page's headings are scraped to, it does not.
    """
    if not (0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum()):
        return False
    return not (text[at - 1].islower() and text[at].isupper())
