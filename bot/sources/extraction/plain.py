"""Reads plain text, in this process where it is small: nothing here can be slow."""

from bot.sources.extraction import charset
from bot.sources.extraction.classify import classify_plain
from bot.sources.extraction.extracted import Extraction, read
from bot.sources.extraction.page_kind import what_stands_there
from bot.sources.extraction.text import unwrap
from handlers.model import SourceOutcome, SourceText

_LONGEST_HEADLINE = 150  # characters
_ENDS = frozenset(".!?:;,")


def read_plain(body: bytes, *, content_type: str | None) -> Extraction:
    """Return the text with the line breaks of a fixed width undone."""
    text = unwrap(charset.decode(body, content_type=content_type))
    if not text:
        return Extraction(SourceOutcome.EMPTY_SHELL, "the page shows no text")
    wall = classify_plain(text)
    if wall:
        return Extraction(wall.outcome, wall.detail)
    instead = what_stands_there("", text)
    if instead:
        return Extraction(*instead)
    return read(SourceText(text, title=_headline(text)))


def _headline(text: str) -> str | None:
    """Return the first line where it stands above the text as a headline does."""
    first, _, rest = text.partition("\n")
    line = first.strip()
    is_short = len(line) <= _LONGEST_HEADLINE and line[-1:] not in _ENDS
    return line if line and rest.strip() and is_short else None
