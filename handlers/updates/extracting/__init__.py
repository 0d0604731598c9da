"""Takes candidate updates from a document without a language model (WiNELL §3.2).

It quotes and never words. A document is looked at as a whole first (copy, language,
site), then its sentences: form, voice, subject and date, the cheap checks first; what
is left is compared with the article's sections. Pure; it awaits only the encoder.
"""

from handlers.updates.extracting.extractor import EmbeddedExtractor
from handlers.updates.extracting.policy import ExtractionPolicy

__all__ = ["EmbeddedExtractor", "ExtractionPolicy"]
