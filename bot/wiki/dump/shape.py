"""What kind of dump a file is, and of which wiki, told from its beginning."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from urllib.parse import urlsplit
from xml.parsers import expat

from bot.wiki.dump.blocks import CHUNK_BYTES, Expanding
from bot.wiki.dump.pages import refuse_doctype
from handlers.ports import PermanentError

_MAX_HEAD_BYTES = 1024**2  # up to the first page; Wikimedia's have a few kilobytes
_PAGE = b"<page>"
_MAX_BASE = 1000  # characters
_OTHERS = {
    b"7z\xbc\xaf\x27\x1c": "a 7-Zip archive",
    b"\x1f\x8b": "compressed by gzip",
    b"\x28\xb5\x2f\xfd": "compressed by Zstandard",
    b"\xfd7zXZ\x00": "compressed by xz",
    b"PK\x03\x04": "a ZIP archive",
}


class DumpForm(Enum):
    """How a dump is stored."""

    BZIP2 = "bzip2"
    XML = "plain XML"


@dataclass(frozen=True, slots=True)
class DumpShape:
    """A dump's form and the host of the wiki that its head names, if it does."""

    form: DumpForm
    wiki: str | None


def look_at(dump: Path) -> DumpShape:
    """Tell what kind of dump a file is.

    Raises:
        PermanentError: it is none that can be read; the message says what to do.
    """
    try:
        with dump.open("rb") as file:
            beginning = file.read(8)
            form = _form(dump, beginning)
            file.seek(0)
            chunks = iter(lambda: file.read(CHUNK_BYTES), b"")
            if form is DumpForm.BZIP2:
                chunks = iter(Expanding(chunks))
            return DumpShape(form, _wiki(dump, _head(chunks)))
    except OSError as error:
        raise PermanentError(f"{dump} cannot be read ({error.strerror})") from error


def _form(dump: Path, beginning: bytes) -> DumpForm:
    if beginning.startswith(b"BZh"):
        return DumpForm.BZIP2
    if beginning.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return DumpForm.XML
    if not beginning:
        raise PermanentError(f"{dump} is empty")
    kinds = (kind for magic, kind in _OTHERS.items() if beginning.startswith(magic))
    kind = next(kinds, "neither XML nor compressed by bzip2")
    raise PermanentError(
        f"{dump} is {kind}; give a dump as .xml or .xml.bz2 (unpack"
        " what is packed otherwise), or a folder of wikitext"
    )


def _head(chunks: Iterator[bytes]) -> bytes:
    head = b""
    for chunk in chunks:
        head += chunk
        place = head.find(_PAGE)
        if place >= 0 or len(head) > _MAX_HEAD_BYTES:
            return head[: place if place >= 0 else _MAX_HEAD_BYTES]
    return head


def _wiki(dump: Path, head: bytes) -> str | None:
    reader = _SiteInfo()
    try:
        reader.feed(head)
    except (expat.ExpatError, ValueError) as error:
        raise PermanentError(f"{dump} is no export of a MediaWiki: {error}") from error
    if not reader.root:
        raise PermanentError(
            f"{dump} has no readable beginning: it is empty, damaged or no bzip2 file"
        )
    if reader.root != "mediawiki":
        raise PermanentError(
            f"{dump} is no export of a MediaWiki: it begins with <{reader.root}> and not"
            " with <mediawiki>"
        )
    try:
        return urlsplit(reader.base.strip()[:_MAX_BASE]).netloc.lower() or None
    except ValueError:
        return None


class _SiteInfo:
    """Reads the address of the wiki in the head of an export."""

    def __init__(self) -> None:
        self.root, self.base = "", ""
        self._inside = ""
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._open
        parser.CharacterDataHandler = self._text
        parser.StartDoctypeDeclHandler = refuse_doctype
        self._parser = parser

    def feed(self, head: bytes) -> None:
        self._parser.Parse(head, False)

    def _open(self, name: str, _: dict[str, str]) -> None:
        self.root = self.root or name
        self._inside = name

    def _text(self, text: str) -> None:
        if self._inside == "base":
            self.base += text
