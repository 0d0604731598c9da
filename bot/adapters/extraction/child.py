"""One child process, from its owner's side: start it, ask it, kill it."""

import asyncio
import contextlib
import os
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path
from typing import cast

import bot
from bot.adapters.extraction.extracted import Extraction
from bot.adapters.extraction.frames import (
    LENGTH_BYTES,
    MAX_REPLY_BYTES,
    READY,
    Request,
    request_frame,
)
from handlers.ports import PermanentError

_START_TIMEOUT_S = 120.0  # a loaded machine needs a while to load the libraries
_WORKER = "bot.adapters.extraction.worker"


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
            start_new_session=True,  # Ctrl-C in a terminal is its owner's affair
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
            ChildDiedError: it did not answer, and is of no more use.
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
        # Drains the pipes too, without which they would stay open.
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
        return lines[-1] if lines else "it ended without a word"

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
    """Return all that a child needs to know, which is where this code lies."""
    root = Path(bot.__file__).parents[1]
    return {"PYTHONPATH": str(root), "PATH": os.defpath, "LC_ALL": "C.UTF-8"}
