"""Writes a file whole or not at all, whatever becomes of the disk or the process.

A full disk passes: someone frees space, and the next try writes. So may a disk that
fails. Anything else that keeps a file from being written stays until someone acts.
"""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from threading import get_ident

from handlers.ports import PermanentError, TemporaryError

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
# Of a disk, a volume over a network, and a stick that was taken out.
_FAILS = frozenset(
    {errno.EIO, errno.ESTALE, errno.ENODEV, errno.ENXIO, errno.ETIMEDOUT}
)
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
    if _is_of_the_disk(error):
        return _failing(f"{what} cannot be written", error)
    return PermanentError(f"{what} cannot be written ({_why(error)}); check its folder")


def unread(what: str, error: OSError) -> PermanentError | TemporaryError:
    """Return the failure to raise where `what` is there and cannot be read."""
    if _is_of_the_disk(error):
        return _failing(f"{what} cannot be read", error)
    return PermanentError(f"{what} cannot be read ({_why(error)}); check its rights")


def _is_of_the_disk(error: OSError) -> bool:
    """Return whether a disk fails: what it holds may be read once it works again."""
    return error.errno in _FAILS


def _failing(what: str, error: OSError) -> TemporaryError:
    return TemporaryError(
        f"{what}: the disk fails ({_why(error)}); see what the system says of the disk",
        retry_in_s=_RETRY_S,
    )


def _why(error: OSError) -> str:
    return (error.strerror or "error").lower()


# Removes what a program left in its own folder long ago.


def remove_old(
    folder: Path,
    endings: tuple[str, ...],
    before: datetime,
    stays: Callable[[Path], bool],
) -> int:
    """Remove files of the folders in `folder`; return how many.

    Whatever cannot be read or removed is left. Nothing but plain files goes.

    Args:
        folder: has one folder for each wiki.
        endings: of the names of files that may go.
        before: files written at or after that time stay.
        stays: is asked for each file that may go.
    """
    removed = 0
    for path in folder.glob("*/*"):
        with suppress(OSError):
            if not path.name.endswith(endings) or path.is_symlink():
                continue
            is_old = path.is_file() and path.stat().st_mtime < before.timestamp()
            if is_old and not stays(path):
                path.unlink()
                removed += 1
    return removed
