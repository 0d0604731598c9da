"""A file is written whole or not at all, and a full disk is distinguished from other failures."""

import errno
from pathlib import Path

import pytest

from bot.sources.files import append_line, replacing, unread, unwritten
from handlers.ports import PermanentError, TemporaryError

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
