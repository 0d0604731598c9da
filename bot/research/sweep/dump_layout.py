"""What a dump file is, and where it can be split to read its parts separately.

A dump is untrusted: it is read in bounded memory, a broken page costs only itself, a
damaged block only its content, and a document type declaration, with which XML bombs
begin, is rejected.
"""

import bz2
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import islice
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit
from xml.parsers import expat

from bot.research.sweep.dump_pages import (
    CHUNK_BYTES,
    TAIL_BYTES,
    BrokenPage,
    Expanding,
    bytes_of,
    cut,
    refuse_doctype,
    unended,
)
from handlers.ports import PermanentError

# What a bzip2 stream with content begins with: its header, and pi for its first block.
_STREAM = re.compile(rb"BZh[1-9]1AY&SY")
_SCAN_BYTES = 16 * 1024**2
_STREAM_HEAD = 10  # bytes of the pattern
_SAMPLED_STREAMS = 4  # streams whose beginnings show whether all can be read separately
_PAGE = b"<page>"
_BLOCK_BYTES = 1024**2  # more than a compressed block ever takes


@dataclass(frozen=True, slots=True)
class Streams:
    """Where the streams of a dump begin, where it ends, and how many pages each has.

    `pages` is empty if there is no index.
    """

    starts: tuple[int, ...]
    end: int
    pages: tuple[int, ...] = ()


def stream_starts(dump: Path) -> Streams | None:
    """Find the streams of a dump without its index, by what they begin with.

    `None` if they cannot be read separately: there is only one, or they are split in
    the middle of pages, as parallel compressors do.

    Raises:
        OSError: the file cannot be read.
    """
    with dump.open("rb") as file:
        starts = tuple(streams_from(dump, 0))
        others = starts[1:_SAMPLED_STREAMS]
        if not others or not all(_begins_with_page(file, start) for start in others):
            return None
        file.seek(0, 2)
        return Streams(starts, file.tell())


def streams_from(dump: Path, place: int) -> Iterator[int]:
    """Yield where streams with content begin, from a place in the file on.

    Raises:
        OSError: the file cannot be read.
    """
    with dump.open("rb") as file:
        file.seek(place)
        base, overlap = place, b""
        while chunk := file.read(_SCAN_BYTES):
            window = overlap + chunk
            for found in _STREAM.finditer(window):
                yield base + found.start()
            overlap = window[-(_STREAM_HEAD - 1) :]
            base += len(window) - len(overlap)


def _begins_with_page(file: BinaryIO, start: int) -> bool:
    # A block yields nothing until it is complete: 900 kB if nothing was compressed.
    chunks = bytes_of(file, start, start + _BLOCK_BYTES)
    text = next(iter(Expanding(chunks)), b"").lstrip()
    return text.startswith((_PAGE, b"</mediawiki>")) or not text


@dataclass(slots=True)
class RawPages:
    """Pages of a dump that can only be read from its beginning to its end.

    After the last page, `reason` says why the file could not be read to its end, and
    `offset` how far it was read.
    """

    dump: Path
    form: "DumpForm"
    offset: int = 0
    reason: str | None = None

    def __iter__(self) -> Iterator[bytes | BrokenPage]:
        with self.dump.open("rb") as file:
            if self.form is DumpForm.XML:
                yield from cut(self._read(file))
                file.seek(max(0, self.offset - TAIL_BYTES))
                self.reason = unended(file.read())
                return
            expanding = Expanding(self._read(file), most=None)
            for raw in cut(expanding):
                if isinstance(raw, BrokenPage) and expanding.reason:
                    continue
                yield raw
            self.reason = expanding.reason or unended(expanding.tail)

    def _read(self, file: BinaryIO) -> Iterator[bytes]:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk
            self.offset = file.tell()


_MAX_LINE_BYTES = 4096
_MAX_DIGITS = 15
_INDEX_STREAM = b"BZh"
_AT_END = 2  # streams: the last one with pages, and the one that ends the document
_SAMPLED_ENTRIES = 8  # streams; damage to one or two does not make it another dump


def default_index(dump: Path) -> Path | None:
    """Return the index that Wikimedia publishes with a dump, if it lies beside it."""
    if "multistream" not in dump.name:
        return None
    name = dump.name.replace("multistream", "multistream-index", 1)
    name = name.replace(".xml", ".txt", 1)
    index = dump.with_name(name)
    plain = index.with_suffix("") if index.suffix == ".bz2" else index
    found = (path for path in (index, plain) if path != dump and path.is_file())
    return next(found, None)


def read_index(index: Path, dump: Path) -> Streams:
    """Return where the streams of `dump` with pages begin, and how many each has.

    The index lies beside a multistream dump: `offset:page id:title` a line. Titles are
    not needed, since the pages have them.

    Raises:
        PermanentError: the index cannot be read, or is not of this dump.
    """
    starts: list[int] = []
    pages: list[int] = []
    for number, start in enumerate(_offsets(index), 1):
        if not starts or start > starts[-1]:
            starts.append(start)
            pages.append(0)
        elif start < starts[-1]:
            raise PermanentError(
                f"{index}: line {number:,} goes back in the dump; this is not an index"
                " of a multistream dump, or it is damaged"
            )
        pages[-1] += 1
    size = dump.stat().st_size
    if not starts or starts[-1] >= size:
        raise PermanentError(
            f"{index} is not the index of {dump.name}: it names places beyond its end"
            f" ({size:,} bytes); download both of the same date"
        )
    if not _are_streams(dump, starts):
        raise PermanentError(
            f"{index} is not the index of {dump.name}: streams do not begin where it says;"
            " download both of the same date"
        )
    if len(list(islice(streams_from(dump, starts[-1]), _AT_END + 1))) > _AT_END:
        raise PermanentError(
            f"{index} was cut short: {dump.name} continues after the last stream that"
            " it lists; download it again"
        )
    return Streams(tuple(starts), size, tuple(pages))


def _are_streams(dump: Path, starts: Sequence[int]) -> bool:
    """Return whether streams begin at most of a few places.

    The first one is the same in dumps of different days whose heads have the same
    length.
    """
    few = {
        starts[len(starts) * part // _SAMPLED_ENTRIES]
        for part in range(_SAMPLED_ENTRIES)
    }
    found = 0
    with dump.open("rb") as file:
        for start in few:
            file.seek(start)
            found += file.read(len(_INDEX_STREAM)) == _INDEX_STREAM
    return 2 * found >= len(few)


def _offsets(index: Path) -> Iterator[int]:
    try:
        with bz2.open(index) if index.suffix == ".bz2" else index.open("rb") as file:
            number = 0
            while line := file.readline(_MAX_LINE_BYTES):
                number += 1
                offset, colon, _ = line.partition(b":")
                if not colon or not offset.isdigit() or len(offset) > _MAX_DIGITS:
                    raise PermanentError(
                        f"{index}: line {number:,} is not `offset:page id:title`"
                    )
                yield int(offset)
    except (OSError, EOFError) as error:
        raise PermanentError(f"{index} cannot be read ({error})") from error


# What kind of dump a file is, and of which wiki, judging from its beginning.

_MAX_HEAD_BYTES = 1024**2  # up to the first page; Wikimedia's have a few kilobytes
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
    """A dump's format and the wiki's host, if its head names it."""

    form: DumpForm
    wiki: str | None


def form_of_dump(dump: Path) -> DumpShape:
    """Return what kind of dump a file is.

    Raises:
        PermanentError: it is not a readable dump; the message says what to do.
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
        raise PermanentError(f"{dump} is not a MediaWiki export: {error}") from error
    if not reader.root:
        raise PermanentError(
            f"{dump} has no readable beginning: it is empty, damaged or not a bzip2"
            " file"
        )
    if reader.root != "mediawiki":
        raise PermanentError(
            f"{dump} is not a MediaWiki export: it begins with <{reader.root}> and not"
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
