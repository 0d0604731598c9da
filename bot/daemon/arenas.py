"""Makes threads share memory that was given back, where the C library is glibc.

glibc gives threads arenas of their own, eight for each core, and what is freed stays in
the arena that it came from. Threads that come and go, each with a page in hand, spread
over all of them: over a simulated week a process grew by 3 MB a day and kept nothing.
"""

import ctypes

_ARENA_MAX = -8  # M_ARENA_MAX of malloc.h; see mallopt(3)
_MOST_ARENAS = 2


def share_arenas(most: int = _MOST_ARENAS) -> bool:
    """Bound the arenas that are made from here on; `False` where there are none."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):
        return False
    return bool(mallopt(_ARENA_MAX, most))
