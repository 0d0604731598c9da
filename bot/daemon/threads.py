"""Threads: those that nobody waits for when the program ends, and one to compute in.

Most of the daemon's threads talk to a database or a wiki, and either may take half a
minute to answer. Nothing is lost when such a thread is abandoned: a transaction is
rolled back, and a post is looked for before it is tried again.
"""

import asyncio
import ctypes
import os
import sys
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from threading import Thread
from typing import Any, ParamSpec, TypeVar

from pydantic import BaseModel

from handlers.model import Engine
from handlers.ports import LanguageModel, ModelReply, ModelRequest

_ARENA_MAX = -8  # M_ARENA_MAX of malloc.h; see mallopt(3)
_MOST_ARENAS = 2
_NAME = "sidenote"
_P = ParamSpec("_P")
_T = TypeVar("_T")
_Answer = TypeVar("_Answer", bound=BaseModel)


def end_with(code: int) -> None:
    """End the process at once if a thread of this module still runs.

    Otherwise Python's shutdown breaks a library's own threads, which then abort the
    process: its exit code would be lost behind "terminate called without an active
    exception".
    """
    if not any(each.name == _NAME for each in threading.enumerate()):
        return
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # its reader may be gone
            stream.flush()
    os._exit(code)


class PassingThreads(ThreadPoolExecutor):
    """Runs each call in a new thread; for `loop.set_default_executor`."""

    def __init__(self) -> None:
        super().__init__()
        _share_arenas()

    def submit(
        self, call: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs
    ) -> Future[_T]:
        """Start the call at once."""
        future: Future[_T] = Future()

        def run() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                result = call(*args, **kwargs)
            except BaseException as error:  # noqa: BLE001 - handed to whoever waits
                future.set_exception(error)
            else:
                future.set_result(result)

        Thread(target=run, name=_NAME, daemon=True).start()
        return future

    def shutdown(self, wait: bool = True, **_: Any) -> None:
        """Wait for nothing."""


def _share_arenas() -> None:
    """Make threads share freed memory, if the C library is glibc.

    glibc gives threads separate arenas, eight for each core, and freed memory stays in
    its arena. Short-lived threads, each working on a page, spread over all of them: in a
    simulated week a process grew by 3 MB a day although it held nothing.
    """
    with suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL(None).mallopt(_ARENA_MAX, _MOST_ARENAS)


async def in_own_loop(work: Callable[[], Coroutine[Any, Any, _T]]) -> _T:
    """Run a long computation in its own thread, with a loop of its own.

    Python switches between threads within milliseconds. What belongs to the first loop,
    such as a client of a server, is still called there: see `ModelOfLoop`.
    If the caller is cancelled while waiting, the work is cancelled, too; it ends at its
    next await, and nobody waits for that.
    """
    loop = asyncio.new_event_loop()
    loop.set_default_executor(PassingThreads())
    Thread(target=_run, args=(loop,), name="sidenote loop", daemon=True).start()
    running = asyncio.run_coroutine_threadsafe(work(), loop)
    try:
        return await asyncio.wrap_future(running)
    finally:
        loop.call_soon_threadsafe(_end, loop)


def _run(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        loop.close()


def _end(loop: asyncio.AbstractEventLoop) -> None:
    """Cancel everything that still runs in a loop, then stop it."""
    tasks = list(asyncio.all_tasks(loop))
    for task in tasks:
        task.cancel()
    left = asyncio.gather(*tasks, return_exceptions=True)
    left.add_done_callback(lambda _: loop.stop())


@dataclass(frozen=True, slots=True)
class ModelOfLoop:
    """A language model that belongs to `home`, for work that runs in another loop."""

    model: LanguageModel
    home: asyncio.AbstractEventLoop

    @property
    def engine(self) -> Engine:
        """Name and version of the model."""
        return self.model.engine

    async def ask(self, request: ModelRequest[_Answer]) -> ModelReply[_Answer]:
        """Ask the model in its home loop; raises what it raises."""
        answer = self.model.ask(request)
        return await asyncio.wrap_future(
            asyncio.run_coroutine_threadsafe(answer, self.home)
        )
