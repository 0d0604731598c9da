"""Turns the bytes of a source into text, isolated from hostile input.

A page of a few kilobytes can make parsers of HTML and PDF run for hours or use all
memory, and their C loops cannot be interrupted. So they run in child processes that are
killed when their time is up; the next document gets a new child. Small plain text is
read in this process: nothing there can be slow.
"""

import asyncio
import contextlib
import json
import os
import sys
from asyncio.subprocess import PIPE, Process
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, cast

import bot
from bot.sources.extraction.columns import are_typed_across
from bot.sources.extraction.page_kinds import classify_plain, what_stands_there
from bot.sources.extraction.sniff import Kind, decode, sniff
from bot.sources.extraction.text import Extraction, read, unwrap
from handlers.model import MissingKind, MissingPiece, SourceOutcome, SourceText
from handlers.ports import PermanentError

_LONGEST_HEADLINE = 150  # characters
_ENDS = frozenset(".!?:;,")


def read_plain(body: bytes, *, content_type: str | None) -> Extraction:
    """Return the text without the line breaks of a fixed line width."""
    decoded = decode(body, content_type=content_type)
    text = unwrap(decoded)
    if not text:
        return Extraction(SourceOutcome.EMPTY_SHELL, "the page shows no text")
    wall = classify_plain(text)
    if wall:
        return Extraction(wall.outcome, wall.detail)
    instead = what_stands_there("", text)
    if instead:
        return Extraction(*instead)
    document = SourceText(text, title=_headline(text))
    if are_typed_across(decoded):
        document = replace(document, missing=(MissingPiece(MissingKind.COLUMNS, "1"),))
    return read(document)


def _headline(text: str) -> str | None:
    """Return the first line if it is above the text like a headline."""
    first, _, rest = text.partition("\n")
    line = first.strip()
    is_short = len(line) <= _LONGEST_HEADLINE and line[-1:] not in _ENDS
    return line if line and rest.strip() and is_short else None


LENGTH_BYTES = 4
MAX_REPLY_BYTES = 40_000_000  # more than 3 million characters take, all escaped
READY = b"ready"


@dataclass(frozen=True, slots=True)
class Request:
    """What a child process is told about a body.

    It is sent as a frame of JSON and a frame with the body; the reply is one frame of
    JSON. Each frame is preceded by its length in four bytes, big-endian. A child says
    READY once, when it has loaded its libraries.
    """

    kind: str  # the value of a `sniff.Kind`
    content_type: str | None
    url: str


def frame(payload: bytes) -> bytes:
    """Return `payload` preceded by its length."""
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


# One child process, from the parent's side: start it, ask it, kill it.

_START_TIMEOUT_S = 120.0  # a loaded machine needs a while to load the libraries
_WORKER = "bot.sources.extraction.worker"


class ChildDiedError(Exception):
    """The child ended, or answered nonsense, while it read a document."""


class Child:
    """A running child. Used for one document at a time; `close` always ends it."""

    def __init__(self, process: Process) -> None:
        self._process = process
        # Both are there: `start` asks for pipes.
        self._stdin = cast(asyncio.StreamWriter, process.stdin)
        self._stdout = cast(asyncio.StreamReader, process.stdout)
        self.documents = 0

    @classmethod
    async def start(cls, *, max_memory_bytes: int, cpu_s: float) -> "Child":
        """Start a child and wait until it has loaded its libraries.

        Raises:
            PermanentError: it cannot be started here; the message has its last words.
        """
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", _WORKER, str(max_memory_bytes), str(cpu_s)),
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            env=_environment(),
            cwd="/",
            start_new_session=True,  # Ctrl-C in a terminal is handled by the parent
        )
        child = cls(process)
        try:
            await child._await_ready()
        except BaseException:
            await child.close()
            raise
        return child

    async def read(self, request: Request, body: bytes) -> Extraction:
        """Return what the child makes of `body`.

        Raises:
            ChildDiedError: it did not answer, and is unusable.
        """
        self.documents += 1
        try:
            await self._send(request, body)
            return Extraction.from_json(await self._receive())
        except (OSError, EOFError, ValueError) as error:
            raise ChildDiedError(str(error)) from error

    async def close(self) -> None:
        """Kill the child and wait for its end."""
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        self._stdin.close()
        # Drains the pipes, too; otherwise they would stay open.
        await self._process.communicate()

    async def _await_ready(self) -> None:
        try:
            async with asyncio.timeout(_START_TIMEOUT_S):
                ready = await self._receive() == READY
        except (EOFError, ValueError, TimeoutError):
            ready = False
        if not ready:
            raise PermanentError(
                f"the text extractor cannot be started: {await self._last_words()}"
            )

    async def _last_words(self) -> str:
        with contextlib.suppress(ProcessLookupError):
            self._process.kill()
        _, errors = await self._process.communicate()
        lines = errors.decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else "it ended without an answer"

    async def _send(self, request: Request, body: bytes) -> None:
        self._stdin.write(request_frame(request))
        self._stdin.write(len(body).to_bytes(LENGTH_BYTES, "big"))
        self._stdin.write(body)
        await self._stdin.drain()

    async def _receive(self) -> bytes:
        size = int.from_bytes(await self._stdout.readexactly(LENGTH_BYTES), "big")
        if size > MAX_REPLY_BYTES:
            raise ValueError(f"a reply of {size} bytes")
        return await self._stdout.readexactly(size)


def _environment() -> dict[str, str]:
    """Return all that a child needs to know: where this code is."""
    root = Path(bot.__file__).parents[1]
    return {"PYTHONPATH": str(root), "PATH": os.defpath, "LC_ALL": "C.UTF-8"}


_MAX_BODY_BYTES = 500_000_000
_SMALL_TEXT_BYTES = 200_000  # decoded and cleaned in a few milliseconds
_DOCUMENTS_PER_CHILD = 200  # libraries keep caches; a new child has none


class Extractor:
    """A small pool of children that read documents; an async context manager.

    Children start when first needed and end with the context. At most `children`
    documents are read at once; further calls wait for their turn.
    """

    def __init__(
        self,
        *,
        timeout_s: float = 10.0,
        max_memory_bytes: int = 280_000_000,
        children: int = 2,
    ) -> None:
        self._timeout_s = timeout_s
        self._max_memory_bytes = max_memory_bytes
        self._turns = asyncio.Semaphore(children)
        self._idle: list[Child] = []

    async def __aenter__(self) -> "Extractor":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        while self._idle:
            await self._idle.pop().close()

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
        if not body.strip():
            return Extraction(SourceOutcome.EMPTY_SHELL, "the answer has no content")
        if len(body) > _MAX_BODY_BYTES:
            return Extraction(SourceOutcome.TOO_LARGE, f"{len(body):,} bytes")
        sniffed = sniff(body, content_type)
        if sniffed.kind is Kind.OTHER:
            return Extraction(SourceOutcome.NOT_TEXT, sniffed.name)
        if sniffed.kind is Kind.TEXT and len(body) <= _SMALL_TEXT_BYTES:
            return read_plain(body, content_type=content_type)
        return await self._read(Request(sniffed.kind.value, content_type, url), body)

    async def _read(self, request: Request, body: bytes) -> Extraction:
        async with self._turns:
            child = await self._child()
            extraction = None
            try:
                extraction = await self._ask(child, request, body)
            finally:
                await self._put_back(child, extraction)
            return extraction

    async def _child(self) -> Child:
        if self._idle:
            return self._idle.pop()
        return await Child.start(
            max_memory_bytes=self._max_memory_bytes, cpu_s=self._timeout_s
        )

    async def _ask(self, child: Child, request: Request, body: bytes) -> Extraction:
        try:
            async with asyncio.timeout(self._timeout_s):
                return await child.read(request, body)
        except TimeoutError:
            return _incomplete(
                f"the text extractor was stopped after {self._timeout_s:g} s"
            )
        except ChildDiedError:
            return _incomplete("the text extractor crashed on it")

    async def _put_back(self, child: Child, extraction: Extraction | None) -> None:
        """Keep a healthy child; end one that failed or was interrupted."""
        fine = extraction and extraction.outcome is not SourceOutcome.INCOMPLETE
        if fine and child.documents < _DOCUMENTS_PER_CHILD:
            self._idle.append(child)
        else:
            await child.close()


def _incomplete(detail: str) -> Extraction:
    return Extraction(SourceOutcome.INCOMPLETE, detail)
