"""Threads that nobody waits for when the program ends.

Most of the daemon's threads speak to a database or to a wiki, and either may take half
a minute to answer. Nothing is lost when such a thread is left behind: a transaction is
undone, and a post is looked for before it is tried again.
"""

import ctypes
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from threading import Thread
from typing import Any, ParamSpec, TypeVar

# Makes threads share memory that was given back, where the C library is glibc.
# glibc gives threads arenas of their own, eight for each core, and what is freed stays
# in the arena that it came from. Threads that come and go, each with a page in hand,
# spread over all of them: over a simulated week a process grew by 3 MB a day and kept
# nothing.

_ARENA_MAX = -8  # M_ARENA_MAX of malloc.h; see mallopt(3)
_MOST_ARENAS = 2


def share_arenas() -> None:
    """Bound the arenas that are made from here on; do nothing where there are none."""
    with suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL(None).mallopt(_ARENA_MAX, _MOST_ARENAS)


_NAME = "sidenote"
_P = ParamSpec("_P")
_T = TypeVar("_T")


def end_with(code: int) -> None:
    """End the process at once if a thread of this module still runs; else do nothing.

    Python would take a library's own threads down below it, which abort the process:
    its exit code would be lost behind "terminate called without an active exception".
    """
    if not any(each.name == _NAME for each in threading.enumerate()):
        return
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # whoever read it may be gone
            stream.flush()
    os._exit(code)


class PassingThreads(ThreadPoolExecutor):
    """Runs each call in a thread of its own; for `loop.set_default_executor`."""

    def __init__(self) -> None:
        super().__init__()
        share_arenas()

    def submit(
        self, call: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs
    ) -> Future[_T]:
        """Begin the call at once."""
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
