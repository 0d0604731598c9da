"""Reads plain text, in this process where it is small: nothing here can be slow."""

from bot.adapters.extraction import charset
from bot.adapters.extraction.classify import classify_plain
from bot.adapters.extraction.extracted import Extraction, read
from bot.adapters.extraction.page_kind import what_stands_there
from bot.adapters.extraction.text import unwrap
from handlers.model import SourceOutcome, SourceText


def read_plain(body: bytes, *, content_type: str | None) -> Extraction:
    """Return the text with the line breaks of a fixed width undone."""
    text = unwrap(charset.decode(body, content_type=content_type))
    if not text:
        return Extraction(SourceOutcome.EMPTY_SHELL, "the page shows no text")
    wall = classify_plain(text)
    if wall:
        return Extraction(wall.outcome, wall.detail)
    instead = what_stands_there("", text)
    return Extraction(*instead) if instead else read(SourceText(text))
