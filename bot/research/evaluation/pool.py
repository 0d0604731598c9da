"""The pages of WikiGenBench's events, indexed as any collection of documents is.

Two evaluations search what the articles cite; an index that one of them made serves
the other. Update discovery searches what a search engine returned for the events, too.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from bot.models.encoder import Encoder
from bot.research.evaluation.events import Events
from bot.research.evaluation.progress import Progress
from bot.search.index import CollectionKind, Item, Updater
from bot.sources.extraction import Extraction
from handlers.model import SourceOutcome, SourceText

_LONG_AGO = datetime(2024, 1, 1, tzinfo=UTC)


async def index_pages(
    events: Events, folder: Path, encoder: Encoder, progress: Progress
) -> None:
    """Make the index in `folder` hold all cited pages of all events, and nothing else.

    Encoding takes most of the time; what the folder has already is not encoded again.
    """
    cited = (
        _Page(page.address, page.text) for one in events.events for page in one.pages
    )
    await _index("wikigenbench", cited, folder, encoder, progress)


async def index_documents(
    events: Events, folder: Path, encoder: Encoder, progress: Progress
) -> None:
    """Make the index hold all cited pages and all that a search engine returned.

    Of a page that is both, the text as it was written counts. As `index_pages` else.
    """
    cited = (
        _Page(page.address, page.text) for one in events.events for page in one.pages
    )
    found = (
        _Page(page.address, page.text, page.title)
        for one in events.events
        for page in one.found
    )
    await _index("wikigenbench documents", (*cited, *found), folder, encoder, progress)


@dataclass(frozen=True, slots=True)
class _Page:
    address: str
    text: str
    title: str | None = None


async def _index(
    name: str,
    pages: Iterable[_Page],
    folder: Path,
    encoder: Encoder,
    progress: Progress,
) -> None:
    collection = _Pages(name, tuple(pages))
    indexing = _Indexing(progress)
    await Updater(folder, _AsScraped(), encoder, indexing).update(collection)


class _Pages:
    """Pages of all events, as a collection that can be indexed."""

    kind = CollectionKind.FOLDER
    max_bytes = 50_000_000

    def __init__(self, name: str, pages: tuple[_Page, ...]) -> None:
        self.name = name
        self._pages = pages

    def items(self) -> Iterator[Item]:
        for page in self._pages:
            content = page.text.encode("utf-8", "replace")
            yield Item(
                address=page.address,
                mark=sha256(content).hexdigest(),
                read=lambda content=content: content,  # type: ignore[misc] # its default is bytes
                captured=_LONG_AGO,
                title=page.title or None,
            )


class _AsScraped:
    """Takes text for text: the pages were extracted when they were scraped."""

    async def extract(
        self,
        body: bytes,
        *,
        content_type: str | None,  # noqa: ARG002 - the port's signature
        url: str,  # noqa: ARG002 - the port's signature
    ) -> Extraction:
        return Extraction(SourceOutcome.READ, "scraped", SourceText(body.decode()))


class _Indexing:
    """Shows the indexing of pages on a counter of steps."""

    def __init__(self, progress: Progress) -> None:
        self.started = progress.started
        self.advance = progress.advance

    def reading(self, place: str, /) -> None:
        pass
