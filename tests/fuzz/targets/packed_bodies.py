"""Packed bodies: what comes out is bounded, and does not depend on the pieces."""

import gzip
import zlib

import brotli

from bot.sources.http import (
    BrokenBodyError,
    UnsupportedEncodingError,
    decoder_for,
)
from tests.fuzz.target import Target, require

_ENCODINGS = (
    "gzip",
    "deflate",
    "br",
    "identity",
    "x-gzip, identity",
    "gzip, br",
    "zstd",
)
_ROOM = 20_000
_SLACK = 70_000  # what one piece may give beyond its room, before it is refused


def check(data: bytes) -> None:
    """At most a bounded number of bytes, the same in any pieces."""
    if not data:
        return
    encoding, body = _ENCODINGS[data[0] % len(_ENCODINGS)], data[1:]
    whole = _decoded(encoding, [body])
    pieces = _decoded(encoding, [body[at : at + 7] for at in range(0, len(body), 7)])
    if _is_whole(whole) or _is_whole(pieces):
        require(whole == pieces, f"{encoding} depends on the pieces")
    if body and isinstance(whole, bytes) and len(whole) <= _ROOM:
        require(whole.startswith(_by_the_book(encoding, body)), f"other {encoding}")


def _is_whole(found: bytes | str) -> bool:
    return isinstance(found, bytes) and len(found) <= _ROOM


def _by_the_book(encoding: str, body: bytes) -> bytes:
    """Unpack at once what is not broken: its first part, where there are several."""
    if encoding == "br":
        return bytes(brotli.decompress(body))
    if "gzip" in encoding or encoding == "deflate":
        is_wrapped = encoding != "deflate" or _is_wrapped(body)
        reader = zlib.decompressobj(
            zlib.MAX_WBITS | 32 if is_wrapped else -zlib.MAX_WBITS
        )
        found = reader.decompress(body, _ROOM)
        require(reader.eof, f"{encoding} breaks off, and nobody says so")
        return found
    return body


def _is_wrapped(body: bytes) -> bool:
    return len(body) > 1 and body[0] & 15 == 8 and (body[0] << 8 | body[1]) % 31 == 0


def _decoded(encoding: str, pieces: list[bytes]) -> bytes | str:
    found = bytearray()
    try:
        decoder = decoder_for(encoding)
        for piece in pieces:
            found += decoder.decode(piece, _ROOM - len(found))
            require(len(found) <= _ROOM + _SLACK, f"{encoding} outgrew its room")
            if len(found) > _ROOM:
                return bytes(found)
        decoder.finish()
    except (BrokenBodyError, UnsupportedEncodingError) as error:
        return str(error)
    return bytes(found)


_WORDS = b"Words of a page that are packed. " * 20

TARGET = Target(
    name="packed_bodies",
    promises="bounded output that does not depend on the pieces, or the declared failure",
    check=check,
    words=(b"\x1f\x8b\x08", b"\x78\x9c", b"\x78\x01", b"\0" * 8, b"\xff" * 4, b"\x03\0"),
    seeds=(
        b"\0" + gzip.compress(_WORDS, mtime=0), b"\1" + zlib.compress(_WORDS),
        b"\1" + zlib.compress(_WORDS)[2:-4], b"\2" + brotli.compress(_WORDS),
        b"\0" + gzip.compress(b"\0" * 200_000, mtime=0), b"\3" + _WORDS, b"\6x", b"\5x",
        b"\0" + gzip.compress(b"a", mtime=0) * 3, b"\2" + brotli.compress(b"\0" * 200_000),
        b"\0" + gzip.compress(_WORDS, mtime=0)[:-9], b"\1" + zlib.compress(_WORDS)[:-6],
        b"\0" + gzip.compress(b"a", mtime=0) + b"\0" * 9, b"\2" + brotli.compress(_WORDS)[:-2],
    ),
)  # fmt: skip
