"""Threads that nobody waits for when the program ends.

Most of the daemon's threads speak to a database or to a wiki, and either may take half
a minute to answer. Nothing is lost when such a thread is left behind: a transaction is
undone, and a post is looked for before it is tried again.
"""

import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from threading import Thread
from typing import Any, ParamSpec, TypeVar

from bot.daemon.arenas import share_arenas

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
