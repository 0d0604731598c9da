"""A report reaches its place whole, or the failure is reported and nothing else harmed."""

import os
import threading
from pathlib import Path

import pytest

from bot.app.cli.terminal import require_place_for, write_whole
from handlers.ports import PermanentError


def test_a_file_is_replaced_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    report.write_text("old")

    write_whole(report, "new “words”")

    assert report.read_text("utf-8") == "new “words”"
    assert list(tmp_path.iterdir()) == [report]


def test_a_new_file_has_the_rights_that_the_user_gives_new_files(
    tmp_path: Path,
) -> None:
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "report.html", "words")
    finally:
        os.umask(before)

    assert (tmp_path / "report.html").stat().st_mode & 0o777 == 0o640


def test_half_letters_of_a_title_do_not_cost_the_report(tmp_path: Path) -> None:
    write_whole(tmp_path / "report.txt", "Caf\udce9")

    assert (tmp_path / "report.txt").read_text("utf-8") == "Caf\\udce9"


def test_a_link_stays_and_its_target_is_written(tmp_path: Path) -> None:
    target = tmp_path / "public.html"
    target.write_text("old")
    link = tmp_path / "report.html"
    link.symlink_to(target)

    write_whole(link, "new")

    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text("utf-8")))
    reader.start()

    write_whole(pipe, "words")

    reader.join(30)
    assert read == ["words"]
    assert pipe.is_fifo()


def test_a_write_that_fails_half_way_leaves_the_old_file_and_no_part(
    tmp_path: Path,
) -> None:
    report = tmp_path / "report.html"
    report.write_text("old")
    read_only = tmp_path / "folder"
    read_only.mkdir()

    with pytest.raises(PermanentError, match="cannot write"):
        write_whole(read_only, "new")
    with pytest.raises(TypeError):
        write_whole(report, 5)  # type: ignore[arg-type]  # fails inside the writing

    assert report.read_text() == "old"
    assert sorted(tmp_path.iterdir()) == [read_only, report]


def test_links_in_a_circle_are_reported(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")

    with pytest.raises(PermanentError, match="cannot write"):
        write_whole(tmp_path / "a", "words")


@pytest.mark.parametrize("name", ["new.html", "old.html", "/dev/null"])
def test_a_place_that_takes_a_file_is_fine(tmp_path: Path, name: str) -> None:
    (tmp_path / "old.html").write_text("old")

    require_place_for(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        pytest.param("nowhere/new.html", "there is no folder", id="no folder"),
        pytest.param(".", "it is a folder", id="a folder"),
        pytest.param("file/new.html", "there is no folder", id="in a file"),
        pytest.param("/proc/new.html", "cannot write", id="not writable"),
    ],
)
def test_a_place_that_takes_no_file_is_refused_before_the_work(
    tmp_path: Path, name: str, message: str
) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(PermanentError, match=message):
        require_place_for(tmp_path / name)
