"""Undoes a body's compression piece by piece, never beyond a cap.

A kilobyte can stand for a gigabyte, so the caller says before each piece how
many bytes it still has room for. Encodings that we did not ask for, and
stacked ones, are errors: decoding half of a stack would yield garbage that
looks like text.
"""

import zlib
from typing import Protocol

import brotli

ACCEPT_ENCODING = "gzip, deflate, br"

_GZIP = zlib.MAX_WBITS | 16
_ZLIB = zlib.MAX_WBITS
_RAW_DEFLATE = -zlib.MAX_WBITS
_ZLIB_METHOD = 8
# Each further member of a gzip body copies what is left of its piece.
_MAX_GZIP_MEMBERS = 64


class UnsupportedEncodingError(ValueError):
    """The body is in an encoding that we did not ask for."""


class BrokenBodyError(ValueError):
    """The body is not what its encoding says, or ends early."""


class Decoder(Protocol):
    """Decodes one body, piece by piece."""

    def decode(self, piece: bytes, room_bytes: int) -> bytes:
        """Return the decoded piece, cut somewhere after `room_bytes` bytes.

        More than `room_bytes` bytes mean that the body has outgrown its room;
        the decoder is of no use afterwards.

        Raises:
            BrokenBodyError: the piece is not in the encoding.
        """
        ...

    def finish(self) -> None:
        """Check that the body came to its end.

        Raises:
            BrokenBodyError: something is missing.
        """
        ...


def decoder_for(content_encoding: str) -> Decoder:
    """Return the decoder for a `Content-Encoding` header.

    Raises:
        UnsupportedEncodingError: it is unknown, or several are stacked.
    """
    named = [name.strip().lower() for name in content_encoding.split(",")]
    applied = [name for name in named if name not in {"", "identity"}]
    if len(applied) > 1:
        raise UnsupportedEncodingError("the page is compressed more than once")
    match applied:
        case []:
            return _Plain()
        case ["gzip" | "x-gzip"]:
            return _Gzip()
        case ["deflate"]:
            return _Deflate()
        case ["br"]:
            return _Brotli()
        case _:
            raise UnsupportedEncodingError(
                "the page is compressed in a way that we did not ask for"
            )


class _Plain:
    def decode(self, piece: bytes, room_bytes: int) -> bytes:
        return piece[: room_bytes + 1]

    def finish(self) -> None:
        return


class _Gzip:
    def __init__(self) -> None:
        self._member = zlib.decompressobj(_GZIP)
        self._members = 1
        self._anything = False
        self._padding = False

    def decode(self, piece: bytes, room_bytes: int) -> bytes:
        self._anything = self._anything or bool(piece)
        decoded = bytearray()
        while piece and not self._padding and len(decoded) <= room_bytes:
            if self._member.eof and not self._next_member(piece):
                break
            decoded += _inflate(self._member, piece, room_bytes - len(decoded))
            piece = self._member.unused_data
        return bytes(decoded)

    def finish(self) -> None:
        if self._anything and not self._member.eof:
            raise BrokenBodyError("the compressed page breaks off")

    def _next_member(self, piece: bytes) -> bool:
        # Padding after the end is common and means nothing, up to the body's own end:
        # a byte in it that looks like a further member may begin a piece by chance.
        if not piece.startswith(b"\x1f"):
            self._padding = True
            return False
        if self._members == _MAX_GZIP_MEMBERS:
            raise BrokenBodyError("the compressed page has too many parts")
        self._members += 1
        self._member = zlib.decompressobj(_GZIP)
        return True


class _Deflate:
    """Servers send `deflate` with and without the zlib wrapper it should have."""

    def __init__(self) -> None:
        self._start = b""
        self._stream: zlib._Decompress | None = None

    def decode(self, piece: bytes, room_bytes: int) -> bytes:
        if self._stream is None:
            self._start += piece
            if len(self._start) < 2:  # noqa: PLR2004 - the length of a zlib header
                return b""
            piece = self._start
            self._stream = zlib.decompressobj(_window_bits(piece))
        return b"" if self._stream.eof else _inflate(self._stream, piece, room_bytes)

    def finish(self) -> None:
        ended = self._stream is not None and self._stream.eof
        if self._start and not ended:
            raise BrokenBodyError("the compressed page breaks off")


class _Brotli:
    def __init__(self) -> None:
        self._stream = brotli.Decompressor()
        self._anything = False

    def decode(self, piece: bytes, room_bytes: int) -> bytes:
        self._anything = self._anything or bool(piece)
        try:
            decoded = bytearray(self._process(piece, room_bytes))
            while len(decoded) <= room_bytes and not self._accepts_more():
                decoded += self._process(b"", room_bytes - len(decoded))
        except brotli.error:
            raise BrokenBodyError("the page is not compressed as it says") from None
        return bytes(decoded)

    def finish(self) -> None:
        if self._anything and not self._stream.is_finished():
            raise BrokenBodyError("the compressed page breaks off")

    def _process(self, piece: bytes, room_bytes: int) -> bytes:
        return bytes(self._stream.process(piece, output_buffer_limit=room_bytes + 1))

    def _accepts_more(self) -> bool:
        return bool(self._stream.can_accept_more_data())


def _inflate(stream: "zlib._Decompress", piece: bytes, room_bytes: int) -> bytes:
    try:
        return stream.decompress(piece, room_bytes + 1)
    except zlib.error:
        raise BrokenBodyError("the page is not compressed as it says") from None


def _window_bits(start: bytes) -> int:
    wrapped = start[0] & 0x0F == _ZLIB_METHOD and (start[0] << 8 | start[1]) % 31 == 0
    return _ZLIB if wrapped else _RAW_DEFLATE
