"""Bytes of a web page, PDF or plain text in; readable text and metadata out."""

from bot.adapters.extraction.extracted import Extraction, TextExtractor
from bot.adapters.extraction.extractor import Extractor

__all__ = ["Extraction", "Extractor", "TextExtractor"]
