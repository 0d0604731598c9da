"""Where a dry run leaves the pages that it would have written: files in a folder.

A page that is written again takes the place of the one before, as on the wiki. Beside
it lies what would have been said in the page's history, and what would have kept the
edit back.
"""

from collections.abc import Callable
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

from bot.adapters.whole_file import append_line, replacing, unwritten
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
            TemporaryError: the disk is full; nothing has changed.
        """
        path = self._path(post.wiki, post.title)
        held = f"; held back: {why_not}" if why_not else ""
        line = f"{self._now():%Y-%m-%d %H:%M:%S} {post.summary}{held}"
        try:
            with replacing(path, text):
                append_line(path.with_suffix(".history.txt"), line)
        except OSError as error:
            raise unwritten(f"the page {path} of the dry run", error) from error
        return self.where(post)

    def where(self, post: Post) -> str:
        """Return the path of the page that a post is for."""
        return str(self._path(post.wiki, post.title))

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
