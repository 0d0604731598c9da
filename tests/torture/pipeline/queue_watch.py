"""Watches that no state of an article is read from the feed without being queued.

How far the feed was read is saved together with what follows from it. A change that
was read and not queued is lost, even if the next change of the article hides it, or the
next life reads the feed again from a little before.
"""

import json
import sqlite3
import threading
from collections.abc import Collection
from contextlib import closing
from pathlib import Path

from bot.demo.loopback.event_server import DATA_CENTRES
from bot.demo.loopback.recent_changes import STREAM
from tests.torture.pipeline.stage import Feed, Told

_TOPIC = f"{DATA_CENTRES[0]}.{STREAM}"
_EVERY_S = 0.1
_POSITION = "SELECT position FROM positions WHERE feed = 'recentchange'"
_QUEUED = "SELECT subject, revision FROM tasks WHERE kind = 'CHECK'"


class QueueWatch:
    """Compares the feed with the queue of the daemon's database.

    `titles` are the articles that are watched all the time. `lost` are the states that
    were not queued, `seen` counts those that were judged.
    """

    def __init__(self, database: Path, feed: Feed, titles: Collection[str]) -> None:
        self.lost: dict[tuple[str, int], str] = {}
        self.seen: set[tuple[str, int]] = set()
        self._database = database
        self._feed = feed
        self._titles = frozenset(titles)
        self._since_ms: int | None = None

    def look_until(self, end: threading.Event) -> None:
        """Look again and again."""
        while not end.wait(_EVERY_S):
            self.look()

    def look(self) -> None:
        """Look once."""
        with closing(sqlite3.connect(self._database, timeout=30)) as reading:
            reading.execute("BEGIN")  # both from one state of the database
            row = reading.execute(_POSITION).fetchone()
            queued: dict[str, int | None] = dict(reading.execute(_QUEUED).fetchall())
        newest_ms = _read_up_to_ms(row[0] if row else "")
        if newest_ms is None:
            return
        if self._since_ms is None:
            self._since_ms = newest_ms
        for told in self._read(newest_ms):
            state = told.title, told.revision
            self.seen.add(state)
            if (queued.get(told.title) or 0) < told.revision:
                self.lost[state] = (
                    f"revision {told.revision} of {told.title} was read from the feed"
                    " and not queued"
                )

    def _read(self, newest_ms: int) -> list[Told]:
        """Return what the daemon has read for certain: all before the newest second."""
        told = list(self._feed.told)
        since_ms = self._since_ms or 0
        before = next(
            (at for at, each in enumerate(told) if each.timestamp_ms >= newest_ms),
            len(told),
        )
        return [
            each
            for each in told[:before]
            if each.title in self._titles and each.timestamp_ms > since_ms
        ]


def _read_up_to_ms(position: str) -> int | None:
    """Return the time of the newest event of which a position knows."""
    topics = json.loads(position) if position else []
    times = [each.get("timestamp") for each in topics if each.get("topic") == _TOPIC]
    return times[0] - 1 if times and times[0] else None
