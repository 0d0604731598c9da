"""The cache of sources: what it keeps whole, for how long, and files of before."""

import asyncio
import errno
import hashlib
import os
import signal
import sqlite3
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import unquote

import pytest

from bot.daemon.local_reports import LocalReports
from bot.records.posts import Append, Post
from bot.report import PageReport
from bot.sources.address_wall import AddressWall
from bot.sources.cache import CacheEntry, Remembered, SourceCache
from bot.sources.extraction import Extractor
from bot.sources.files import append_line, remove_old, replacing, unread, unwritten
from bot.sources.http import Failure, Fetched
from bot.sources.reader import cached_sources
from bot.sources.settings import CacheLimits, ReaderSettings
from bot.writing.dry_run import LocalPages
from handlers.citations.due_checks import Unchanged
from handlers.model import Origin, SourceFetch, SourceOutcome
from handlers.ports import PermanentError, TemporaryError
from tests import builders
from tests.bot.sources.tools import START, FakeTime
from tests.bot.store.runs import run
from tests.bot.surfaces.planning.makers import watch
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

    cached = [cache.get(f"{URL}{number}") is not None for number in range(4)]
    assert cached == [False, False, True, True]
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
        cached = cache.get(f"{URL}{(number * 7) % 40}")
        if cached is not None and isinstance(cached.answer, Fetched):
            assert (
                cached.answer.sha256 == hashlib.sha256(cached.answer.body).hexdigest()
            )
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
    cached = cache.get(URL)
    assert isinstance(cached.answer, Fetched)
    assert cached.answer.body == b"after"


NOW = datetime(2026, 6, 1, tzinfo=UTC)
LIVE = "https://news.example/2024/story"
DEAD = "https://news.example/2019/gone"
COPY = f"https://web.archive.org/web/20190203040506/{DEAD}"
RAW = f"https://web.archive.org/web/20190203040506id_/{DEAD}"
TEXT = b"The clock on the customs quay was built in 1874 by Ada Penrose. " * 4


def fetched(url: str, at: datetime) -> Fetched:
    digest = hashlib.sha256(TEXT).hexdigest()
    return Fetched(url, 200, "text/plain; charset=utf-8", TEXT, digest, at)


async def read(folder: Path, url: str, archive: str | None = None) -> SourceFetch:
    ageless = CacheLimits(max_age_s=float("inf"), negative_age_s=float("inf"))
    cache = SourceCache(folder, ageless, lambda: NOW)
    async with Extractor() as extractor:
        reader = cached_sources(cache, ReaderSettings("a/1"), extractor, AddressWall())
        return await reader.read(builders.source(url=url, archive_url=archive))


async def test_what_was_read_is_found_whatever_its_age(tmp_path: Path) -> None:
    cache = SourceCache(tmp_path, CacheLimits(), lambda: NOW)
    cache.open()
    cache.put(LIVE, fetched(LIVE, NOW - timedelta(days=300)))
    gone = Failure(SourceOutcome.GONE, "the server answered 404", 404, DEAD)
    cache.put(DEAD, gone)
    cache.put(RAW, fetched(RAW, NOW))

    live = await read(tmp_path, LIVE)
    archived = await read(tmp_path, DEAD, COPY)
    alone = await read(tmp_path, "https://never.example/read", COPY)

    assert (live.outcome, live.origin) == (SourceOutcome.READ, Origin.LIVE)
    assert (archived.outcome, archived.origin) == (SourceOutcome.READ, Origin.ARCHIVE)
    assert (alone.outcome, alone.origin) == (SourceOutcome.READ, Origin.ARCHIVE)


async def test_what_was_not_read_is_reported_and_never_fetched(tmp_path: Path) -> None:
    cache = SourceCache(tmp_path, CacheLimits(), lambda: NOW)
    cache.open()

    missing = await read(tmp_path, LIVE)
    internal = await read(tmp_path, "http://169.254.169.254/latest/meta-data")

    assert missing.outcome is SourceOutcome.NOT_IN_FOLDER
    assert "not among the sources read" in missing.detail
    assert internal.outcome is SourceOutcome.FORBIDDEN_ADDRESS


_NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
_BEFORE = _NOW - timedelta(days=30)
_WIKI = "wiki.example"
_LONG = f"User:Ada/{'a very long name ' * 8}"


def _age(folder: Path, days: float) -> None:
    at = (_NOW - timedelta(days=days)).timestamp()
    for path in folder.glob("*/*"):
        os.utime(path, (at, at))


def _titles(folder: Path, ending: str) -> set[str]:
    """Return how the titles begin, for a long one is cut in the name of its file."""
    names = (path.name.removesuffix(ending) for path in folder.glob(f"*/*{ending}"))
    return {unquote(name)[:20] for name in names}


def test_pages_of_a_dry_run_go_where_nobody_asks_for_them(tmp_path: Path) -> None:
    pages = LocalPages(tmp_path, now=lambda: _NOW)
    titles = [
        "User:Ada/Watch",
        "User:Ada/Report",
        _LONG,
        "Talk:Lantern",
        "Draft talk:X",
    ]
    gone = ["User:Bob/Report", "Talk:Other", "User talk:Bob", "User:Ada"]
    for title in (*titles, *gone):
        pages.show(Post("0", _WIKI, title, "report", Append(""), "s", _NOW), "text", "")
    pages.show(
        Post("0", "b.example", titles[0], "t", Append(""), "s", _NOW), "text", ""
    )
    watches = [
        watch(
            wiki=_WIKI, place=titles[0], report=titles[1], pages=("Lantern", "Draft:X")
        ),
        watch(wiki=_WIKI, place=_LONG, report=None),
    ]
    _age(tmp_path, 29)
    assert pages.forget(_BEFORE, watches) == 0
    _age(tmp_path, 31)

    assert pages.forget(_BEFORE, watches) == 2 * (len(gone) + 1)

    assert _titles(tmp_path, ".wikitext") == {title[:20] for title in titles}
    assert _titles(tmp_path, ".history.txt") == {title[:20] for title in titles}
    assert all(pages.text(_WIKI, title) == "text" for title in titles)
    assert pages.forget(_BEFORE, []) == 2 * len(titles)


def test_reports_of_pages_that_nobody_watches_go(tmp_path: Path) -> None:
    reports = LocalReports(tmp_path)
    for title in ("Lantern", "Other"):
        _keep(reports, title)
    _age(tmp_path, 31)
    _keep(reports, "New")
    notes = tmp_path / "notes.example"
    notes.mkdir()
    (notes / "Lantern.txt").write_text("an operator's own", "utf-8")
    _age(tmp_path, 31)
    os.utime(next(tmp_path.glob("*/New*")))

    watched = watch(wiki=run(1, _NOW).page.id.wiki, pages=("Lantern",))
    assert reports.forget(_BEFORE, [watched]) == 1

    assert _titles(tmp_path, ".whole.html") == {"Lantern", "New"}
    assert (notes / "Lantern.txt").exists()


def test_reports_of_checks_that_were_taken_back_go(tmp_path: Path) -> None:
    reports = LocalReports(tmp_path)
    wiki = run(1, _NOW).page.id.wiki
    for title in ("Kept", "Looked at anew", "Elsewhere", "Deleted"):
        _keep(reports, title)
    _age(tmp_path, 2)
    _keep(reports, "A moment ago")
    os.utime(next(tmp_path.glob("*/A*")), (_NOW.timestamp(), _NOW.timestamp()))
    checks = [
        (wiki, "Kept", _NOW - timedelta(days=2, minutes=1)),
        (wiki, "Looked at anew", _NOW - timedelta(days=1)),
        (wiki, "Not here", _NOW - timedelta(days=1)),
        ("other.example", "Elsewhere", _NOW - timedelta(days=9)),
    ]

    assert reports.forget_taken_back(checks, _BEFORE, _NOW) == 3
    assert _titles(tmp_path, ".whole.html") == {"Kept", "A moment ago"}

    _age(tmp_path, 31)  # looks of that time went for their age alone
    assert reports.forget_taken_back(checks, _BEFORE, _NOW) == 1
    assert _titles(tmp_path, ".whole.html") == {"Kept"}


def test_a_check_of_the_whole_page_takes_the_place_of_all_before(
    tmp_path: Path,
) -> None:
    reports, report = LocalReports(tmp_path), run(1, _NOW, title="Clock")
    part = replace(report, unchanged=(Unchanged(builders.claim(), 0, "seen"),))
    reports.keep(report)
    reports.keep(part)
    assert len(list(tmp_path.glob("*/*"))) == 2

    whole = reports.keep(report)

    assert list(tmp_path.glob("*/*")) == [whole]


def _keep(reports: LocalReports, title: str) -> PageReport:
    report = run(1, _NOW, title=title)
    reports.keep(report)
    return report


def test_nothing_outside_of_the_folder_goes(tmp_path: Path) -> None:
    folder, outside = tmp_path / "a" / "wiki", tmp_path / "outside.html"
    folder.mkdir(parents=True)
    outside.write_text("mine", "utf-8")
    (folder / "link.html").symlink_to(outside)
    (folder / "sub.html").mkdir()
    later = datetime.now(UTC) + timedelta(days=1)

    assert remove_old(tmp_path / "a", (".html",), later, lambda _: False) == 0
    assert remove_old(tmp_path / "missing", (".html",), later, lambda _: False) == 0
    assert outside.exists()


async def test_an_answer_is_asked_for_once_until_it_is_old() -> None:
    time, count = FakeTime(), 0
    remembered = Remembered[int](time.monotonic, keep_s=100, most_weight=10)

    async def ask() -> int:
        nonlocal count
        count += 1
        await asyncio.sleep(0)
        return count

    first = await asyncio.gather(*(remembered.of("a", ask) for _ in range(3)))
    time.now_s += 99
    assert [*first, await remembered.of("a", ask)] == [1, 1, 1, 1]
    time.now_s += 2
    assert await remembered.of("a", ask) == 2


async def test_the_oldest_answers_go_first_where_they_are_too_many() -> None:
    time, calls = FakeTime(), list[str]()
    remembered = Remembered[str](time.monotonic, keep_s=1e9, most_weight=10, weigh=len)

    async def give(name: str, chars: int) -> None:
        async def ask() -> str:
            calls.append(name)
            return "x" * chars

        time.now_s += 1
        await remembered.of(name, ask)

    await give("old", 6)
    await give("new", 6)
    await give("new", 6)
    await give("old", 6)

    assert calls == ["old", "new", "old"]


async def test_a_failure_is_not_remembered() -> None:
    time, luck = FakeTime(), [False, True]
    remembered = Remembered[bool](time.monotonic, keep_s=100, most_weight=10)

    async def ask() -> bool:
        if not luck.pop(0):
            raise LookupError
        return True

    with pytest.raises(LookupError):
        await remembered.of("a", ask)
    assert await remembered.of("a", ask)


async def test_what_is_asked_for_ends_with_whoever_remembers() -> None:
    remembered = Remembered[bool](FakeTime().monotonic, keep_s=100, most_weight=10)
    waiting = asyncio.create_task(remembered.of("a", asyncio.Event().wait))
    await asyncio.sleep(0)

    await remembered.close()

    with pytest.raises(asyncio.CancelledError):
        await waiting


_FULL = Path("/dev/full")  # takes nothing, as a disk without room


def test_what_fails_meanwhile_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    page = tmp_path / "pages" / "page.html"
    with replacing(page, "Old"):
        pass

    with pytest.raises(OSError, match="No space left"), replacing(page, "New"):
        append_line(_FULL, "a line")

    assert page.read_text("utf-8") == "Old"
    assert list(page.parent.iterdir()) == [page]


def test_a_file_is_not_new_before_the_rest_is_done(tmp_path: Path) -> None:
    page = tmp_path / "page.html"

    with replacing(page, "New"):
        assert not page.exists()
        append_line(tmp_path / "history", "made")

    assert page.read_text("utf-8") == "New"
    assert (tmp_path / "history").read_text("utf-8") == "made\n"


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_worth_another_try(number: int) -> None:
    error = unwritten("the page x", OSError(number, "whatever"))

    assert isinstance(error, TemporaryError)
    assert (
        str(error) == "the page x cannot be written: the disk is full; free some space"
    )


def test_a_disk_that_fails_is_worth_another_try_and_the_disk_is_named() -> None:
    error = OSError(errno.EIO, "Input/output error")

    for failure in (unwritten("the page x", error), unread("the page x", error)):
        assert isinstance(failure, TemporaryError)
        assert "the disk fails (input/output error); check the disk" in str(failure)


def test_other_failures_are_for_somebody_to_mend() -> None:
    error = unwritten("the page x", PermissionError(errno.EACCES, "Permission denied"))

    assert isinstance(error, PermanentError)
    assert "cannot be written (permission denied); check its folder" in str(error)

    error = unread("the page x", PermissionError(errno.EACCES, "Permission denied"))
    assert isinstance(error, PermanentError)
