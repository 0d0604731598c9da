"""Whose fault an exception is, where a library may raise anything on hostile bytes.

The child process that reads documents makes a named outcome of whatever a parser
raises; so only what our own code raises is a finding.
"""

import traceback
from pathlib import Path

_ROOT = Path(__file__).parents[2]
_OURS = tuple(str(_ROOT / name) for name in ("bot", "handlers", "gadget", "tests"))


def fault_of_ours(error: Exception) -> bool:
    """Whether the exception began in a module of this repository."""
    if isinstance(error, MemoryError | RecursionError):
        return False  # named by the child, too
    frames = traceback.extract_tb(error.__traceback__)
    return bool(frames) and frames[-1].filename.startswith(_OURS)
