"""Where a dry run leaves the pages that it would have written: files in a folder.

A page that is written again takes the place of the one before, as on the wiki. Beside
it lies what would have been said in the page's history, and what would have kept the
edit back.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

from bot.records.posts import Post
from bot.records.watches import StandingWatch
from bot.sources.files import append_line, remove_old, replacing, unread, unwritten
from handlers.ports import PermanentError

_PAGE, _HISTORY = ".wikitext", ".history.txt"
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
                append_line(path.with_suffix(_HISTORY), line)
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
            TemporaryError: the disk fails.
        """
        path = self._path(wiki, title)
        try:
            return path.read_bytes().decode("utf-8")
        except FileNotFoundError:
            return None
        except OSError as error:
            raise unread(f"the page {path} of the dry run", error) from error
        except ValueError as error:
            raise PermanentError(
                f"the page {path} of the dry run is no text; remove it"
            ) from error

    def forget(self, before: datetime, watches: Iterable[StandingWatch]) -> int:
        """Remove pages that were last shown before a time and nobody asks for any more.

        Those of a watch stay: its own page, its report, the talk pages of its articles.
        Returns how many files went.
        """
        asked = {each for watch in watches for each in _names_of(watch)}

        def stays(path: Path) -> bool:
            name = path.name.removesuffix(_HISTORY).removesuffix(_PAGE)
            wiki, (_, _, behind) = path.parent.name, name.partition(":")
            return (wiki, name) in asked or (wiki, f":{behind}") in asked

        return remove_old(self._folder, (_PAGE, _HISTORY), before, stays)

    def _path(self, wiki: str, title: str) -> Path:
        return self._folder / file_name(wiki) / f"{file_name(title)}{_PAGE}"


def _names_of(watch: StandingWatch) -> Iterator[tuple[str, str]]:
    """Yield wiki and file of each page; of talk pages only what is behind the colon."""
    wiki = file_name(watch.wiki)
    for title in filter(None, (watch.place, watch.report)):
        yield wiki, file_name(title)
    for title in watch.pages:
        yield wiki, f":{file_name(title)}"
        if behind := title.partition(":")[2]:
            yield wiki, f":{file_name(behind)}"


def file_name(title: str) -> str:
    """Return a name for a file: readable, and other for every title."""
    name = quote(title, safe=" ()-,.:")
    if len(name) <= _MOST_CHARS and not name.startswith("."):
        return name
    return f"{name[:_MOST_CHARS].lstrip('.')}-{sha256(title.encode()).hexdigest()[:12]}"
