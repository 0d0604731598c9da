"""A wiki that is a folder of pages, for a run without any network.

Articles are files as `bot.wiki.page_file` reads them. Beside them stand a few pages
in people's space, and whatever was written meanwhile in the place of the wiki.
"""

from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Mapping
from datetime import datetime
from pathlib import Path

from bot.records.changes import Change
from bot.wiki.authors import RecentHistory
from bot.wiki.list_values import (
    ListedPage,
    ListedUser,
    PageText,
    SiteNames,
)
from bot.wiki.page import NoSuchPageError, WikiPage
from bot.wiki.page_file import read_page_file

_NAMESPACES = {0: "", 1: "Talk", 2: "User", 3: "User talk"}
_PAGE = _REVISION = 1
_EDITS = 1_000


class WikiFolder:
    """Reads pages as `WikiReader` and `WikiLists` do.

    Args:
        wiki: host of the wiki that the pages are taken from.
        articles: files of wikitext.
        pages: other pages, by title.
        written: gives what was written in the place of the wiki, by title.
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
            namespace=_namespace(title),
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
        """Return nothing: nobody has an account of a folder."""
        return frozenset()

    async def texts_of(self, titles: Iterable[str]) -> Mapping[str, PageText]:
        """Return the pages of these that are there."""
        found = {title: await self.text_of(title) for title in titles}
        return {title: text for title, text in found.items() if text is not None}

    async def site_names(self) -> SiteNames:
        """Return the namespaces that the pages lie in."""
        return SiteNames(local=_NAMESPACES, aliases={})

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

    async def oldest_change(self) -> datetime | None:
        """Return nothing: a folder has no history."""
        return None


def _namespace(title: str) -> int:
    prefix = title.partition(":")[0]
    return {name: number for number, name in _NAMESPACES.items()}.get(prefix, 0)
