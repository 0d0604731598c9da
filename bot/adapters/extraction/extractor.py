"""Turns the bytes of a source into text, out of reach of what hostile bytes do.

Parsers of HTML and PDF can be made to run for hours or to eat all memory by a
page of a few kilobytes, and their C loops cannot be interrupted. So they run in
child processes that are killed when their time is up; the next document gets a
new child.
"""

from types import TracebackType

from bot.adapters.extraction.extracted import Extraction


class Extractor:
    """A small pool of children that read documents; an async context manager.

    Children start when first needed and end with the context. At most `children`
    documents are read at once; further calls wait for their turn.
    """

    def __init__(
        self,
        *,
        timeout_s: float = 10.0,
        max_memory_bytes: int = 1_000_000_000,
        children: int = 2,
    ) -> None:
        self._timeout_s = timeout_s
        self._max_memory_bytes = max_memory_bytes
        self._children = children

    async def __aenter__(self) -> "Extractor":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return None

    async def extract(
        self, body: bytes, *, content_type: str | None, url: str
    ) -> Extraction:
        """Return the readable text of `body`, or the outcome that says why not.

        Args:
            body: what was served with status 200, decompressed.
            content_type: the header as served; may be wrong or absent.
            url: where it came from, after redirects.

        Raises:
            PermanentError: the children cannot be started on this machine. No
                body, however hostile, raises.
        """
        raise NotImplementedError
