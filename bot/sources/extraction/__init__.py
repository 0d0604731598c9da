"""Bytes of a web page, PDF or plain text in; readable text and metadata out."""

from bot.sources.extraction.extractor import Extractor
from bot.sources.extraction.text import Extraction, TextExtractor

__all__ = ["Extraction", "Extractor", "TextExtractor"]
