"""The data folder is its owner's alone, whatever first writes to it."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.app.wiring.store import make_folder, open_store
from bot.settings import Settings
from bot.sources.files import append_line, replacing
from tests.program import Program, program

__all__ = ["program"]


@pytest.fixture(autouse=True)
def _usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_folder_is_its_owners_alone(tmp_path: Path) -> None:
    make_folder(tmp_path / "share" / "sidenote")

    assert _mode(tmp_path / "share" / "sidenote") == 0o700
    assert _mode(tmp_path / "share") == 0o755


@pytest.mark.parametrize("database", ["", "elsewhere"])
def test_a_folder_that_others_could_read_is_closed_at_the_start(
    tmp_path: Path, database: str
) -> None:
    folder = tmp_path / "data"
    folder.mkdir(mode=0o755)
    elsewhere = f"sqlite:///{tmp_path / database}" if database else ""

    with open_store(Settings(data_dir=folder, database=elsewhere)):
        assert _mode(folder) == 0o700


def test_a_folder_of_all_users_stays_open(tmp_path: Path) -> None:
    folder = tmp_path / "tmp"
    folder.mkdir()
    folder.chmod(0o1777)

    make_folder(folder)

    assert _mode(folder) == 0o1777


def test_what_is_written_there_is_its_owners_alone(tmp_path: Path) -> None:
    report = tmp_path / "reports" / "wiki" / "Page.html"

    with replacing(report, "names"):
        append_line(report.with_suffix(".log"), "a name")

    assert _mode(report.parent) == 0o700
    assert _mode(report) == _mode(report.with_suffix(".log")) == 0o600


async def test_the_program_begins_with_a_closed_folder(
    program: Program, tmp_path: Path
) -> None:
    documents = tmp_path / "documents"
    documents.mkdir()
    (documents / "ferry.txt").write_text("The ferry was built in 1911.", "utf-8")

    done = await program("index", str(documents), "--words-only")

    assert done.code == 0, done.err
    assert _mode(tmp_path / "data") == 0o700
