"""A folder of pages, or a single file, in place of a wiki: for runs without network.

The file may begin with a comment that says what it is, one field after another: `<!--
title: Harbour Clock; wiki: en.wikipedia.org; revision: 123 -->`. A `note` goes into the
report, so that an excerpt can credit its authors. The comment is part of the wikitext
and stays there.
"""

from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Mapping
from datetime import datetime
from pathlib import Path

from bot.records.changes import Change
from bot.wiki.changes import ListedEdit
from bot.wiki.history import RecentHistory
from bot.wiki.pages import (
    AccountStanding,
    ListedPage,
    ListedUser,
    Namespaces,
    NoSuchPageError,
    PageText,
    WikiPage,
    namespaces,
)
from handlers.model import PageId
from handlers.ports import PermanentError

MAX_BYTES = 4 * 1024 * 1024
_BOM = "\ufeff"
_MAX_HEADER = 2000
_FIELDS = ("title", "wiki", "revision", "note")
_MAX_DIGITS = 18


def read_page_file(
    path: Path, *, wiki: str | None = None, title: str | None = None
) -> WikiPage:
    """Return the page in a UTF-8 file of wikitext.

    Missing values are taken from the file's first comment, then from its name
    ("Harbour_Clock.wikitext" has the title "Harbour Clock"); the wiki is then "file".

    Raises:
        PermanentError: the file cannot be read, is not UTF-8, or is larger than
            `MAX_BYTES`.
    """
    wikitext = _text(path)
    header = _header(wikitext)
    revision = header.get("revision", "")
    return WikiPage(
        id=PageId(
            wiki=wiki or header.get("wiki") or "file",
            title=title or header.get("title") or _title(path),
            revision_id=int(revision) if _is_number(revision) else None,
        ),
        wikitext=wikitext,
        notes=(header["note"],) if header.get("note") else (),
    )


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except FileNotFoundError as error:
        raise PermanentError(f"there is no file {path}; check its path") from error
    except OSError as error:
        why = (error.strerror or "it is not a file").lower()
        raise PermanentError(f"{path} cannot be read: {why}") from error
    if len(content) > MAX_BYTES:
        raise PermanentError(
            f"{path} is larger than {MAX_BYTES:,} bytes; a wiki saves at most half of"
            " that, so give the wikitext of a single page"
        )
    try:
        return content.decode("utf-8").removeprefix(_BOM)
    except UnicodeDecodeError as error:
        raise PermanentError(
            f"{path} is not UTF-8 (the byte at {error.start:,} does not fit); save it as"
            " UTF-8 and try again"
        ) from error


def _header(wikitext: str) -> dict[str, str]:
    """Return the fields of the comment that the text begins with, if it does."""
    start = wikitext[:_MAX_HEADER].lstrip()
    comment, closed, _ = start.removeprefix("<!--").partition("-->")
    if not start.startswith("<!--") or not closed:
        return {}
    fields: dict[str, str] = {}
    for part in comment.replace("\n", ";").split(";"):
        name, _, value = part.partition(":")
        if name.strip().lower() in _FIELDS and value.strip().isprintable():
            fields.setdefault(name.strip().lower(), value.strip())
    return fields


def _title(path: Path) -> str:
    name = path.name.encode("utf-8", "replace").decode()
    words = " ".join(Path(name).stem.replace("_", " ").split())
    return "".join(char for char in words if char.isprintable()) or "Untitled"


def _is_number(text: str) -> bool:
    digits = text.isascii() and text.isdecimal() and len(text) <= _MAX_DIGITS
    return digits and int(text) > 0


_PAGE = _REVISION = 1
_EDITS = 1_000


class WikiFolder:
    """Reads pages as `WikiReader` and `WikiLists` do.

    Articles are files as `read_page_file` reads them. There are also a few user pages,
    and whatever has been written instead of to the wiki.

    Args:
        wiki: host of the wiki that the pages are taken from.
        articles: files of wikitext.
        pages: other pages, by title.
        written: gives what was written instead of to the wiki, by title.
        as_of: when the pages were taken.
    """

    def __init__(
        self,
        wiki: str,
        articles: Iterable[Path],
        pages: Mapping[str, str],
        written: Callable[[str], str | None],
        as_of: datetime,
    ) -> None:
        read = (read_page_file(path, wiki=wiki) for path in articles)
        self._articles = {page.id.title: page for page in read}
        self._wiki = wiki
        self._pages = dict(pages)
        self._written = written
        self._as_of = as_of

    @property
    def wiki(self) -> str:
        """Host of the wiki that the pages are taken from."""
        return self._wiki

    async def page(self, title: str, revision_id: int | None = None) -> WikiPage:  # noqa: ARG002 - a folder has one revision
        """Return an article.

        Raises:
            NoSuchPageError: it is not in the folder.
        """
        if title not in self._articles:
            raise NoSuchPageError(f"the folder has no page “{title}”")
        return self._articles[title]

    async def text_of(
        self,
        title: str,
        revision_id: int | None = None,  # noqa: ARG002 - see above
    ) -> PageText | None:
        """Return the wikitext of any page, `None` if it is missing."""
        text = self._written(title)
        if text is None:
            text = self._pages.get(title)
        if text is None and title in self._articles:
            text = self._articles[title].wikitext
        if text is None:
            return None
        return PageText(
            title=title,
            namespace=found.namespace if (found := namespaces().title(title)) else 0,
            page_id=_PAGE,
            revision_id=_REVISION,
            text=text,
            content_model="wikitext",
            is_redirect=False,
            revised_at=self._as_of,
        )

    async def text_by(self, title: str, user: str) -> PageText | None:  # noqa: ARG002 - nobody else is here
        """Return the wikitext of a page, which its owner wrote."""
        return await self.text_of(title)

    async def recent_history(self, title: str) -> RecentHistory | None:  # noqa: ARG002 - as above
        """Return nothing: nobody edits a folder."""
        return None

    async def rights(self, name: str) -> frozenset[str]:  # noqa: ARG002 - as above
        """Return nothing: a folder has no accounts."""
        return frozenset()

    async def texts_of(self, titles: Iterable[str]) -> Mapping[str, PageText]:
        """Return those of the pages that exist."""
        found = {title: await self.text_of(title) for title in titles}
        return {title: text for title, text in found.items() if text is not None}

    async def namespaces(self) -> Namespaces:
        """Return the namespaces that every wiki has."""
        return namespaces()

    async def transclusions_of(self, title: str) -> tuple[str, ...]:
        """Return the pages that call a template."""
        call = "{{" + title
        return tuple(name for name, text in self._pages.items() if call in text)

    async def members_of(
        self,
        category: str,  # noqa: ARG002 - see above
        *,
        namespaces: Collection[int] = (),  # noqa: ARG002
        most: int,  # noqa: ARG002
    ) -> tuple[str, ...]:
        """Return nothing: the folder has no categories."""
        return ()

    async def subcategories_of(
        self,
        category: str,  # noqa: ARG002 - see above
        *,
        depth: int,  # noqa: ARG002
        most: int,  # noqa: ARG002
    ) -> tuple[str, ...]:
        """Return nothing, as above."""
        return ()

    async def using(
        self,
        template: str,  # noqa: ARG002 - articles have no talk pages here
        *,
        namespaces: Collection[int] = (),  # noqa: ARG002
        most: int,  # noqa: ARG002
    ) -> tuple[str, ...]:
        """Return nothing: the folder has no talk pages."""
        return ()

    async def created_by(
        self,
        user: str,  # noqa: ARG002 - the folder names no authors
        *,
        namespaces: Collection[int] = (),  # noqa: ARG002
        most: int,  # noqa: ARG002
    ) -> tuple[str, ...]:
        """Return nothing: it is not known who wrote the articles."""
        return ()

    async def found_by(
        self,
        query: str,  # noqa: ARG002 - nothing searches the folder
        *,
        namespaces: Collection[int] = (),  # noqa: ARG002
        most: int,  # noqa: ARG002
    ) -> tuple[str, ...]:
        """Return nothing: the folder has no search."""
        return ()

    async def pending(self, most: int) -> None:  # noqa: ARG002 - as the wiki has it
        """Return nothing: nobody reviews a folder."""
        return

    async def watched_by(
        self,
        user: str,  # noqa: ARG002 - nobody has an account of a folder
        token: str,  # noqa: ARG002
        *,
        namespaces: Collection[int] = (),  # noqa: ARG002
        most: int,  # noqa: ARG002
    ) -> tuple[str, ...]:
        """Return nothing: a folder has no watchlists."""
        return ()

    async def facts_of(self, titles: Iterable[str]) -> Mapping[str, ListedPage]:
        """Return what is known of articles."""
        return {
            title: ListedPage(
                title=title,
                namespace=0,
                categories=frozenset(),
                templates=frozenset(),
                is_redirect=False,
                revision_id=_REVISION,
            )
            for title in titles
            if title in self._articles
        }

    async def user(self, name: str) -> ListedUser | None:
        """Return a user in good standing."""
        return ListedUser(name=name, edit_count=_EDITS, is_blocked=False)

    async def standing(self, name: str) -> AccountStanding | None:
        """Return a user in good standing, by a number that no account has."""
        return AccountStanding(
            name,
            0,
            frozenset(),
            is_blocked=False,
            is_locked=False,
            is_established=True,
        )

    async def refused_addresses(self, urls: Iterable[str]) -> frozenset[str]:  # noqa: ARG002
        """Return nothing: there is no blacklist."""
        return frozenset()

    async def watchlist(
        self,
        namespaces: Collection[int] = (),  # noqa: ARG002 - as the wiki has it
        *,
        most: int = 0,  # noqa: ARG002
    ) -> tuple[str, ...]:
        """Return nothing: nobody is logged in."""
        return ()

    async def changes(
        self,
        since: datetime,  # noqa: ARG002 - as the wiki has it
        until: datetime,  # noqa: ARG002
        namespaces: Collection[int] = (),  # noqa: ARG002
    ) -> AsyncGenerator[Change, None]:
        """Give no change: a folder has no history."""
        nothing: tuple[Change, ...] = ()
        for change in nothing:
            yield change

    async def edits(
        self,
        since: datetime,  # noqa: ARG002 - as above
        until: datetime,  # noqa: ARG002
        namespaces: Collection[int] = (),  # noqa: ARG002
    ) -> AsyncGenerator[ListedEdit, None]:
        """Yield nothing: nobody edits a folder."""
        for edit in tuple[ListedEdit]():
            yield edit

    async def tags_of(
        self,
        revisions: Iterable[int],  # noqa: ARG002 - as above
    ) -> Mapping[int, frozenset[str]]:
        """Return nothing, as above."""
        return {}

    async def oldest_change(self) -> datetime | None:
        """Return nothing: a folder has no history."""
        return None
