"""Pages out of a part of a dump file: of compressed streams, or of plain XML.

A multistream dump is many bzip2 streams behind one another, each of some hundred
whole pages, so that any of them can be read without the others. A stream that is
damaged costs the pages behind the damage, and is told with its place in the file.
"""

import bz2
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from bot.wiki.dump.pages import BrokenPage, DumpPage, cut, read

CHUNK_BYTES = 256 * 1024  # read at once
_EXPANDED_BYTES = 1024**2  # decompressed at once
_TAIL_BYTES = 64
_END = b"</mediawiki>"
MAX_STREAM_BYTES = 512 * 1024**2  # decompressed; a hundred pages of the largest size


@dataclass(frozen=True, slots=True)
class Damage:
    """A part that cannot be read to its end; `offset` is where it begins.

    `pages_lost` is `None` where no index tells how many pages it has.
    """

    offset: int
    reason: str
    pages_lost: int | None = None


def pages_of_streams(
    path: Path, starts: Sequence[int], end: int, expected: Sequence[int] = ()
) -> Iterator[DumpPage | BrokenPage | Damage]:
    """Yield the pages of the streams that begin at `starts`, the last up to `end`.

    Args:
        path: of the dump.
        starts: places in the file, ascending.
        end: of the last stream.
        expected: how many pages each stream has, where an index says so.

    Raises:
        OSError: the file cannot be read.
    """
    ends = (*starts[1:], end)
    with path.open("rb") as file:
        for number, (start, stop) in enumerate(zip(starts, ends, strict=True)):
            known = expected[number] if number < len(expected) else None
            is_last = stop >= _size(file)
            yield from _pages_of_stream(file, start, stop, known, is_last=is_last)


def _pages_of_stream(
    file: BinaryIO, start: int, stop: int, expected: int | None, *, is_last: bool
) -> Iterator[DumpPage | BrokenPage | Damage]:
    seen = 0
    expanding = Expanding(bytes_of(file, start, stop))
    for raw in cut(expanding):
        if isinstance(raw, BrokenPage) and expanding.reason:
            continue  # it was cut off by the damage, and is counted with that
        seen += 1
        yield read(raw) if isinstance(raw, bytes) else raw
    lost = None if expected is None else max(0, expected - seen)
    if expanding.reason:
        yield Damage(start, expanding.reason, lost)
    elif lost:
        reason = f"the index names {expected} pages, and {seen} are there"
        yield Damage(start, reason, lost)
    elif is_last and (cut_short := unended(expanding.tail)):
        yield Damage(start, cut_short, lost)


def pages_of_span(
    path: Path, start: int, end: int
) -> Iterator[DumpPage | BrokenPage | Damage]:
    """Yield the pages of plain XML whose tags lie between two places in the file.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        for raw in cut(bytes_of(file, start, end)):
            yield read(raw) if isinstance(raw, bytes) else raw
        if end >= _size(file):
            file.seek(max(start, end - _TAIL_BYTES))
            reason = unended(file.read())
            if reason:
                yield Damage(start, reason)


def unended(tail: bytes) -> str | None:
    """Return why a document is not whole that ends with `tail`, if it is not.

    One that was cut short between two pages shows it by nothing else.
    """
    if tail.rstrip().endswith(_END):
        return None
    return f"the file ends without {_END.decode()}: it was cut short"


class Expanding:
    """Iterates over what bzip2 streams expand to, in pieces of bounded size.

    `reason` tells afterwards why it ended before the end; `None` if it did not. `tail`
    is how it ended.
    """

    def __init__(
        self, compressed: Iterable[bytes], *, most: int | None = MAX_STREAM_BYTES
    ) -> None:
        self._compressed = compressed
        self._most = most
        self._expanded = 0
        self._decompressor = bz2.BZ2Decompressor()
        self._is_inside = False  # of a stream
        self.reason: str | None = None
        self.tail = b""

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._compressed:
            try:
                yield from self._expand(chunk)
            except (OSError, ValueError) as error:
                self.reason = str(error).lower()
                return
        if self._is_inside:
            self.reason = "the compressed data ends early"

    def _expand(self, data: bytes) -> Iterator[bytes]:
        while data or not self._decompressor.needs_input:
            piece = self._decompressor.decompress(data, _EXPANDED_BYTES)
            self._is_inside, data = True, b""
            self._expanded += len(piece)
            if self._most is not None and self._expanded > self._most:
                raise ValueError(f"it expands to more than {self._most:,} bytes")
            if piece:
                self.tail = (self.tail + piece[-_TAIL_BYTES:])[-_TAIL_BYTES:]
                yield piece
            if self._decompressor.eof:
                data = self._decompressor.unused_data
                self._decompressor = bz2.BZ2Decompressor()
                self._is_inside = False


def _size(file: BinaryIO) -> int:
    return os.fstat(file.fileno()).st_size


def bytes_of(file: BinaryIO, start: int, stop: int) -> Iterator[bytes]:
    """Yield what lies between two places of a file, in pieces."""
    file.seek(start)
    left = stop - start
    while left > 0 and (chunk := file.read(min(CHUNK_BYTES, left))):
        left -= len(chunk)
        yield chunk
