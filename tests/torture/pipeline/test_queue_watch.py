"""A change that was read from the feed and is not queued is seen at once."""

import json
import sqlite3
from pathlib import Path

import pytest

from tests.torture.pipeline.queue_watch import _TOPIC, QueueWatch
from tests.torture.pipeline.stage import Feed, Told

_BEGAN_MS = 1_000


@pytest.mark.parametrize(
    ("read_up_to_ms", "queued", "is_lost"),
    [
        (4_000, 8, False),
        (4_000, 9, False),  # by the next change
        (4_000, 7, True),
        (4_000, None, True),
        (3_000, 7, False),  # of that second more may come
    ],
)
def test_what_was_read_has_to_be_queued(
    tmp_path: Path, read_up_to_ms: int, queued: int | None, *, is_lost: bool
) -> None:
    file = tmp_path / "x.sqlite"
    with sqlite3.connect(file) as database:
        database.execute("CREATE TABLE positions (feed, position)")
        database.execute("CREATE TABLE tasks (kind, subject, revision)")
        database.execute("INSERT INTO positions VALUES ('recentchange', '')")
        database.execute("INSERT INTO tasks VALUES ('CHECK', 'A', ?)", (queued,))
    feed = Feed()
    feed.told += [Told(1_000, "A", 5), Told(3_000, "A", 8), Told(3_000, "B", 9)]
    watch = QueueWatch(file, feed, ["A"])

    for at_ms in (_BEGAN_MS, read_up_to_ms):
        position = json.dumps([{"topic": _TOPIC, "timestamp": at_ms + 1}])
        with sqlite3.connect(file) as database:
            database.execute("UPDATE positions SET position = ?", (position,))
        watch.look()

    assert bool(watch.lost) is is_lost
