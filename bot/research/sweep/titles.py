"""Pages of a wiki by their titles, many at a time, for a sweep of a list."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.app.wiring.wiki import open_wiki, open_wiki_lists
from bot.settings import Settings
from bot.wiki.address import parse_page_address
from bot.wiki.dump import BrokenPage, DumpPage
from bot.wiki.pages import PageText, WikiPage
from handlers.ports import PermanentError


@dataclass(frozen=True, slots=True)
class TitledPages:
    """Reads pages from the wiki; one that cannot be read is told of, not fatal."""

    settings: Settings
    wiki: str | None

    def __call__(self, titles: Sequence[str]) -> Iterator[DumpPage | BrokenPage]:
        """Yield each page, in order; redirects are followed, as `sidenote rank` does.

        Raises:
            TemporaryError: the wiki is out of reach.
        """
        yield from asyncio.run(self._read(titles))

    async def _read(self, titles: Sequence[str]) -> list[DumpPage | BrokenPage]:
        wiki = self.wiki or self.settings.wiki
        plain = [title for title in titles if parse_page_address(title) is None]
        texts = await open_wiki_lists(self.settings, wiki).texts_of(plain)
        found: list[DumpPage | BrokenPage] = []
        for title in titles:
            text = texts.get(title)
            if text is not None and not text.is_redirect:
                found.append(_of_text(text, wiki))
            else:
                found.append(await self._alone(title, wiki))
        return found

    async def _alone(self, title: str, wiki: str) -> DumpPage | BrokenPage:
        """Read what is redirected, pasted from a browser, or missing."""
        pasted = parse_page_address(title)
        try:
            if pasted is None:
                page = await open_wiki(self.settings, wiki).page(title)
            else:
                reader = open_wiki(self.settings, pasted.wiki)
                page = await reader.page(pasted.title, pasted.revision_id)
        except PermanentError as error:
            return BrokenPage(title, str(error), was_asked_for=True)
        return _of_page(page)


def _of_text(text: PageText, wiki: str) -> DumpPage:
    return DumpPage(
        title=text.title,
        namespace=0,  # asked for by name, wherever it is
        page_id=text.page_id,
        revision_id=text.revision_id,
        revised_at=text.revised_at,
        model=text.content_model,
        text=text.text,
        is_redirect=False,
        wiki=wiki.rpartition("://")[2].partition("/")[0],
    )


def _of_page(page: WikiPage) -> DumpPage:
    return DumpPage(
        title=page.id.title,
        namespace=0,
        page_id=page.id.page_id,
        revision_id=page.id.revision_id,
        revised_at=page.id.revised_at,
        model="wikitext",
        text=page.wikitext,
        is_redirect=False,
        wiki=page.id.wiki,
    )
