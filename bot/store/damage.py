"""Tells a damaged SQLite file from one on a disk that fails.

SQLite says of a place that the disk cannot read that the database is damaged
(SQLITE_IOERR_CORRUPTFS, which it hands out as SQLITE_CORRUPT). Whoever believed that
would throw a sound database away.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

_PIECE_BYTES = 1024 * 1024


def is_whole(path: Path) -> bool:
    """Tell whether a database is sound, as far as the disk lets anybody read it.

    It is read from begin to end, maybe more than once.
    """
    try:
        for each in (path, Path(f"{path}-wal")):
            if each.exists():
                _read(each)
    except OSError:
        return True  # nobody can tell, and the disk has to be seen to first
    try:
        address = f"{path.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, uri=True)) as opened:
            [told] = opened.execute("PRAGMA quick_check(1)").fetchone()
            return str(told) == "ok"
    except sqlite3.Error:
        return False


def _read(path: Path) -> None:
    with path.open("rb", buffering=0) as file:
        while file.read(_PIECE_BYTES):
            pass
