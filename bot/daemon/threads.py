"""Threads that nobody waits for when the program ends.

Most of the daemon's threads speak to a database or to a wiki, and either may take half
a minute to answer. Nothing is lost when such a thread is left behind: a transaction is
undone, and a post is looked for before it is tried again.
"""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Thread
from typing import Any, ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")


class PassingThreads(ThreadPoolExecutor):
    """Runs each call in a thread of its own; for `loop.set_default_executor`."""

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

        Thread(target=run, name="sidenote", daemon=True).start()
        return future

    def shutdown(self, wait: bool = True, **_: Any) -> None:
        """Wait for nothing."""
