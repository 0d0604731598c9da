"""Where a dry run leaves the pages that it would have written: files in a folder.

A page that is written again takes the place of the one before, as on the wiki. Beside
it lies what would have been said in the page's history, and what would have kept the
edit back.
"""

import os
from collections.abc import Callable
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

from bot.posts import Post
from handlers.ports import PermanentError

_MOST_CHARS = 120  # of a title in the name of a file


class LocalPages:
    """The folder of a dry run."""

    def __init__(self, folder: Path, *, now: Callable[[], datetime]) -> None:
        self._folder = folder
        self._now = now

    def show(self, post: Post, text: str, why_not: str) -> str:
        """Keep the page as it would be; return its path.

        Raises:
            PermanentError: the folder cannot be written to.
        """
        path = self._path(post.wiki, post.title)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _replace(path, text)
            with path.with_suffix(".history.txt").open("a", encoding="utf-8") as kept:
                held = f"; held back: {why_not}" if why_not else ""
                kept.write(f"{self._now():%Y-%m-%d %H:%M:%S} {post.summary}{held}\n")
        except OSError as error:
            why = (error.strerror or "error").lower()
            raise PermanentError(
                f"the page {path} of the dry run cannot be written ({why}); check its"
                " folder"
            ) from error
        return str(path)

    def text(self, wiki: str, title: str) -> str | None:
        """Return a page as it was left here, `None` if it never was.

        Raises:
            PermanentError: its file cannot be read.
        """
        path = self._path(wiki, title)
        try:
            return path.read_bytes().decode("utf-8")
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise PermanentError(
                f"the page {path} of the dry run cannot be read; remove it"
            ) from error

    def _path(self, wiki: str, title: str) -> Path:
        return self._folder / file_name(wiki) / f"{file_name(title)}.wikitext"


def file_name(title: str) -> str:
    """Return a name for a file: readable, and other for every title."""
    name = quote(title, safe=" ()-,.:")
    if len(name) <= _MOST_CHARS and not name.startswith("."):
        return name
    return f"{name[:_MOST_CHARS].lstrip('.')}-{sha256(title.encode()).hexdigest()[:12]}"


def _replace(path: Path, text: str) -> None:
    unfinished = path.with_suffix(f".{os.getpid()}")
    unfinished.write_text(text, "utf-8", newline="")
    unfinished.replace(path)
