"""Lets Python sleep while `./dev test --at` moves the clock.

Python sleeps until a time of the monotonic clock, which Debian's libfaketime takes for
one of the calendar and refuses. Waiting for nothing takes the same time.
"""

import select
import time


def _sleep(seconds: float) -> None:
    select.select([], [], [], seconds)


time.sleep = _sleep
