"""Runs long computations outside the event loop: in a thread with its own loop.

Python switches between threads within milliseconds. What belongs to the first loop,
such as a client of a server, is still called there.
"""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from threading import Thread
from typing import Any, TypeVar

from pydantic import BaseModel

from bot.daemon.threads import PassingThreads
from handlers.model import Engine
from handlers.ports import LanguageModel, ModelReply, ModelRequest

_T = TypeVar("_T")
_Answer = TypeVar("_Answer", bound=BaseModel)


async def apart(work: Callable[[], Coroutine[Any, Any, _T]]) -> _T:
    """Run `work` in its own thread and return its result.

    If the caller is cancelled while waiting, the work is cancelled, too; it ends at its
    next await, and nobody waits for that.
    """
    loop = asyncio.new_event_loop()
    loop.set_default_executor(PassingThreads())
    Thread(target=_run, args=(loop,), name="sidenote apart", daemon=True).start()
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
    left = asyncio.gather(*_cancelled(loop), return_exceptions=True)
    left.add_done_callback(lambda _: loop.stop())


def _cancelled(loop: asyncio.AbstractEventLoop) -> list[asyncio.Task[Any]]:
    tasks = list(asyncio.all_tasks(loop))
    for task in tasks:
        task.cancel()
    return tasks


@dataclass(frozen=True, slots=True)
class AskedAcross:
    """A language model that belongs to `home`, for work that runs in another loop."""

    model: LanguageModel
    home: asyncio.AbstractEventLoop

    @property
    def engine(self) -> Engine:
        """Name and version of the model."""
        return self.model.engine

    async def ask(self, request: ModelRequest[_Answer]) -> ModelReply[_Answer]:
        """Ask the model in its home loop; raises what it raises."""
        asked = self.model.ask(request)
        return await asyncio.wrap_future(
            asyncio.run_coroutine_threadsafe(asked, self.home)
        )
