"""Where a dump can be cut so that its parts are read apart from one another."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from bot.wiki.dump.blocks import CHUNK_BYTES, Expanding, bytes_of, unended
from bot.wiki.dump.pages import MAX_PAGE_BYTES, BrokenPage, cut

# What a bzip2 stream with content begins with: its header, and pi for its first block.
_STREAM = re.compile(rb"BZh[1-9]1AY&SY")
_SCAN_BYTES = 16 * 1024**2
_STREAM_HEAD = 10  # bytes of the pattern
_LOOKED_AT = 4  # streams whose beginning tells whether all can be read apart
_PAGE = b"<page>"
_BLOCK_BYTES = 1024**2  # more than a compressed block ever takes


@dataclass(frozen=True, slots=True)
class Streams:
    """Where the streams of a dump begin, its end, and how many pages each has.

    `pages` is empty where no index tells.
    """

    starts: tuple[int, ...]
    end: int
    pages: tuple[int, ...] = ()


def stream_starts(dump: Path) -> Streams | None:
    """Find the streams of a dump without its index, by what they begin with.

    `None` where they cannot be read apart: there is one only, or they are cut in the
    middle of pages, as parallel compressors do.

    Raises:
        OSError: the file cannot be read.
    """
    with dump.open("rb") as file:
        starts = tuple(streams_from(dump, 0))
        others = starts[1:_LOOKED_AT]
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
        base, kept = place, b""
        while chunk := file.read(_SCAN_BYTES):
            window = kept + chunk
            for found in _STREAM.finditer(window):
                yield base + found.start()
            kept = window[-(_STREAM_HEAD - 1) :]
            base += len(window) - len(kept)


def _begins_with_page(file: BinaryIO, start: int) -> bool:
    # A block says nothing before it is there to its end: 900 kB, where nothing is packed.
    chunks = bytes_of(file, start, start + _BLOCK_BYTES)
    text = next(iter(Expanding(chunks)), b"").lstrip()
    return text.startswith((_PAGE, b"</mediawiki>")) or not text


def page_starts(dump: Path, span_bytes: int) -> tuple[int, ...]:
    """Return where plain XML can be cut: before pages, some `span_bytes` apart.

    The last one is the end of the file.

    Raises:
        OSError: the file cannot be read.
    """
    size = dump.stat().st_size
    starts: list[int] = []
    with dump.open("rb") as file:
        wanted = 0
        while wanted < size:
            start = _next_page(file, wanted)
            if start is None:
                break
            starts.append(start)
            wanted = start + span_bytes
    return (*starts, size)


def _next_page(file: BinaryIO, place: int) -> int | None:
    file.seek(place)
    kept = b""
    while chunk := file.read(CHUNK_BYTES):
        window = kept + chunk
        found = window.find(_PAGE)
        if found >= 0:
            return file.tell() - len(window) + found
        kept = window[-(len(_PAGE) - 1) :]
    return None


@dataclass(slots=True)
class RawPages:
    """Pages of a dump that can only be read from its beginning to its end.

    `reason` tells after the last page why the file could not be read to its end, and
    `offset` how far it was read.
    """

    dump: Path
    offset: int = 0
    reason: str | None = None

    def __iter__(self) -> Iterator[bytes | BrokenPage]:
        with self.dump.open("rb") as file:
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


def raw_pages(dump: Path) -> RawPages:
    """Give the pages of a dump in its order; each at most `MAX_PAGE_BYTES` of XML."""
    return RawPages(dump)


__all__ = [
    "MAX_PAGE_BYTES",
    "RawPages",
    "Streams",
    "page_starts",
    "raw_pages",
    "stream_starts",
    "streams_from",
]
