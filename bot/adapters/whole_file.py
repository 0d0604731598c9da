"""Writes a file whole or not at all, whatever becomes of the disk or the process.

A full disk passes: somebody frees space, and the next try writes. Anything else that
keeps a file from being written stays until somebody acts.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import get_ident

from handlers.ports import PermanentError, TemporaryError

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_RETRY_S = 30.0


@contextmanager
def replacing(path: Path, text: str) -> Iterator[None]:
    """Put `text` into the place of the file when the block has ended well.

    Its room is taken before the block begins, so that the disk cannot be too full
    for it afterwards. Two processes, or one after the other, may do so at once. The
    folder is made if it is missing.

    Raises:
        OSError: nothing has changed.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{os.getpid()}-{get_ident()}.part")
    try:
        unfinished.write_text(text, "utf-8", newline="")
        yield
        unfinished.replace(path)
    except BaseException:
        with suppress(OSError):
            unfinished.unlink()
        raise


def append_line(path: Path, line: str) -> None:
    """Put a line at the end of a file.

    Raises:
        OSError: nothing has changed.
    """
    with path.open("ab") as file:
        size_bytes = file.tell()
    try:
        with path.open("ab") as file:
            file.write(f"{line}\n".encode("utf-8", "backslashreplace"))
    except OSError:
        with suppress(OSError):
            os.truncate(path, size_bytes)
        raise


def unwritten(what: str, error: OSError) -> PermanentError | TemporaryError:
    """Return the failure to raise where `what` cannot be written."""
    if error.errno in _FULL:
        return TemporaryError(
            f"{what} cannot be written: the disk is full; free some space",
            retry_in_s=_RETRY_S,
        )
    why = (error.strerror or "error").lower()
    return PermanentError(f"{what} cannot be written ({why}); check its folder")
