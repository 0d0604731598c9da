"""A dry run: pages go into a folder, except the one page that its operator reads.

A page that is written again replaces the previous one, as on the wiki. Beside it is a
file with its history: the edit summaries, and what would have prevented each edit. If
the wiki itself is a folder, the next post finds what was written there.

The publisher of a dry run never holds a gate that writes freely. At most it holds such
a gate behind `OnePage`, which only lets posts through that are for one task and one
page.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

from bot.records.posts import Attempt, NotNow, Outcome, Post, Refusal, Refused, Shown
from bot.records.watches import ActiveWatch
from bot.sources.files import append_line, remove_old, replacing, unread, unwritten
from bot.wiki.answers import Revision, Slot
from bot.wiki.pages import namespaces
from bot.writing.allowed_pages import place_of
from bot.writing.edit import edited
from bot.writing.preflight import CurrentPage
from bot.writing.publisher import Maker
from handlers.ports import PermanentError, TemporaryError

_PAGE, _HISTORY = ".wikitext", ".history.txt"
_MOST_CHARS = 120  # of a title in a file name


class LocalPages:
    """The folder of a dry run."""

    def __init__(self, folder: Path, *, now: Callable[[], datetime]) -> None:
        self._folder = folder
        self._now = now

    def show(self, post: Post, text: str, why_not: str) -> str:
        """Save the page as it would be; return its path.

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
        """Return a page as it was last saved here; `None` if it never was.

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
                f"the page {path} of the dry run is not text; remove it"
            ) from error

    def forget(self, before: datetime, watches: Iterable[ActiveWatch]) -> int:
        """Remove pages last shown before a time that nobody asks for any more.

        Those of a watch stay: its own page, its report, the talk pages of its articles.
        Returns how many files were removed.
        """
        watched = {each for watch in watches for each in _names_of(watch)}

        def stays(path: Path) -> bool:
            name = path.name.removesuffix(_HISTORY).removesuffix(_PAGE)
            wiki, (_, _, behind) = path.parent.name, name.partition(":")
            return (wiki, name) in watched or (wiki, f":{behind}") in watched

        return remove_old(self._folder, (_PAGE, _HISTORY), before, stays)

    def _path(self, wiki: str, title: str) -> Path:
        return self._folder / file_name(wiki) / f"{file_name(title)}{_PAGE}"


def _names_of(watch: ActiveWatch) -> Iterator[tuple[str, str]]:
    """Yield wiki and file of each page; of talk pages only what follows the colon."""
    wiki = file_name(watch.wiki)
    for title in filter(None, (watch.place, watch.report)):
        yield wiki, file_name(title)
    for title in watch.pages:
        yield wiki, f":{file_name(title)}"
        if behind := title.partition(":")[2]:
            yield wiki, f":{file_name(behind)}"


def file_name(title: str) -> str:
    """Return a file name: readable, and different for every title."""
    name = quote(title, safe=" ()-,.:")
    if len(name) <= _MOST_CHARS and not name.startswith("."):
        return name
    return f"{name[:_MOST_CHARS].lstrip('.')}-{sha256(title.encode()).hexdigest()[:12]}"


_FIRST_REVISION = 1
_HALTED_S = 3600.0


@dataclass(frozen=True, slots=True)
class LocalGate:
    """Implements `bot.writing.publisher.Maker` with local pages.

    `given` returns the text of a page that was never written to, by wiki and title.
    """

    pages: LocalPages
    bot: str
    given: Callable[[str, str], str | None] = lambda _wiki, _title: None

    def attempt(self, tried: Attempt) -> Outcome:
        """Write the page as it would be, under the wiki's rules about allowed pages.

        Never raises for disk errors.
        """
        try:
            return self._attempt(tried)
        except TemporaryError as error:
            return NotNow(str(error), error.retry_in_s)
        except PermanentError as error:
            return NotNow(str(error), _HALTED_S, halts=True)

    def _attempt(self, tried: Attempt) -> Outcome:
        post = tried.post
        where = place_of(post, namespaces().local, f"{self.bot}/Run")
        if isinstance(where, Refused):
            return where
        seen = self._seen(post.wiki, where.title)
        if tried.first_tried_at is not None and _was_made(seen.text or "", post):
            return Shown(self.pages.where(post))
        whole = edited(seen, post)
        if isinstance(whole, Refused):
            return whole
        return Shown(self.pages.show(post, whole, ""))

    def _seen(self, wiki: str, title: str) -> CurrentPage:
        text = self.pages.text(wiki, title)
        if text is None:
            text = self.given(wiki, title)
        if text is None:
            return CurrentPage(title=title, missing=True)
        slots = {"main": Slot(content=text)}
        return CurrentPage(
            title=title, revisions=[Revision(revid=_FIRST_REVISION, slots=slots)]
        )


def _was_made(text: str, post: Post) -> bool:
    """Return whether an earlier try wrote the page but was killed before it said so.

    The text of a post contains its name, so it cannot be on a page otherwise.
    """
    written = post.change.text.strip()
    return bool(written) and written in text


@dataclass(frozen=True, slots=True)
class OnePage:
    """A gate that lets one page be written, for one task."""

    gate: Maker = field(repr=False)
    wiki: str
    title: str
    task: str

    def is_for(self, post: Post) -> bool:
        """Return whether a post is for exactly that page and task."""
        mine = (self.wiki, self.title, self.task)
        return (post.wiki, post.title, post.task) == mine

    def attempt(self, tried: Attempt) -> Outcome:
        """Try a post for that page; any other is refused before it reaches the gate."""
        if not self.is_for(tried.post):
            return Refused(Refusal.PLACE, "a dry run only writes to its own page")
        outcome = self.gate.attempt(tried)
        # A problem with this page must not halt the posts that are only shown.
        return replace(outcome, halts=False) if isinstance(outcome, NotNow) else outcome


@dataclass(frozen=True, slots=True)
class DryRun:
    """Implements `bot.writing.publisher.Maker`: writes one page, shows the rest."""

    shown: Maker
    page: OnePage

    def attempt(self, tried: Attempt) -> Outcome:
        """Return what became of the try."""
        if self.page.is_for(tried.post):
            return self.page.attempt(tried)
        return self.shown.attempt(tried)
