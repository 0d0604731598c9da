import hashlib
import os
import signal
import sqlite3
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.sources.cache import CacheEntry, SourceCache
from bot.sources.http import Failure, Fetched
from bot.sources.settings import CacheLimits
from handlers.model import SourceOutcome
from tests.bot.sources.tools import START
from tests.rig.processes import ready_processes

URL = "https://example.org/a"
GONE = Failure(SourceOutcome.GONE, "the server answered 404", 404, URL)


def page(body: bytes = b"text", url: str = URL, at: datetime = START) -> Fetched:
    digest = hashlib.sha256(body).hexdigest()
    return Fetched(
        url, 200, "text/html", body, digest, at, etag='"1"', last_modified="x"
    )


def opened(
    folder: Path, limits: CacheLimits | None = None, at: datetime = START
) -> SourceCache:
    cache = SourceCache(folder, limits or CacheLimits(), lambda: at)
    cache.open()
    return cache


def bodies(folder: Path) -> list[Path]:
    return sorted(path for path in (folder / "bodies").rglob("*") if path.is_file())


def test_a_page_is_kept_whole_for_the_next_run(folder: Path) -> None:
    opened(folder).put(URL, page())

    reopened = opened(folder, at=START + timedelta(hours=23)).get(URL)

    assert reopened == CacheEntry(page(), is_fresh=True)


def test_an_old_page_is_kept_to_be_asked_about(folder: Path) -> None:
    opened(folder).put(URL, page())

    reopened = opened(folder, at=START + timedelta(hours=25)).get(URL)

    assert reopened == CacheEntry(page(), is_fresh=False)


def test_a_page_from_the_future_is_not_fresh(folder: Path) -> None:
    opened(folder).put(URL, page())

    reopened = opened(folder, at=START - timedelta(hours=1)).get(URL)

    assert reopened == CacheEntry(page(), is_fresh=False)


def test_a_failure_is_kept_for_a_short_while(folder: Path) -> None:
    opened(folder).put(URL, GONE)

    soon = opened(folder, at=START + timedelta(minutes=14)).get(URL)
    later = opened(folder, at=START + timedelta(minutes=16)).get(URL)

    assert soon == CacheEntry(GONE, is_fresh=True)
    assert later is None


def test_equal_bodies_are_kept_once(folder: Path) -> None:
    cache = opened(folder)

    cache.put(URL, page())
    cache.put(URL + "?b", page())

    assert [path.name for path in bodies(folder)] == [page().sha256]
    assert oct(folder.stat().st_mode & 0o77) == "0o0"


def test_the_oldest_bodies_go_when_the_folder_is_full(folder: Path) -> None:
    cache = opened(folder, CacheLimits(max_bytes=250))

    for number in range(4):
        at = START + timedelta(minutes=number)
        cache.put(f"{URL}{number}", page(bytes([number]) * 100, at=at))

    kept = [cache.get(f"{URL}{number}") is not None for number in range(4)]
    assert kept == [False, False, True, True]
    assert len(bodies(folder)) == 2


@pytest.mark.parametrize("damage", [b"", b"other bytes"])
def test_a_damaged_body_counts_as_missing(folder: Path, damage: bytes) -> None:
    cache = opened(folder)
    cache.put(URL, page())
    bodies(folder)[0].write_bytes(damage)

    assert cache.get(URL) is None
    cache.put(URL, page())
    assert cache.get(URL) is not None


def test_a_damaged_index_is_replaced(folder: Path) -> None:
    opened(folder).put(URL, page())
    (folder / "index.sqlite3").write_bytes(b"not a database, by any means" * 100)

    cache = opened(folder)
    cache.put(URL, page())

    assert cache.get(URL) is not None


def test_an_index_of_another_version_is_replaced(folder: Path) -> None:
    opened(folder)
    index = sqlite3.connect(folder / "index.sqlite3")
    index.executescript("DROP TABLE pages; PRAGMA user_version = 99;")
    index.close()

    cache = opened(folder)
    cache.put(URL, page())

    assert cache.get(URL) is not None


def test_a_folder_that_cannot_be_used_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")

    cache = opened(tmp_path / "file" / "cache")
    cache.put(URL, page())

    assert cache.get(URL) is None


def test_what_a_killed_process_left_is_swept_away_later(folder: Path) -> None:
    opened(folder)
    orphan = folder / "bodies" / "ab" / "abcdef"
    orphan.parent.mkdir()
    orphan.write_bytes(b"half a bo")
    os.utime(orphan, (START.timestamp(), START.timestamp()))

    opened(folder, at=START + timedelta(minutes=59))
    assert orphan.exists()
    opened(folder, at=START + timedelta(minutes=61))
    assert not orphan.exists()


def fill(folder: Path, start: int) -> int:
    """Run in another process: write and read under a bound that evicts."""
    cache = SourceCache(
        folder, CacheLimits(max_bytes=20_000), lambda: datetime.now(UTC)
    )
    cache.open()
    read = 0
    for number in range(start, start + 60):
        body = str(number % 40).encode() * 400
        cache.put(f"{URL}{number % 40}", page(body, at=datetime.now(UTC)))
        kept = cache.get(f"{URL}{(number * 7) % 40}")
        if kept is not None and isinstance(kept.answer, Fetched):
            assert kept.answer.sha256 == hashlib.sha256(kept.answer.body).hexdigest()
            read += 1
    return read


def test_two_processes_share_a_folder(folder: Path) -> None:
    with ProcessPoolExecutor(2, mp_context=ready_processes()) as pool:
        read = list(pool.map(fill, [folder, folder], [0, 20]))

    assert min(read) > 0
    assert_whole(folder)


def fill_for_ever(folder: Path) -> None:
    for start in range(0, 1_000_000, 60):
        fill(folder, start)


def test_a_kill_at_any_moment_leaves_a_folder_that_works(folder: Path) -> None:
    processes = ready_processes()

    for _ in range(3):
        child = processes.Process(target=fill_for_ever, args=(folder,))
        child.start()
        while len(bodies(folder)) < 5:
            child.join(0.01)
        child.join(0.05)
        os.kill(child.pid or 0, signal.SIGKILL)
        child.join()

        assert child.exitcode == -signal.SIGKILL
        assert_whole(folder)


def assert_whole(folder: Path) -> None:
    index = sqlite3.connect(folder / "index.sqlite3")
    assert index.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    index.close()
    cache = opened(folder, at=datetime.now(UTC))
    cache.put(URL, replace(page(b"after"), fetched_at=datetime.now(UTC)))
    kept = cache.get(URL)
    assert kept is not None
    assert isinstance(kept.answer, Fetched)
    assert kept.answer.body == b"after"
