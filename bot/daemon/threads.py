"""Threads that nobody waits for when the program ends.

Most of the daemon's threads talk to a database or a wiki, and either may take half a
minute to answer. Nothing is lost when such a thread is abandoned: a transaction is
rolled back, and a post is looked for before it is tried again.
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

# Makes threads share freed memory, if the C library is glibc. glibc gives threads
# separate arenas, eight for each core, and freed memory stays in its arena. Short-lived
# threads, each working on a page, spread over all of them: in a simulated week a
# process grew by 3 MB a day although it kept nothing.

_ARENA_MAX = -8  # M_ARENA_MAX of malloc.h; see mallopt(3)
_MOST_ARENAS = 2


def share_arenas() -> None:
    """Limit the number of arenas from here on; do nothing if there are none."""
    with suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL(None).mallopt(_ARENA_MAX, _MOST_ARENAS)


_NAME = "sidenote"
_P = ParamSpec("_P")
_T = TypeVar("_T")


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
        share_arenas()

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
