"""Removes what a program left in its own folder long ago."""

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path


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
