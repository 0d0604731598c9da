"""Whether the time of a function grows with the length of what it gets, or with its square.

A bound in seconds says as much of the machine as of the code, so none is asked for here:
the same work is done at two lengths, a moment apart, and the times are compared.
"""

import time
from collections.abc import Callable
from typing import TypeVar

TIMES = 4
SQUARE = 2.5  # of the time for a piece, where it would be 4; below that is noise
QUICK_S = 0.25  # of processor time, that is not looked into
_ATTEMPTS = 4

T = TypeVar("T")


def is_linear(
    make: Callable[[int], T],
    act: Callable[[T], object],
    length: int,
    quick_s: float = QUICK_S,
) -> bool:
    """Tell whether `act` takes four times as long on `made(length)` as on a quarter.

    Something else on the machine may make one look slow, so it takes four slow looks;
    each at another length, for what is remembered of the last one would be quick.
    """
    for attempt in range(_ATTEMPTS):
        chars = length * (100 + attempt) // 100
        whole, part = make(chars), make(chars // TIMES)
        whole_s = processor_s(act, whole)
        if whole_s < quick_s or whole_s < SQUARE * TIMES * processor_s(act, part):
            return True
    return False


def processor_s(act: Callable[[T], object], given: T) -> float:
    """Return the seconds of processor time that `act` takes."""
    began_s = time.process_time()
    act(given)
    return time.process_time() - began_s


def repeated(unit: str) -> Callable[[int], str]:
    """Return what makes a text of about so many characters out of `unit`."""
    return lambda chars: unit * (chars // len(unit))
