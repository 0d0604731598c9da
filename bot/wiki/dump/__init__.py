"""Reads the dumps that Wikimedia publishes, and any other export of a MediaWiki.

A dump is untrusted: it is read in bounded memory, a broken page costs only itself, a
damaged block only its content, and a document type declaration, with which XML bombs
begin, is rejected.
"""

from bot.wiki.dump.layout import (
    DumpForm,
    Streams,
    default_index,
    form_of_dump,
    page_starts,
    raw_pages,
    read_index,
    stream_starts,
)
from bot.wiki.dump.pages import (
    BrokenPage,
    Damage,
    DumpPage,
    pages_of_span,
    pages_of_streams,
)

__all__ = [
    "BrokenPage",
    "Damage",
    "DumpForm",
    "DumpPage",
    "Streams",
    "default_index",
    "form_of_dump",
    "page_starts",
    "pages_of_span",
    "pages_of_streams",
    "raw_pages",
    "read_index",
    "stream_starts",
]
