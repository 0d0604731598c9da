"""Keeps the answers of a model, so that the same question is paid for once.

An SQLite file of its own, like the cache of sources: private, disposable, read by
several processes, and never on a network file system. A damaged one is started
anew; a row that does not read back as what was asked for is as good as none.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import structlog

_VERSION = 1
_SCHEMA = f"""
    PRAGMA journal_mode = WAL;
    CREATE TABLE IF NOT EXISTS answers (
        question TEXT PRIMARY KEY, kept_at REAL NOT NULL, answer TEXT NOT NULL
    );
    CREATE INDEX IF NOT EXISTS by_age ON answers (kept_at);
    PRAGMA user_version = {_VERSION};
"""
_FILE = "answers.sqlite3"
_LOCK_WAIT_S = 5.0
_TROUBLES = (sqlite3.Error, OSError, ValueError)


class AnswerCache:
    """Answers by the hash of their question. Blocking: call it from a thread.

    Args:
        folder: created if missing, for this user alone.
        max_bytes: of all answers; the oldest go first.
        now: seconds since 1970.
    """

    def __init__(self, folder: Path, max_bytes: int, now: Callable[[], float]) -> None:
        self._folder = folder
        self._max_bytes = max_bytes
        self._now = now
        self._is_open = False
        self._log = structlog.get_logger().bind(folder=str(folder))

    def get(self, question: str) -> str | None:
        """Return the answer that is kept, if there is one."""
        try:
            with self._file() as file:
                row = file.execute(
                    "SELECT answer FROM answers WHERE question = ?", (question,)
                ).fetchone()
        except _TROUBLES as error:
            self._log.warning("model cache not read", error=type(error).__name__)
            return None
        return row[0] if row and isinstance(row[0], str) else None

    def put(self, question: str, answer: str) -> None:
        """Keep `answer`, and let the oldest ones go beyond the bound."""
        try:
            with self._file() as file:
                file.execute(
                    "INSERT OR REPLACE INTO answers VALUES (?, ?, ?)",
                    (question, self._now(), answer),
                )
                self._evict(file)
        except _TROUBLES as error:
            self._log.warning("model cache not written", error=type(error).__name__)

    def _evict(self, file: sqlite3.Connection) -> None:
        file.execute(
            "DELETE FROM answers WHERE rowid IN (SELECT rowid FROM (SELECT rowid,"
            " SUM(LENGTH(CAST(answer AS BLOB))) OVER (ORDER BY kept_at DESC, rowid DESC)"
            " AS held FROM answers) WHERE held > ?)",
            (self._max_bytes,),
        )

    @contextmanager
    def _file(self) -> Iterator[sqlite3.Connection]:
        self._open()
        path = self._folder / _FILE
        with closing(sqlite3.connect(path, timeout=_LOCK_WAIT_S)) as file, file:
            yield file

    def _open(self) -> None:
        if self._is_open:
            return
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            self._prepare()
        except sqlite3.OperationalError:
            raise  # busy or full, not damaged
        except sqlite3.DatabaseError:
            for ending in ("", "-wal", "-shm"):
                (self._folder / (_FILE + ending)).unlink(missing_ok=True)
            self._prepare()
        self._is_open = True

    def _prepare(self) -> None:
        path = self._folder / _FILE
        with closing(sqlite3.connect(path, timeout=_LOCK_WAIT_S)) as file, file:
            (version,) = file.execute("PRAGMA user_version").fetchone()
            if version not in {0, _VERSION}:
                raise sqlite3.DatabaseError("a cache of another version")
            file.executescript(_SCHEMA)
