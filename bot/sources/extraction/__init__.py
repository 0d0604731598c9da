"""Turns bytes of a web page, PDF or plain text into readable text and metadata.

`extractor` has it done by a child process (`worker`): `sniff` finds out what the bytes
are, `html` or `pdf` reads them (without what `visibility` or `pdf_visibility` says that
nobody sees), and `page_kinds` decides whether the page has its text
at all, or is a login wall, a cookie notice or an error page that answered 200.
`metadata` reads what a page says about itself; `text` is the result. Start with
`extractor`.
"""

from bot.sources.extraction.extractor import Extractor
from bot.sources.extraction.text import Extraction, TextExtractor

__all__ = ["Extraction", "Extractor", "TextExtractor"]
