"""Cuts a stream of server-sent events into frames, as the bytes come in. Pure.

A frame is what stands between two blank lines: the lines of one event, or of
comments. Nothing is decoded here, so that most frames can be dropped unread.
However the bytes are divided, the frames are the same; what one of them may cost
is bounded. (WHATWG HTML, section 9.2.6.)
"""

import re
from dataclasses import dataclass

_MARK = b"\xef\xbb\xbf"  # byte order mark, allowed once at the very beginning
_BLANK = b"\n\n"
_BLANKS = re.compile(_BLANK)  # splits in half the time that bytes.split takes
_KEPT_BYTES = 2_000


@dataclass(frozen=True, slots=True)
class CutFrame:
    """The beginning of a frame that was too large to be kept."""

    beginning: bytes


class Framer:
    """Takes the bytes of one connection in order.

    Args:
        max_bytes: of one frame. A larger one is passed over, up to its end.
    """

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._held = bytearray()  # an unfinished frame, line ends made "\n"
        self._head: bytes | None = b""  # the first bytes, while they may be the mark
        self._after_cr = False
        self._skipping = False
        self._cut: list[CutFrame] = []

    def feed(self, chunk: bytes) -> list[bytes]:
        """Return the frames that `chunk` completes, lines parted by a line feed.

        An unfinished frame at the end of a connection is to be forgotten.
        """
        text = self._normal(self._after_mark(chunk))
        if not text:
            return []
        if self._skipping:
            return self._skip(text)
        return self._split(text)

    def take_cut(self) -> list[CutFrame]:
        """Return the frames passed over since the last call."""
        cut, self._cut = self._cut, []
        return cut

    def _after_mark(self, chunk: bytes) -> bytes:
        if self._head is None:
            return chunk
        head = self._head + chunk
        if len(head) < len(_MARK) and _MARK.startswith(head):
            self._head = head
            return b""
        self._head = None
        return head.removeprefix(_MARK)

    def _normal(self, chunk: bytes) -> bytes:
        """Make each line end one line feed; one that is cut in two counts once."""
        if self._after_cr and chunk:
            self._after_cr = False
            chunk = chunk.removeprefix(b"\n")
        if b"\r" not in chunk:
            return chunk
        self._after_cr = chunk.endswith(b"\r")
        return chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n")

    def _split(self, text: bytes) -> list[bytes]:
        held = self._held
        if held:
            ends = _BLANK in text or (held.endswith(b"\n") and text.startswith(b"\n"))
            if not ends:
                held += text
                self._bound()
                return []
            text = bytes(held) + text
            held.clear()
        frames = _BLANKS.split(text)
        held += frames.pop()
        whole = self._whole(frames)
        self._bound()  # last, so that what is cut stands in its order
        return whole

    def _whole(self, frames: list[bytes]) -> list[bytes]:
        whole = []
        for frame in frames:
            lines = frame.lstrip(b"\n") if frame.startswith(b"\n") else frame
            if len(lines) > self._max_bytes:
                self._cut.append(CutFrame(lines[:_KEPT_BYTES]))
            elif lines:
                whole.append(lines)
        return whole

    def _bound(self) -> None:
        # One line feed may stand before the frame, and one is half of its end.
        if len(self._held) > self._max_bytes + 2:
            beginning = bytes(self._held[: _KEPT_BYTES + 1]).lstrip(b"\n")
            self._cut.append(CutFrame(beginning[:_KEPT_BYTES]))
            del self._held[:-1]
            self._skipping = True

    def _skip(self, text: bytes) -> list[bytes]:
        seam = bytes(self._held) + text
        _, found, after = seam.partition(_BLANK)
        if not found:
            self._held[:] = seam[-1:]
            return []
        self._held.clear()
        self._skipping = False
        return self._split(after) if after else []
