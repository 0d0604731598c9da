"""What reports and talk pages need of a wiki; the real reader has more verbs."""

from collections.abc import Iterable
from typing import Protocol

from bot.adapters.wiki_list_values import PageText, SiteNames


class Reader(Protocol):
    """Reads one wiki, as `bot.adapters.wiki_lists.WikiLists` does.

    Every method raises PermanentError where the wiki will not answer, and
    TemporaryError where it cannot be reached or is busy.
    """

    async def site_names(self) -> SiteNames:
        """Return the names of the wiki's namespaces."""
        ...

    async def text_of(
        self, title: str, revision_id: int | None = None
    ) -> PageText | None:
        """Return a page or one of its revisions; `None` if it is missing or hidden."""
        ...

    async def refused_addresses(self, urls: Iterable[str]) -> frozenset[str]:
        """Return those of `urls` that the wiki's spam blacklist lists."""
        ...
