"""Reads the pages of an export, from compressed streams or plain XML, into values.

MediaWiki escapes every "<" in a text, so a page can be cut out of an export by its tags
alone and parsed separately: an error in it then affects no other page. The parser is
plain expat: it knows only XML's five entities, and a declaration of others cannot occur
inside a page.
"""

import bz2
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO
from xml.parsers import expat

MAX_PAGE_BYTES = 32 * 1024**2  # of XML: four MiB of text with every byte escaped
_OPENER, _CLOSER = b"<page>", b"</page>"
_MAX_DEPTH = 16
_MAX_DIGITS = 18
_MAX_TITLE = 1000  # characters; a wiki allows 255 bytes
_HEAD_BYTES = 4096  # in which to look for the title of a broken page
_WANTED = frozenset(
    {
        ("page", "title"),
        ("page", "ns"),
        ("page", "id"),
        ("page", "revision", "id"),
        ("page", "revision", "timestamp"),
        ("page", "revision", "model"),
        ("page", "revision", "text"),
    }
)


@dataclass(frozen=True, slots=True)
class DumpPage:
    """A page with its last revision; `text` is `None` where it is hidden or missing."""

    title: str
    namespace: int
    page_id: int | None
    revision_id: int | None
    revised_at: datetime | None
    model: str
    text: str | None
    is_redirect: bool
    wiki: str | None = None  # where the page itself says so


@dataclass(frozen=True, slots=True)
class BrokenPage:
    """A page that cannot be read; `title` as far as it is known.

    It `was_requested` if a wiki refused to give it.
    """

    title: str
    reason: str
    was_requested: bool = False


def cut(chunks: Iterable[bytes]) -> Iterator[bytes | BrokenPage]:
    """Yield the XML of one page after another; what is between them is skipped.

    Holds one page and one chunk in memory at a time.
    """
    buffer = bytearray()
    for chunk in chunks:
        buffer += chunk
        yield from _cut_whole(buffer)
        if len(buffer) > MAX_PAGE_BYTES:
            yield _broken(buffer, f"it has more than {MAX_PAGE_BYTES:,} bytes of XML")
            del buffer[: -len(_CLOSER)]
    if buffer.find(_OPENER) >= 0:
        yield _broken(buffer, "it is cut off")


def _cut_whole(buffer: bytearray) -> Iterator[bytes | BrokenPage]:
    """Take all complete pages out of `buffer`."""
    done = 0
    while (end := buffer.find(_CLOSER, done)) >= 0:
        start = buffer.rfind(_OPENER, done, end)
        end += len(_CLOSER)
        if start >= 0:
            if buffer.find(_OPENER, done, start) >= 0:
                yield _broken(buffer[done:start], "its end is missing")
            yield bytes(buffer[start:end])
        done = end
    del buffer[:done]
    if buffer.find(_OPENER) < 0:
        del buffer[: -len(_CLOSER)]  # its last bytes may begin a tag


def _broken(content: bytes | bytearray, reason: str) -> BrokenPage:
    start = content.find(_OPENER)
    head = bytes(content[start : start + _HEAD_BYTES] if start >= 0 else b"")
    return BrokenPage(_title_in(head), reason)


def _title_in(head: bytes) -> str:
    _, _, rest = head.partition(b"<title>")
    title, _, _ = rest.partition(b"<")
    return title.decode("utf-8", "replace")[:_MAX_TITLE] or "(title unknown)"


def read(raw: bytes) -> DumpPage | BrokenPage:
    """Return the page whose XML is `raw`, or why there is none."""
    reader = _Reader()
    try:
        reader.feed(raw)
        return reader.page()
    except (expat.ExpatError, ValueError) as error:
        return BrokenPage(_title_in(raw[:_HEAD_BYTES]), f"its XML is broken: {error}")


class _Reader:
    """Follows one page's elements; of several revisions the last one counts."""

    def __init__(self) -> None:
        self._path: list[str] = []
        self._parts: list[str] | None = None
        self._values: dict[tuple[str, ...], str] = {}
        self._is_redirect = self._is_hidden = False
        parser = expat.ParserCreate("utf-8")
        parser.buffer_text = True
        parser.StartElementHandler = self._open
        parser.EndElementHandler = self._close
        parser.CharacterDataHandler = self._text
        parser.StartDoctypeDeclHandler = refuse_doctype
        self._parser = parser

    def feed(self, raw: bytes) -> None:
        self._parser.Parse(raw, True)

    def page(self) -> DumpPage:
        text = self._values.get(("page", "revision", "text"))
        return DumpPage(
            title=self._values[("page", "title")][:_MAX_TITLE]
            if ("page", "title") in self._values
            else _complain("it has no title"),
            namespace=_number(self._values.get(("page", "ns"), "0")) or 0,
            page_id=_number(self._values.get(("page", "id"))),
            revision_id=_number(self._values.get(("page", "revision", "id"))),
            revised_at=_moment(self._values.get(("page", "revision", "timestamp"))),
            model=self._values.get(("page", "revision", "model"), "wikitext"),
            text=None if self._is_hidden else text,
            is_redirect=self._is_redirect,
        )

    def _open(self, name: str, attributes: dict[str, str]) -> None:
        self._path.append(name)
        if len(self._path) > _MAX_DEPTH:
            raise ValueError("its elements are nested too deeply")
        path = tuple(self._path)
        if path == ("page", "revision"):
            self._forget_revision()
        elif path == ("page", "redirect"):
            self._is_redirect = True
        elif path == ("page", "revision", "text"):
            self._is_hidden = "deleted" in attributes
        self._parts = [] if path in _WANTED else None

    def _close(self, _: str) -> None:
        if self._parts is not None:
            self._values[tuple(self._path)] = "".join(self._parts)
            self._parts = None
        self._path.pop()

    def _text(self, text: str) -> None:
        if self._parts is not None:
            self._parts.append(text)

    def _forget_revision(self) -> None:
        for path in [one for one in self._values if one[:2] == ("page", "revision")]:
            del self._values[path]
        self._is_hidden = False


def refuse_doctype(*_: object) -> None:
    """Reject a document type declaration: no export has one, and XML bombs do."""
    raise ValueError("it declares a document type, which no export of a wiki does")


def _complain(reason: str) -> str:
    raise ValueError(reason)


def _number(text: str | None) -> int | None:
    if text is None:
        return None
    digits = text.strip().removeprefix("-")
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= _MAX_DIGITS):
        raise ValueError("one of its numbers is not a number")
    return int(text)


def _moment(text: str | None) -> datetime | None:
    if text is None:
        return None
    moment = datetime.fromisoformat(text.strip())
    if moment.tzinfo is None:
        raise ValueError("its time has no zone")
    return moment


CHUNK_BYTES = 256 * 1024  # read at once
_EXPANDED_BYTES = 1024**2  # decompressed at once
TAIL_BYTES = 64
_END = b"</mediawiki>"
MAX_STREAM_BYTES = 512 * 1024**2  # decompressed; a hundred pages of the largest size


@dataclass(frozen=True, slots=True)
class Damage:
    """A part that cannot be read to its end; `offset` is where it begins.

    `pages_lost` is `None` if no index says how many pages it has.
    """

    offset: int
    reason: str
    pages_lost: int | None = None


def pages_of_streams(
    path: Path, starts: Sequence[int], end: int, expected: Sequence[int] = ()
) -> Iterator[DumpPage | BrokenPage | Damage]:
    """Yield the pages of the streams that begin at `starts`, the last up to `end`.

    A multistream dump consists of many bzip2 streams, each of about a hundred whole
    pages, so any of them can be read without the others. A damaged stream loses the
    pages after the damage, and is reported with its offset in the file.

    Args:
        path: of the dump.
        starts: places in the file, ascending.
        end: of the last stream.
        expected: how many pages each stream has, if an index says so.

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
            continue  # it was cut off by the damage, and is counted there
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


def unended(tail: bytes) -> str | None:
    """Return why a document that ends with `tail` is incomplete, if it is.

    If it was cut off between two pages, nothing else shows it.
    """
    if tail.rstrip().endswith(_END):
        return None
    return f"the file ends without {_END.decode()}: it was cut short"


class Expanding:
    """Iterates over what bzip2 streams expand to, in pieces of bounded size.

    Afterwards `reason` says why it ended early; `None` if it did not. `tail` is its
    last bytes.
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
                self.tail = (self.tail + piece[-TAIL_BYTES:])[-TAIL_BYTES:]
                yield piece
            if self._decompressor.eof:
                data = self._decompressor.unused_data
                self._decompressor = bz2.BZ2Decompressor()
                self._is_inside = False


def _size(file: BinaryIO) -> int:
    return os.fstat(file.fileno()).st_size


def bytes_of(file: BinaryIO, start: int, stop: int) -> Iterator[bytes]:
    """Yield the bytes between two offsets of a file, in pieces."""
    file.seek(start)
    left = stop - start
    while left > 0 and (chunk := file.read(min(CHUNK_BYTES, left))):
        left -= len(chunk)
        yield chunk
