"""Reads WikiGenBench: events with their article, the pages it cites, and search results.

The pages come as a scraper left them: in lower case, without punctuation, menus and
all. What a search engine returned for the event is text as it was written, menus
included, but for the breaks between paragraphs, many of which the scraper lost: “in
court.The next day”. They are put back. Anything in the file is checked when it is read.
All pages can be indexed as any collection of documents is; an index that one evaluation
made serves the others.
"""

import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bot.models.encoder import Encoder
from bot.research.evaluation.datasets import FileRows, Unscored, first_fault
from bot.research.evaluation.report import Progress
from bot.search.index import CollectionKind, Item, Updater
from bot.sources.extraction import Extraction
from handlers.model import SourceOutcome, SourceText
from handlers.ports import PermanentError

_MAX_BYTES = 500_000_000  # decompressed
# A sentence that ends against the next one; not “U.S.A”, “Yahoo!Mail” or “node.JS”.
_LOST_BREAK = re.compile(
    r"(?<=[a-z0-9)\]”’\"'][.!?])(?=[“\"'(]?[A-Z][a-z’']* )|(?<=[a-z][.!?][”\"’])(?=[A-Z])"
)
_FEWEST_WORDS = 20  # a page with less is an error message or an empty shell


@dataclass(frozen=True, slots=True)
class CitedPage:
    """A page as the article cites it: the citation, the address, the scraped text."""

    citation: str
    address: str
    text: str


@dataclass(frozen=True, slots=True)
class FoundPage:
    """A page that a search engine returned for the event; text as it was written."""

    address: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Event:
    """One article, its headings of the first level, what it cites, and what was found."""

    id: str
    title: str
    text: str
    headings: tuple[str, ...]
    pages: tuple[CitedPage, ...]
    found: tuple[FoundPage, ...] = ()

    @property
    def all(self) -> tuple[FoundPage | CitedPage, ...]:
        """Return its documents: what was found, then what the article cites."""
        return (*self.found, *self.pages)


def is_held_out(title: str) -> bool:
    """Tell whether the event belongs to the half that nothing is made or tuned on.

    The last bit of the title's SHA-256 decides, so the halves depend on no one's choice.
    """
    return sha256(title.encode("utf-8", "replace")).digest()[-1] % 2 == 1


Events: TypeAlias = FileRows[Event]


class _Article(BaseModel):
    model_config = ConfigDict(extra="ignore")

    key: str = Field(min_length=1)
    text: str
    outlines: list[str] = []
    reference: list[tuple[str, str, str | None]] = []


class _Found(BaseModel):
    model_config = ConfigDict(extra="ignore")

    link: str
    title: str | None = None
    text: str | None = None


class _Row(BaseModel):
    model_config = ConfigDict(extra="ignore")

    id: int | str
    article: _Article
    search_documents: list[_Found] = []


def read_events(path: Path) -> Events:
    """Read all events of `path` (.jsonl or .jsonl.gz)."""
    try:
        content = path.read_bytes()
        lines = list(_lines(path, content))
    except OSError as error:
        raise PermanentError(
            f"{path} cannot be read ({error.strerror or error}); pass WikiGenBench's"
            " events as .jsonl or .jsonl.gz"
        ) from error
    except (EOFError, ValueError, zlib.error) as error:
        raise PermanentError(f"{path} is not gzipped JSON lines ({error})") from error
    events: dict[str, Event] = {}
    unscored = []
    for number, line in enumerate(lines, start=1):
        read = _event(number, line)
        if isinstance(read, Unscored):
            unscored.append(read)
        elif read.id in events:  # its results would be those of the first
            unscored.append(Unscored(number, "events", f"another has the id {read.id}"))
        else:
            events[read.id] = read
    if not events:
        why = f"; line 1: {unscored[0].reason}" if unscored else ""
        raise PermanentError(f"{path} has no event of WikiGenBench{why}")
    return FileRows(
        path.name, sha256(content).hexdigest(), tuple(events.values()), tuple(unscored)
    )


def _lines(path: Path, content: bytes) -> Iterator[str]:
    if path.suffix == ".gz":
        decoder = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        content = decoder.decompress(content, _MAX_BYTES)
        if decoder.unconsumed_tail:
            raise ValueError(f"it holds more than {_MAX_BYTES:,} bytes")
        if not decoder.eof:
            raise ValueError("it ends too early")
    yield from (line for line in content.decode("utf-8").split("\n") if line.strip())


def _event(number: int, line: str) -> Event | Unscored:
    try:
        row = _Row.model_validate_json(line)
    except ValidationError as error:
        return Unscored(number, "events", first_fault(error, "the line"))
    article = row.article
    return Event(
        id=str(row.id),
        title=article.key,
        text=article.text,
        headings=tuple(name.replace("_", " ") for name in article.outlines),
        pages=tuple(
            CitedPage(citation, address, text)
            for citation, address, text in article.reference
            if address and text and len(text.split()) >= _FEWEST_WORDS
        ),
        found=tuple(
            FoundPage(one.link, one.title or "", _LOST_BREAK.sub("\n", one.text))
            for one in row.search_documents
            if one.link and one.text and len(one.text.split()) >= _FEWEST_WORDS
        ),
    )


_LONG_AGO = datetime(2024, 1, 1, tzinfo=UTC)


async def index_pages(
    events: Events, folder: Path, encoder: Encoder, progress: Progress
) -> None:
    """Make the index in `folder` hold all cited pages of all events, and nothing else.

    Encoding takes most of the time; what the folder has already is not encoded again.
    """
    cited = (
        _Page(page.address, page.text) for one in events.rows for page in one.pages
    )
    await _index("wikigenbench", cited, folder, encoder, progress)


async def index_documents(
    events: Events, folder: Path, encoder: Encoder, progress: Progress
) -> None:
    """Make the index hold all cited pages and all that a search engine returned.

    Of a page that is both, the text as it was written counts. As `index_pages` else.
    """
    cited = (
        _Page(page.address, page.text) for one in events.rows for page in one.pages
    )
    found = (
        _Page(page.address, page.text, page.title)
        for one in events.rows
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
    def __init__(self, progress: Progress) -> None:
        self.started = progress.started
        self.advance = progress.advance

    def reading(self, place: str, /) -> None:
        pass
