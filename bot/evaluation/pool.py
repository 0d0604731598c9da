"""The pages of WikiGenBench's events, indexed as any collection of documents is.

Two evaluations search them; an index that one of them made serves the other.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from bot.adapters.encoder import Encoder
from bot.adapters.extraction import Extraction
from bot.adapters.index import CollectionKind, Item, Updater
from bot.evaluation.events import Events
from bot.evaluation.progress import Progress
from handlers.model import SourceOutcome, SourceText

_LONG_AGO = datetime(2024, 1, 1, tzinfo=UTC)


async def index_pages(
    events: Events, folder: Path, encoder: Encoder, progress: Progress
) -> None:
    """Make the index in `folder` hold all pages of all events, and nothing else.

    Encoding takes most of the time; what the folder has already is not encoded again.
    """
    indexing = _Indexing(progress)
    await Updater(folder, _AsScraped(), encoder, indexing).update(_EventPages(events))


class _EventPages:
    """All pages of all events, as a collection that can be indexed."""

    kind = CollectionKind.FOLDER
    name = "wikigenbench"
    max_bytes = 50_000_000

    def __init__(self, events: Events) -> None:
        self._events = events

    def items(self) -> Iterator[Item]:
        for event in self._events.events:
            for page in event.pages:
                content = page.text.encode("utf-8", "replace")
                yield Item(
                    address=page.address,
                    mark=sha256(content).hexdigest(),
                    read=lambda content=content: content,  # type: ignore[misc] # its default is bytes
                    captured=_LONG_AGO,
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
