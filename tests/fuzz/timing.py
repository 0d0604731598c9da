"""Bounds the processor time of one input."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class TooSlowError(BaseException):
    """One input took more processor time than it may; nothing catches this by chance."""


@contextmanager
def within(longest_s: float) -> Iterator[None]:
    """End what is done inside after `longest_s` of processor time.

    For the main thread alone. What a library does in C is ended when it comes back.

    Raises:
        TooSlowError: the time was up.
    """
    before = signal.signal(signal.SIGPROF, _too_slow)
    signal.setitimer(signal.ITIMER_PROF, longest_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _too_slow(_: int, frame: FrameType | None) -> None:
    raise TooSlowError(f"in {frame.f_code.co_qualname if frame else 'no frame'}")
