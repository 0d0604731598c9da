"""Turns bytes of a web page, PDF or plain text into readable text and metadata."""

from bot.sources.extraction.extractor import Extractor
from bot.sources.extraction.text import Extraction, TextExtractor

__all__ = ["Extraction", "Extractor", "TextExtractor"]
