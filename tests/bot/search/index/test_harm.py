"""Kills, damage, full disks and other processes: the index stays usable, or says why."""

import fcntl
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from bot.search.index import SearchMethod
from handlers.ports import PermanentError, TemporaryError
from tests.bot.search.index.documents import (
    BREAD,
    CLOCK,
    FERRY,
    HashEncoder,
    documents,
    files,
    folder_of,
    found,
    names,
    update_slowly,
    updater,
)
from tests.rig.processes import ready_processes

ROOT = Path(__file__).parents[4]


def _damage(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 4 :] = b"\xa5" * (len(content) - len(content) // 4)
    file.write_bytes(content)


def _empty(file: Path) -> None:
    file.write_bytes(b"")


def _cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-100])


def _lose(file: Path) -> None:
    if file.is_dir():
        shutil.rmtree(file)
    else:
        file.unlink()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return folder_of(tmp_path / "pages", clock=CLOCK, ferry=FERRY, bread=BREAD)


async def _index(folder: Path, place: Path) -> str | None:
    async with updater(place, HashEncoder()) as one:
        return (await one.update(documents(folder, place))).rebuild_reason


def _start(
    folder: Path, place: Path, most_bytes: int | None = None
) -> tuple[BaseProcess, Connection]:
    """Start an update in a process of its own; return it and what it says."""
    processes = ready_processes()
    progress, says = processes.Pipe(duplex=False)
    process = processes.Process(
        target=update_slowly, args=(folder, place, says, most_bytes)
    )
    process.start()
    says.close()
    return process, progress


def _run_and_kill(folder: Path, place: Path, after_s: float) -> None:
    victim, progress = _start(folder, place)
    assert progress.recv() == "begins"
    time.sleep(after_s)
    victim.kill()
    victim.join()


async def test_a_kill_at_any_moment_leaves_an_index_that_goes_on(
    tmp_path: Path, place: Path
) -> None:
    texts = {f"p{n}": f"Page {n} tells of the clock number{n}." for n in range(60)}
    folder = folder_of(tmp_path / "pages", **texts)

    for after_s in (0.0, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4):
        _run_and_kill(folder, place, after_s)
        if files(place, "catalogue*"):
            assert await _index(folder, tmp_path / "probe") is None
            results = await found(place, "clock", SearchMethod.SPARSE, limit=100)
            assert len(results) == len({one.address for one in results})
        (folder / "p0.txt").write_text(f"Changed after {after_s} clock seconds.")

    assert await _index(folder, place) is None  # and not made anew
    assert len(await found(place, "clock", limit=100)) == 60
    for number in (1, 30, 59):
        assert names(await found(place, f"number{number}")) == [f"p{number}.txt"]
    by_meaning = await found(
        place, texts["p7"], SearchMethod.DENSE, HashEncoder(), limit=100
    )
    assert (names(by_meaning)[0], len(by_meaning)) == ("p7.txt", 60)


_HALF_WRITTEN = """
import os, sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("PRAGMA cache_size = 1")
db.execute("BEGIN")
db.execute("UPDATE documents SET told = told || hex(randomblob(5000))")
db.execute("UPDATE documents SET kind = kind || hex(randomblob(5000))")
os._exit(9)
"""


async def test_a_search_undoes_what_a_killed_writer_left_half_done(
    tmp_path: Path, place: Path
) -> None:
    texts = {f"p{n}": f"Page {n} tells of the clock." for n in range(60)}
    await _index(folder_of(tmp_path / "pages", **texts), place)
    _leave_half_written(place / "catalogue.sqlite3")
    assert files(place, "catalogue.sqlite3-journal")

    assert len(await found(place, "clock", limit=100)) == 60


def _leave_half_written(catalogue: Path) -> None:
    subprocess.run([sys.executable, "-c", _HALF_WRITTEN, str(catalogue)], check=False)


async def test_ctrl_c_keeps_what_was_done(tmp_path: Path, place: Path) -> None:
    texts = {f"p{n}": f"Page {n} tells of the clock. " * 12 for n in range(200)}
    folder = folder_of(tmp_path / "pages", **texts)

    code, err = _stop_the_program(folder, place, tmp_path / "data")

    assert code == 130, err
    assert "sidenote: stopped" in err
    assert 0 < len(await found(place, "clock", limit=1000)) < 200


def _stop_the_program(folder: Path, place: Path, data: Path) -> tuple[int, str]:
    # What runs in a shell's background ignores Ctrl-C; the tests may, too.
    heeding = ["env", "--default-signal=INT"]
    program = [sys.executable, "-m", "bot", "index"]
    victim = subprocess.Popen(
        [*heeding, *program, str(folder), "--index", str(place)],
        cwd=ROOT,
        env={**os.environ, "SIDENOTE_DATA_DIR": str(data)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    for _ in range(900):
        if files(place, "vectors*"):
            break
        time.sleep(0.1)
    victim.send_signal(signal.SIGINT)
    _, err = victim.communicate(timeout=90)
    return victim.returncode, err.decode()


@pytest.mark.parametrize("harm", [_damage, _empty, _cut, _lose])
@pytest.mark.parametrize("what", ["catalogue.sqlite3", "vectors-1.f16"])
async def test_a_damaged_file_is_reported_by_a_search_and_repaired_by_an_update(
    folder: Path, place: Path, what: str, harm: Callable[[Path], None]
) -> None:
    await _index(folder, place)
    harm(place / what)

    with suppress(PermanentError):  # where what is left is not enough
        results = await found(place, CLOCK, SearchMethod.MERGED)
        assert names(results)[0] == "clock.txt"

    await _index(folder, place)
    for method in SearchMethod:
        assert names(await found(place, CLOCK, method))[0] == "clock.txt"


@pytest.mark.parametrize("harm", [_damage, _empty, _cut, _lose])
async def test_damaged_words_are_reported_by_a_search_and_repaired_by_an_update(
    folder: Path, place: Path, harm: Callable[[Path], None]
) -> None:
    await _index(folder, place)
    for file in files(place / "words", "*"):
        harm(file)

    with pytest.raises(PermanentError, match="sidenote index"):
        await found(place, CLOCK)

    assert await _index(folder, place) is not None
    assert names(await found(place, CLOCK))[0] == "clock.txt"


async def test_an_index_of_another_format_is_rebuilt_with_a_message(
    folder: Path, place: Path
) -> None:
    await _index(folder, place)
    with sqlite3.connect(place / "catalogue.sqlite3") as db:
        db.execute("UPDATE about SET value = '0' WHERE name = 'format'")
    db.close()

    with pytest.raises(PermanentError, match="format is 0"):
        await found(place, CLOCK)
    assert "format is 0" in (await _index(folder, place) or "")
    assert names(await found(place, CLOCK))[0] == "clock.txt"


async def test_another_encoder_rebuilds_the_index(folder: Path, place: Path) -> None:
    await _index(folder, place)

    async with updater(place, encoder=None) as one:
        done = await one.update(documents(folder, place))

    assert "encoder" in (done.rebuild_reason or "")
    assert done.added == 3


async def test_a_second_process_is_told_to_wait(folder: Path, place: Path) -> None:
    await _index(folder, place)
    lock = os.open(place / "lock", os.O_RDWR)
    fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        with pytest.raises(TemporaryError, match="another process"):
            await _index(folder, place)
        assert names(await found(place, CLOCK))[0] == "clock.txt"  # reading goes on
    finally:
        os.close(lock)
    assert await _index(folder, place) is None


async def test_a_folder_of_other_things_is_never_taken_for_an_index(
    folder: Path, tmp_path: Path
) -> None:
    mine = folder_of(tmp_path / "mine", diary="Dear diary")

    with pytest.raises(PermanentError, match="has other files"):
        await _index(folder, mine)

    assert [file.name for file in files(mine, "*")] == ["diary.txt"]


@pytest.mark.parametrize(
    "where", ["/proc/index", "/dev/null/index", "{tmp}/file/index"]
)
async def test_a_place_that_cannot_be_written_is_reported(
    folder: Path, tmp_path: Path, where: str
) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(PermanentError, match="cannot be written"):
        await _index(folder, Path(where.format(tmp=tmp_path)))


@pytest.mark.parametrize("kib", [0, 8, 40, 100])
async def test_a_full_disk_is_reported_and_costs_nothing_that_was_there(
    tmp_path: Path, place: Path, kib: int
) -> None:
    """A bound on the size of files stands in for the disk; writes fail alike."""
    folder = folder_of(tmp_path / "pages", clock=CLOCK)
    await _index(folder, place)
    folder_of(folder, **{f"p{n}": f"{BREAD} {n}. " * 300 for n in range(40)})

    updating, progress = _start(folder, place, kib * 1024)

    says = [progress.recv()]
    with suppress(EOFError):
        says.append(progress.recv())
    updating.join()
    assert "cannot be written" in says[-1]
    assert names(await found(place, CLOCK))[0] == "clock.txt"
    async with updater(place, HashEncoder()) as one:
        done = await one.update(documents(folder, place))
    assert done.rebuild_reason is None
    assert len(await found(place, "rye bread", limit=100)) == 40
