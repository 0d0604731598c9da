"""Writes a file whole or not at all, whatever happens to the disk or the process.

A full disk is temporary: someone frees space, and the next try succeeds. So may be a
disk error. Any other cause stays until someone acts.
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
# From a disk, a network volume, and a removed USB stick.
_FAILS = frozenset(
    {errno.EIO, errno.ESTALE, errno.ENODEV, errno.ENXIO, errno.ETIMEDOUT}
)
_RETRY_S = 30.0


@contextmanager
def replacing(path: Path, text: str) -> Iterator[None]:
    """Replace the file with `text` when the block ends without an error.

    Space is reserved before the block begins, so that the disk cannot be too full for
    it afterwards. Several processes may do so at once. The folder is created if
    missing. Nobody else may read either: they name people.

    Raises:
        OSError: nothing has changed.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    unfinished = path.with_name(f".{os.getpid()}-{get_ident()}.part")
    try:
        with open(unfinished, "w", encoding="utf-8", newline="", opener=_own) as file:
            file.write(text)
        yield
        unfinished.replace(path)
    except BaseException:
        with suppress(OSError):
            unfinished.unlink()
        raise


def append_line(path: Path, line: str) -> None:
    """Append a line to a file.

    Raises:
        OSError: nothing has changed.
    """
    with open(path, "ab", opener=_own) as file:
        size_bytes = file.tell()
    try:
        with path.open("ab") as file:
            file.write(f"{line}\n".encode("utf-8", "backslashreplace"))
    except OSError:
        with suppress(OSError):
            os.truncate(path, size_bytes)
        raise


def _own(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def unwritten(what: str, error: OSError) -> PermanentError | TemporaryError:
    """Return the error to raise if `what` cannot be written."""
    if error.errno in _FULL:
        return TemporaryError(
            f"{what} cannot be written: the disk is full; free some space",
            retry_in_s=_RETRY_S,
        )
    if _is_of_the_disk(error):
        return _failing(f"{what} cannot be written", error)
    return PermanentError(f"{what} cannot be written ({_why(error)}); check its folder")


def unread(what: str, error: OSError) -> PermanentError | TemporaryError:
    """Return the error to raise if `what` exists but cannot be read."""
    if _is_of_the_disk(error):
        return _failing(f"{what} cannot be read", error)
    return PermanentError(
        f"{what} cannot be read ({_why(error)}); check its permissions"
    )


def _is_of_the_disk(error: OSError) -> bool:
    """Return whether a disk fails: its data may be readable once it works again."""
    return error.errno in _FAILS


def _failing(what: str, error: OSError) -> TemporaryError:
    return TemporaryError(
        f"{what}: the disk fails ({_why(error)}); check the disk",
        retry_in_s=_RETRY_S,
    )


def _why(error: OSError) -> str:
    return (error.strerror or "error").lower()


# Removes old files that a program left in its own folder.


def remove_old(
    folder: Path,
    endings: tuple[str, ...],
    before: datetime,
    stays: Callable[[Path], bool],
) -> int:
    """Remove files of the folders in `folder`; return how many.

    What cannot be read or removed is left. Only plain files are removed.

    Args:
        folder: has one folder for each wiki.
        endings: of the names of files that may be removed.
        before: files written at or after that time stay.
        stays: returns whether to keep a file that could be removed.
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
