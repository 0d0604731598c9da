"""Reviews the writing of one article or draft: from its text to what should be fixed.

The use case behind `sidenote review`. Checks by rule need nothing else; the texts of
cited sources and a language model add further findings.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

import structlog

from bot.daemon.check import parse_page
from handlers.model import Page, PageId, Review, Source
from handlers.ports import LanguageModel, PermanentError, SourceReader
from handlers.review.by_model import merged, review_by_model
from handlers.review.review import review

_MOST_SOURCES = 200
_AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class Reviewer:
    """Reviews pages with the tools it was given.

    Without `sources` nothing is compared with what it cites; without `language_model`
    only what a program can see is checked, and the review says what was not.
    """

    sources: SourceReader | None = None
    language_model: LanguageModel | None = None

    async def review(
        self, wikitext: str, page_id: PageId, *, footnotes_lost: bool = False
    ) -> Review:
        """Return all findings about a page, including uncertain ones.

        Args:
            wikitext: of the page.
            page_id: which page it is.
            footnotes_lost: the text came without the footnotes that the article may
                have.

        Raises:
            PermanentError: the page is larger than any wiki saves, or it is a redirect
                or a disambiguation page, which are not written in sentences.
        """
        page = parse_page(wikitext, page_id)
        _require_article(page)
        texts, unread = await self._texts(page)
        found = await asyncio.to_thread(
            review, page, texts, footnotes_lost=footnotes_lost
        )
        if unread:
            lost = f"{unread} of {unread + len(texts)} cited sources could not be read,"
            lost += " and were not compared with the article's words."
            found = replace(found, troubles=(*found.troubles, lost))
        if self.language_model is not None:
            found = await _with_model(found, self.language_model)
        structlog.get_logger().info(
            "page reviewed",
            wiki=page_id.wiki,
            title=page_id.title,
            findings=len(found.findings),
            criteria=len(found.judged),
        )
        return found

    async def _texts(self, page: Page) -> tuple[Mapping[str, str], int]:
        """Return the texts of cited sources by their key, and how many had no text."""
        if self.sources is None:
            return {}, 0
        cited = {
            source.key: source for claim in page.claims for source in claim.sources
        }
        listed: Sequence[Source] = list(cited.values())[:_MOST_SOURCES]
        gate = asyncio.Semaphore(_AT_ONCE)
        read = await asyncio.gather(
            *(_text(self.sources, source, gate) for source in listed)
        )
        texts = {
            source.key: text for source, text in zip(listed, read, strict=True) if text
        }
        return texts, len(listed) - len(texts)


def _require_article(page: Page) -> None:
    if page.redirect_to:
        raise PermanentError(
            f"{page.id.title} is a redirect; review “{page.redirect_to}” instead"
        )
    if page.is_disambiguation:
        raise PermanentError(
            f"{page.id.title} is a disambiguation page, which is not written in sentences"
        )


async def _text(reader: SourceReader, source: Source, gate: asyncio.Semaphore) -> str:
    async with gate:
        fetch = await reader.read(source)
    return fetch.document.text if fetch.document else ""


async def _with_model(found: Review, model: LanguageModel) -> Review:
    judged = await review_by_model(found.page, model)
    findings = sorted(
        merged((*found.findings, *judged.findings)),
        key=attrgetter("span.start", "span.end"),
    )
    return replace(
        found,
        findings=tuple(findings),
        judged=found.judged | judged.judged,
        troubles=(*found.troubles, *judged.troubles),
        use=found.use + judged.use,
    )
