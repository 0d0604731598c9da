"""Reads one frame of a stream into the event it holds; the adapter of `sseclient`.

The event and the grammar of a line are the library's. Its loop over the lines is
not used: it also ends a line at characters that JSON may hold (U+2028, U+0085),
forgets empty lines of data, and gives up at a wait that is not a number. Pure.
"""

from dataclasses import dataclass

from sseclient import Event

_MESSAGE = "message"
_MAX_WAIT_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Frame:
    """What the lines of a frame say.

    `last_id` is `None` where they name none; `event` where they hold no data, as
    those of comments. `wait_ms` is what the server wishes before a reconnection.
    """

    event: Event | None
    last_id: str | None = None
    wait_ms: int | None = None


def read_frame(frame: bytes) -> Frame:
    """Read the lines of a frame; bytes that are not UTF-8 become U+FFFD."""
    data: list[str] = []
    kind, last_id, wait_ms = _MESSAGE, None, None
    for line in frame.decode("utf-8", "replace").split("\n"):
        name, value = Event.sse_line_pattern.match(line).group("name", "value")
        if name == "data":
            data.append(value)
        elif name == "event":
            kind = value or _MESSAGE
        elif name == "id" and "\0" not in value:
            last_id = value
        elif name == "retry" and value.isascii() and value.isdecimal():
            wait_ms = int(value[:_MAX_WAIT_DIGITS])
    event = Event("\n".join(data), kind, last_id, wait_ms) if data else None
    return Frame(event, last_id, wait_ms)
