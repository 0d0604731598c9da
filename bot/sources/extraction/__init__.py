"""Bytes of a web page, PDF or plain text in; readable text and metadata out."""

from bot.sources.extraction.extracted import Extraction, TextExtractor
from bot.sources.extraction.extractor import Extractor

__all__ = ["Extraction", "Extractor", "TextExtractor"]
