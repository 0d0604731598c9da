"""How the extractor and its children talk: frames of known length over pipes.

A request is a frame of JSON and a frame with the body; a reply is one frame of
JSON. Each frame is preceded by its length in four bytes, big-endian. A child
says READY once, when it has loaded its libraries.
"""

import json
from dataclasses import asdict, dataclass
from typing import BinaryIO

LENGTH_BYTES = 4
MAX_REPLY_BYTES = 40_000_000  # more than 3 million characters take, all escaped
READY = b"ready"


@dataclass(frozen=True, slots=True)
class Request:
    """What a child is told about a body."""

    kind: str  # the value of a `sniff.Kind`
    content_type: str | None
    url: str


def frame(payload: bytes) -> bytes:
    """Return `payload` with its length before it."""
    return len(payload).to_bytes(LENGTH_BYTES, "big") + payload


def request_frame(request: Request) -> bytes:
    """Return the first frame of a request; the second is the body's."""
    return frame(json.dumps(asdict(request)).encode())


def read_frame(stream: BinaryIO) -> bytes | None:
    """Return the next payload, or `None` when the stream has ended."""
    header = stream.read(LENGTH_BYTES)
    if len(header) < LENGTH_BYTES:
        return None
    size = int.from_bytes(header, "big")
    payload = stream.read(size)
    return payload if len(payload) == size else None


def read_request(stream: BinaryIO) -> tuple[Request, bytes] | None:
    """Return the next request and its body, or `None` when there are no more."""
    head = read_frame(stream)
    body = None if head is None else read_frame(stream)
    if head is None or body is None:
        return None
    return Request(**json.loads(head)), body
