"""Files that the program wrote for people to read, found by names that strangers send.

A name from a request never becomes part of a path: it is compared with what stands in
the folder. Links are not followed.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote, unquote

_MOST_LISTED = 500


@dataclass(frozen=True, slots=True)
class Written:
    """A file of a folder, below the folder of its wiki."""

    path: Path
    written_at: datetime

    @property
    def wiki(self) -> str:
        """Return the wiki that it is of."""
        return unquote(self.path.parent.name)

    @property
    def address(self) -> str:
        """Return the part of its address below that of the folder."""
        return (
            f"{quote(self.path.parent.name, safe='')}/{quote(self.path.name, safe='')}"
        )


@dataclass(frozen=True, slots=True)
class Listing:
    """The newest files of a folder, and how many more there are."""

    files: tuple[Written, ...]
    left_out: int

    @property
    def total(self) -> int:
        """Return how many there are in all."""
        return len(self.files) + self.left_out


@dataclass(frozen=True, slots=True)
class Folder:
    """Files with one ending, in a folder for each wiki; it may be missing."""

    place: Path
    suffix: str

    def listing(self) -> Listing:
        """Return the files, the newest first."""
        found = sorted(self._all(), key=lambda one: one.written_at, reverse=True)
        return Listing(tuple(found[:_MOST_LISTED]), max(0, len(found) - _MOST_LISTED))

    def find(self, wiki: str, name: str) -> Written | None:
        """Return the file of this name, if there is one."""
        folder = next((one for one in _folders(self.place) if one.name == wiki), None)
        if folder is None:
            return None
        return next((one for one in self._of(folder) if one.path.name == name), None)

    def _all(self) -> Iterator[Written]:
        for folder in _folders(self.place):
            yield from self._of(folder)

    def _of(self, folder: os.DirEntry[str]) -> Iterator[Written]:
        for one in _entries(Path(folder.path)):
            is_ours = one.name.endswith(self.suffix) and not one.name.startswith(".")
            if is_ours and one.is_file(follow_symlinks=False):
                changed = one.stat(follow_symlinks=False).st_mtime
                yield Written(Path(one.path), datetime.fromtimestamp(changed, UTC))


def _folders(place: Path) -> Iterator[os.DirEntry[str]]:
    for one in _entries(place):
        if one.is_dir(follow_symlinks=False) and not one.name.startswith("."):
            yield one


def _entries(place: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(place) as found:
            return list(found)
    except OSError:  # it is not there yet, or no longer
        return []


def read_start(path: Path, most_bytes: int) -> tuple[str, bool]:
    """Return the beginning of a file, and whether it goes on."""
    with path.open("rb") as file:
        start = file.read(most_bytes + 1)
    return start[:most_bytes].decode("utf-8", "replace"), len(start) > most_bytes


def read_end(path: Path, most_bytes: int) -> str:
    """Return the end of a file, from the beginning of a line; nothing if it is away."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - most_bytes))
            end = file.read(most_bytes).decode("utf-8", "replace")
    except OSError:
        return ""
    return end.partition("\n")[2] if size > most_bytes else end
