"""Fills the disk under a running program, again and again, and frees it each time.

A small file system in memory holds all that the program keeps on disk: the SQLite
store, reports, the pages of a dry run, the cache of sources. It is mounted in a process
of its own that nobody else sees, and goes with it.
"""

import hashlib
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from bot.daemon.local_reports import LocalReports
from bot.records.posts import PostState
from bot.sources.cache import SourceCache
from bot.sources.http import Fetched
from bot.sources.settings import CacheLimits
from bot.store import Store, open_store
from bot.store.database import open_engine, parse_url
from bot.wiki.keys import short_name
from bot.writing.dry_run import LocalGate, LocalPages
from tests.torture import hurry
from tests.torture.judging import Case, figures, judge
from tests.torture.ledger import Ledger, heard, open_noted_store
from tests.torture.pages import Revisions, titles_of
from tests.torture.tally import Tally
from tests.torture.traffic import BOT, Traffic

_ROOT = Path(__file__).parents[2]
_SIZE_BYTES = 48 * 1024 * 1024
_FILES = 1_500
_SPARE = 4 * 1024 * 1024
_PAGE_BYTES = 4096
_BODY_BYTES = 20_000
_MOST_S = 3_600.0
_LONGEST_FULL_S = 10.0  # more, where nobody has noticed it yet


def absence() -> str:
    """Say why no disk can be made full here; nothing if one can."""
    if shutil.which("unshare") is None:
        return "unshare (of util-linux) is not here"
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [*_alone(), *_mount(folder)], check=False, capture_output=True, text=True
        )
    if done.returncode:
        message = " ".join(done.stderr.split())
        return f"no file system may be mounted here ({message}); root may"
    return ""


def run(count: int, seed: int) -> Tally:
    """Fill the disk `count` times while the program works; see what is lost."""
    done = subprocess.run(
        [*_alone(), sys.executable, "-m", __spec__.name, str(count), str(seed)],
        cwd=_ROOT,
        check=False,
        capture_output=True,
        text=True,
        timeout=_MOST_S,
    )
    output = done.stdout.splitlines()
    if done.returncode or not output:
        return Tally(
            "full disks", count, seed, 0, faults=(f"it broke: {done.stderr[-2000:]}",)
        )
    result = json.loads(output[-1])
    return Tally(**result | {"faults": tuple(result["faults"])})


def _alone() -> list[str]:
    return ["unshare", "--mount", *([] if os.getuid() == 0 else ["--map-root-user"])]


def _mount(folder: str) -> list[str]:
    size = f"size={_SIZE_BYTES},nr_inodes={_FILES},mode=0700"
    return ["mount", "-t", "tmpfs", "-o", size, "tmpfs", folder]


# --- in the process of its own ----------------------------------------------------------


def _main(count: int, seed: int) -> None:
    with tempfile.TemporaryDirectory(prefix="sidenote-disk-") as folder:
        subprocess.run(_mount(folder), check=True)
        try:
            half = count // 2
            tight = _tortured(Path(folder) / "tight", count - half, seed, spare_bytes=0)
            roomy = _tortured(Path(folder) / "roomy", half, seed, spare_bytes=_SPARE)
            sys.stdout.write(json.dumps(asdict(_both(tight, roomy))) + "\n")
        finally:
            subprocess.run(["umount", "--lazy", folder], check=True)


def _both(one: Tally, other: Tally) -> Tally:
    return Tally(
        one.what,
        one.strikes + other.strikes,
        one.seed,
        round(one.took_s + other.took_s, 1),
        dict(Counter(one.figures) + Counter(other.figures)),
        (*one.faults, *other.faults),
    )


@contextmanager
def _room_in(file: Path, spare_bytes: int) -> Iterator[None]:
    """Let the log of a SQLite database be so long that it need not grow soon.

    Then the store can write while nothing else can; without it, it is the first to
    fail.
    """
    with closing(sqlite3.connect(file, isolation_level=None)) as kept:
        if spare_bytes:
            kept.execute("CREATE TABLE spare (room)")
            kept.execute("INSERT INTO spare VALUES (zeroblob(?))", (spare_bytes,))
            kept.execute("DROP TABLE spare")
            kept.execute("PRAGMA wal_checkpoint")
        yield  # the log is removed with the last connection


def _tortured(folder: Path, count: int, seed: int, spare_bytes: int) -> Tally:
    began_s = time.monotonic()
    folder.mkdir()
    clock, ledger = hurry.Clock(), Ledger()
    url = f"sqlite:///{folder / 'sidenote.sqlite'}"
    titles = titles_of(0)
    revisions = Revisions(titles, [0] * len(titles))
    filler = _Filler(folder, ledger, count, random.Random(seed))
    pages = LocalPages(folder / "dry-run", now=clock)
    with open_store(url):
        pass
    with (
        heard(ledger),
        _room_in(folder / "sidenote.sqlite", spare_bytes),
        open_noted_store(url, ledger) as store,
    ):
        cache = _Cache(folder / "sources", clock, ledger)
        thread = threading.Thread(target=filler.run, daemon=True)
        traffic = Traffic(
            number=0,
            store=store,
            ledger=ledger,
            clock=clock,
            revisions=revisions,
            maker=LocalGate(pages, BOT),
            stop=lambda: not thread.is_alive(),
            shown=lambda report: _nothing(
                LocalReports(folder / "reports").keep(report)
            ),
            chores=(cache.use,),
            chance=random.Random(seed + 1),
        )
        thread.start()
        try:
            hurry.run(traffic.run())
        except Exception as error:  # noqa: BLE001 - reported at the end
            ledger.faults.append(f"the program ended: {error!r}")
        thread.join()
    shutil.rmtree(folder / "full", ignore_errors=True)
    ledger.faults += cache.broken()
    engine = open_engine(parse_url(url), lock_timeout_s=5)
    with open_store(url) as store:
        files = _Files(folder, store)
        case = Case(store, engine, [ledger], revisions, files.was_shown)
        faults = (*judge(case), *files.faults())
        counts = figures(case) | {"disks noticed": filler.noticed}
    engine.dispose()
    took_s = round(time.monotonic() - began_s, 1)
    return Tally("full disks", count, seed, took_s, counts, faults)


def _nothing(_: object) -> None:
    """Take what nobody needs."""


@dataclass
class _Filler:
    """Takes all room, or all places for files, for a while, `count` times.

    `noticed` counts how often the program had to wait for room.
    """

    folder: Path
    ledger: Ledger
    count: int
    chance: random.Random
    noticed: int = 0

    def run(self) -> None:
        place = self.folder / "full"
        for _ in range(self.count):
            time.sleep(self.chance.uniform(0.2, 0.8))
            before = sum(self.ledger.troubles.values())
            place.mkdir()
            if self.chance.random() < 0.25:
                self._take_files(place)
            else:
                self._take_room(place / "room")
            time.sleep(self.chance.uniform(0.3, 1.2))
            # On a busy machine the program may not have come to write by now.
            until_s = time.monotonic() + _LONGEST_FULL_S
            while not self._is_noticed(before) and time.monotonic() < until_s:
                time.sleep(0.05)
            shutil.rmtree(place)
            self.noticed += self._is_noticed(before)

    def _is_noticed(self, before: int) -> bool:
        return sum(self.ledger.troubles.values()) > before

    def _take_room(self, file: Path) -> None:
        left_pages = self.chance.choice((0, 0, 1, 2, 5, 20, 100))
        spare = file.with_name("spare")
        spare.write_bytes(bytes(left_pages * _PAGE_BYTES))
        at, step = 0, _SIZE_BYTES
        with file.open("wb") as taken:
            while step >= _PAGE_BYTES:
                try:
                    os.posix_fallocate(taken.fileno(), at, step)
                    at += step
                except OSError:
                    step //= 2
        spare.unlink()

    def _take_files(self, place: Path) -> None:
        left = self.chance.randrange(3)
        number = 0
        try:
            while True:
                (place / str(number)).touch()
                number += 1
        except OSError:
            for each in range(max(0, number - left), number):
                (place / str(each)).unlink()


@dataclass
class _Cache:
    """Uses the cache of sources as a reader does: what it gives back has to be whole."""

    folder: Path
    clock: hurry.Clock
    ledger: Ledger
    number: int = 0
    kept: dict[str, set[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        limits = CacheLimits(max_bytes=40 * _BODY_BYTES)
        self._cache = SourceCache(self.folder, limits, self.clock)
        self._cache.open()

    def use(self, chance: random.Random) -> None:
        url = f"https://example.org/{chance.randrange(100)}"
        body = chance.randbytes(chance.randrange(1, 2 * _BODY_BYTES))
        sha256 = hashlib.sha256(body).hexdigest()
        self.kept.setdefault(url, set()).add(sha256)
        answer = Fetched(url, 200, "text/html", body, sha256, self.clock(), None, None)
        self._cache.put(url, answer)
        key = chance.choice(list(self.kept))
        found = self._cache.get(key)
        if found is None:
            return
        read = found.answer
        if not isinstance(read, Fetched) or read.sha256 not in self.kept[key]:
            self.ledger.faults.append(f"the cache gives something else for {key}")

    def broken(self) -> Iterator[str]:
        for page in self._cache.pages():
            if self._cache.body(page) is None:
                yield f"the cache names a body that is not there: {page.url}"
        for path in (self.folder / "bodies").glob("*/*"):
            if hashlib.sha256(path.read_bytes()).hexdigest() != path.name:
                yield f"{path.name} in the cache is half there"


class _Files:
    """What stands in the folders at the end."""

    def __init__(self, folder: Path, store: Store) -> None:
        self._folder = folder
        self._pages = [
            path.read_text("utf-8") for path in folder.glob("dry-run/*/*.wikitext")
        ]
        self._histories = "".join(
            path.read_text("utf-8") for path in folder.glob("dry-run/*/*.history.txt")
        )
        self._shown = store.outbox.posts(limit=1_000_000, state=PostState.SHOWN)

    def was_shown(self, name: str) -> bool:
        return any(name in page for page in self._pages)

    def faults(self) -> Iterator[str]:
        for kept in self._shown:
            name = kept.post.name
            times = sum(
                page.count(kept.post.change.text.strip()) for page in self._pages
            )
            lines = self._histories.count(short_name(name) + ")\n")
            if (times, lines) != (1, 1):
                yield f"{name[:12]} stands there {times} times, in histories {lines}"
        for path in self._folder.rglob("*.part"):
            yield f"{path.name} was left behind"
        reports = list(self._folder.glob("reports/*/*.html"))
        for path in reports:
            if not path.read_text("utf-8").rstrip().endswith("</html>"):
                yield f"{path.name} is half there"
        if not reports or not self._shown:
            yield "nothing was written"


if __name__ == "__main__":
    _main(int(sys.argv[1]), int(sys.argv[2]))
