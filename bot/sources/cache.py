"""Caches: answers in memory, and bodies from the web on disk."""

import asyncio
import hashlib
import os
import sqlite3
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import itemgetter
from pathlib import Path
from typing import Generic, TypeVar

import structlog

from bot.sources.http import Failure, Fetched
from bot.sources.settings import CacheLimits
from handlers.model import SourceOutcome

_Answer = TypeVar("_Answer")


@dataclass(slots=True)
class _StoredAnswer(Generic[_Answer]):
    task: asyncio.Task[_Answer]
    done_at: float | None = None
    ends_at: float = 0.0
    weight: int = 0


class Remembered(Generic[_Answer]):
    """Remembers answers by key.

    Args:
        clock: monotonic, in seconds.
        keep_s: how long an answer is reused.
        most_weight: of all answers together; the oldest are removed first.
        weigh: how much an answer weighs; 1 by default.
        is_brief: says whether an answer is reused for `brief_s` only.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        *,
        keep_s: float,
        most_weight: int,
        weigh: Callable[[_Answer], int] = lambda _: 1,
        is_brief: Callable[[_Answer], bool] = lambda _: False,
        brief_s: float = 0.0,
    ) -> None:
        self._clock = clock
        self._keep_s = keep_s
        self._most_weight = most_weight
        self._weigh = weigh
        self._is_brief = is_brief
        self._brief_s = brief_s
        self._answers: dict[str, _StoredAnswer[_Answer]] = {}

    async def of(self, key: str, start: Callable[[], Awaitable[_Answer]]) -> _Answer:
        """Return the answer for `key`; `start` finds it if it is not known.

        Raises:
            Exception: what `start` raises; then the next call tries again.
        """
        self._forget()
        if key not in self._answers:

            async def ask() -> _Answer:
                return await start()

            task = asyncio.create_task(ask())
            self._answers[key] = _StoredAnswer(task)
            task.add_done_callback(lambda done: self._done(key, done))
        # A caller that stops waiting must not cancel the answer for the others.
        return await asyncio.shield(self._answers[key].task)

    async def close(self) -> None:
        """Cancel pending requests."""
        tasks = [one.task for one in self._answers.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _done(self, key: str, task: asyncio.Task[_Answer]) -> None:
        stored = self._answers.get(key)
        if stored is None or stored.task is not task:
            return
        if task.cancelled() or task.exception() is not None:
            del self._answers[key]
            return
        answer, now = task.result(), self._clock()
        keep_s = self._brief_s if self._is_brief(answer) else self._keep_s
        stored.done_at, stored.ends_at = now, now + keep_s
        stored.weight = self._weigh(answer)

    def _forget(self) -> None:
        now = self._clock()
        done = [
            (one.done_at, key, one)
            for key, one in self._answers.items()
            if one.done_at is not None
        ]
        excess = sum(one.weight for _, _, one in done) - self._most_weight
        for _, key, one in sorted(done, key=itemgetter(0)):
            if one.ends_at <= now or excess > 0:
                del self._answers[key]
                excess -= one.weight


_VERSION = 1
_SCHEMA = f"""
    PRAGMA journal_mode = WAL;
    CREATE TABLE IF NOT EXISTS pages (
        url TEXT PRIMARY KEY, asked_at REAL NOT NULL, status INTEGER,
        outcome TEXT, detail TEXT,
        final_url TEXT, content_type TEXT, etag TEXT, last_modified TEXT,
        sha256 TEXT, bytes INTEGER NOT NULL DEFAULT 0
    );
    CREATE INDEX IF NOT EXISTS by_age ON pages (asked_at);
    CREATE INDEX IF NOT EXISTS by_body ON pages (sha256);
    PRAGMA user_version = {_VERSION};
"""
_INDEX = "index.sqlite3"
_LOCK_WAIT_S = 5.0
_TROUBLES = (sqlite3.Error, OSError, ValueError, LookupError)
# Another process may have written a body and not yet named it in the index.
_ORPHAN_AGE_S = 3600.0


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """What is known about an address, and whether it is still fresh enough to use."""

    answer: Fetched | Failure
    is_fresh: bool


@dataclass(frozen=True, slots=True)
class CachedPage:
    """An address whose page is kept, whatever its age."""

    url: str  # as asked for
    sha256: str
    content_type: str | None
    fetched_at: datetime


class SourceCache:
    """A folder of answers. Blocking: call it from a thread.

    Trouble with the folder never stops a run: what cannot be read counts as missing,
    what cannot be written is not kept, and the log says so.

    Bodies are in files named by their SHA-256; an SQLite index says which address gave
    which. A body is written to a temporary file and renamed before the index names it,
    and is hashed again when read, so a kill at any moment leaves at worst a file that
    the next start removes. The index is `sqlite3` and not the project's store: it is
    private, disposable, read by several processes, and never on MariaDB, so it needs no
    migrations; a damaged one is recreated.

    Args:
        folder: created if missing, for this user alone. Not on a network file
            system: SQLite's write-ahead log needs one machine's memory.
        now: the time of day, with its zone.
    """

    def __init__(
        self, folder: Path, limits: CacheLimits, now: Callable[[], datetime]
    ) -> None:
        self._folder = folder
        self._limits = limits
        self._now = now
        self._log = structlog.get_logger().bind(folder=str(folder))

    def open(self) -> None:
        """Prepare the folder, and remove what a killed process left."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            (self._folder / "bodies").mkdir(mode=0o700, exist_ok=True)
            self._prepare_or_recreate()
            self._sweep()
        except _TROUBLES as error:
            self._log.warning("source cache not opened", error=str(error))

    def get(self, url: str) -> CacheEntry | None:
        """Return what is kept for `url`, if anything."""
        try:
            with self._index() as index:
                row = index.execute(
                    "SELECT * FROM pages WHERE url = ?", (url,)
                ).fetchone()
            return self._entry(row) if row else None
        except _TROUBLES as error:
            self._log.warning("source cache not read", error=str(error))
            return None

    def put(self, url: str, answer: Fetched | Failure) -> None:
        """Keep `answer` for `url`, and evict the oldest beyond the limit."""
        try:
            if isinstance(answer, Fetched):
                self._write_body(answer)
            with self._index() as index:
                _write_row(index, url, answer, self._now().timestamp())
                evicted = self._evict(index)
            for sha256 in evicted:
                self._body(sha256).unlink(missing_ok=True)
        except _TROUBLES as error:
            self._log.warning("source cache not written", error=str(error))

    def pages(self) -> list[CachedPage]:
        """Return every address whose page is kept, the oldest first."""
        try:
            with self._index() as index:
                rows = index.execute(
                    "SELECT url, sha256, content_type, asked_at FROM pages"
                    " WHERE sha256 IS NOT NULL ORDER BY asked_at, url"
                ).fetchall()
        except _TROUBLES as error:
            self._log.warning("source cache not read", error=str(error))
            return []
        return [
            CachedPage(
                row["url"],
                row["sha256"],
                row["content_type"],
                datetime.fromtimestamp(row["asked_at"], UTC),
            )
            for row in rows
        ]

    def body(self, page: CachedPage) -> bytes | None:
        """Return the content of a page; `None` if it is gone or damaged."""
        try:
            return self._read_body(page.sha256)
        except _TROUBLES:
            return None

    @contextmanager
    def _index(self) -> Iterator[sqlite3.Connection]:
        path = self._folder / _INDEX
        with closing(sqlite3.connect(path, timeout=_LOCK_WAIT_S)) as index:
            index.row_factory = sqlite3.Row
            with index:
                yield index

    def _prepare_or_recreate(self) -> None:
        try:
            self._prepare()
        except sqlite3.OperationalError:
            raise  # busy or full, not damaged
        except sqlite3.DatabaseError:
            for ending in ("", "-wal", "-shm"):
                (self._folder / (_INDEX + ending)).unlink(missing_ok=True)
            self._prepare()

    def _prepare(self) -> None:
        with self._index() as index:
            (version,) = index.execute("PRAGMA user_version").fetchone()
            if version not in {0, _VERSION}:
                raise sqlite3.DatabaseError("an index of another version")
            index.executescript(_SCHEMA)

    def _sweep(self) -> None:
        with self._index() as index:
            named = {row["sha256"] for row in index.execute("SELECT sha256 FROM pages")}
        before = self._now().timestamp() - _ORPHAN_AGE_S
        for path in (self._folder / "bodies").glob("*/*"):
            if path.name not in named and path.stat().st_mtime < before:
                path.unlink(missing_ok=True)

    def _body(self, sha256: str) -> Path:
        return self._folder / "bodies" / sha256[:2] / sha256

    def _write_body(self, page: Fetched) -> None:
        path = self._body(page.sha256)
        if path.exists():
            return
        path.parent.mkdir(mode=0o700, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(page.body)
            Path(name).replace(path)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise

    def _evict(self, index: sqlite3.Connection) -> list[str]:
        """Delete rows until the limit holds; return the bodies no longer named."""
        now = self._now().timestamp()
        index.execute(
            "DELETE FROM pages WHERE outcome IS NOT NULL AND asked_at < ?",
            (now - self._limits.negative_age_s,),
        )
        (held,) = index.execute(
            "SELECT COALESCE(SUM(bytes), 0) FROM"
            " (SELECT DISTINCT sha256, bytes FROM pages WHERE sha256 IS NOT NULL)"
        ).fetchone()
        evicted = []
        while held > self._limits.max_bytes:
            row = index.execute(
                "SELECT sha256, bytes FROM pages WHERE sha256 IS NOT NULL"
                " ORDER BY asked_at LIMIT 1"
            ).fetchone()
            # Every address that gave this body is removed with it.
            index.execute("DELETE FROM pages WHERE sha256 = ?", (row["sha256"],))
            evicted.append(row["sha256"])
            held -= row["bytes"]
        return evicted

    def _entry(self, row: sqlite3.Row) -> CacheEntry | None:
        age_s = self._now().timestamp() - row["asked_at"]
        if row["outcome"] is not None:
            # If the clock was set back, ages are negative; those are not fresh.
            fresh = 0 <= age_s < self._limits.negative_age_s
            return CacheEntry(_failure(row), is_fresh=True) if fresh else None
        body = self._read_body(row["sha256"])
        if body is None:
            return None
        return CacheEntry(
            _page(row, body), is_fresh=0 <= age_s < self._limits.max_age_s
        )

    def _read_body(self, sha256: str) -> bytes | None:
        with suppress(FileNotFoundError):
            body = self._body(sha256).read_bytes()
            if hashlib.sha256(body).hexdigest() == sha256:
                return body
            self._body(sha256).unlink(missing_ok=True)
        return None


def _write_row(
    index: sqlite3.Connection, url: str, answer: Fetched | Failure, now: float
) -> None:
    if isinstance(answer, Failure):
        index.execute(
            "INSERT OR REPLACE INTO pages"
            " (url, asked_at, status, outcome, detail, final_url)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (
                url,
                now,
                answer.http_status,
                answer.outcome.name,
                answer.detail,
                answer.url,
            ),
        )
        return
    index.execute(
        "INSERT OR REPLACE INTO pages (url, asked_at, status, final_url,"
        " content_type, etag, last_modified, sha256, bytes)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            url,
            answer.fetched_at.timestamp(),
            answer.status,
            answer.url,
            answer.content_type,
            answer.etag,
            answer.last_modified,
            answer.sha256,
            len(answer.body),
        ),
    )


def _failure(row: sqlite3.Row) -> Failure:
    outcome = SourceOutcome[row["outcome"]]
    return Failure(outcome, row["detail"], row["status"], row["final_url"])


def _page(row: sqlite3.Row, body: bytes) -> Fetched:
    return Fetched(
        url=row["final_url"],
        status=row["status"],
        content_type=row["content_type"],
        body=body,
        sha256=row["sha256"],
        fetched_at=datetime.fromtimestamp(row["asked_at"], UTC),
        etag=row["etag"],
        last_modified=row["last_modified"],
    )
