"""Reads WikiGenBench: events with their article, the pages it cites, and search results.

The cited pages are as a scraper left them: in lower case, without punctuation, with
menus. What a search engine returned for the event is text as it was written, also with
menus, but many breaks between paragraphs were lost: “in court.The next day”. They are
restored. Everything in the file is checked when it is read. All pages can be indexed
like any collection of documents; an index made in one evaluation serves the others.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bot.models.encoder import Encoder
from bot.research.evaluation.datasets import (
    FEWEST_WORDS,
    FileRows,
    UnusableError,
    first_fault,
    read_json_lines,
)
from bot.research.evaluation.report import Progress
from bot.search.index import CollectionKind, Item, Updater
from bot.sources.extraction import Extraction
from handlers.model import SourceOutcome, SourceText

# A sentence end without a space after it; not “U.S.A”, “Yahoo!Mail” or “node.JS”.
_LOST_BREAK = re.compile(
    r"(?<=[a-z0-9)\]”’\"'][.!?])(?=[“\"'(]?[A-Z][a-z’']* )|(?<=[a-z][.!?][”\"’])(?=[A-Z])"
)


@dataclass(frozen=True, slots=True)
class CitedPage:
    """A page as the article cites it: the citation, the address, the scraped text."""

    citation: str
    address: str
    text: str


@dataclass(frozen=True, slots=True)
class FoundPage:
    """A page that a search engine returned for the event; its text is unchanged."""

    address: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Event:
    """An article, its first-level headings, the pages it cites, and search results."""

    id: str
    title: str
    text: str
    headings: tuple[str, ...]
    pages: tuple[CitedPage, ...]
    found: tuple[FoundPage, ...] = ()

    @property
    def all(self) -> tuple[FoundPage | CitedPage, ...]:
        return (*self.found, *self.pages)


def is_held_out(title: str) -> bool:
    """Return whether the event is in the half that nothing is made or tuned on.

    The last bit of the title's SHA-256 decides, so nobody chose the halves.
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
    """Read all events of `path` (.jsonl or .jsonl.gz), the first one for each id."""
    seen: set[str] = set()

    def read(_: int, fields: Mapping[str, Any]) -> Event:
        try:
            row = _Row.model_validate(fields)
        except ValidationError as error:
            raise UnusableError(first_fault(error, "the line")) from error
        if str(row.id) in seen:  # its results would be those of the first
            raise UnusableError(f"another has the id {row.id}")
        seen.add(str(row.id))
        return _event(row)

    needs = "id and article, as WikiGenBench's events have them"
    return read_json_lines(path, read, needs=needs, name="events")


def _event(row: _Row) -> Event:
    article = row.article
    return Event(
        id=str(row.id),
        title=article.key,
        text=article.text,
        headings=tuple(name.replace("_", " ") for name in article.outlines),
        pages=tuple(
            CitedPage(citation, address, text)
            for citation, address, text in article.reference
            if address and text and len(text.split()) >= FEWEST_WORDS
        ),
        found=tuple(
            FoundPage(one.link, one.title or "", _LOST_BREAK.sub("\n", one.text))
            for one in row.search_documents
            if one.link and one.text and len(one.text.split()) >= FEWEST_WORDS
        ),
    )


_LONG_AGO = datetime(2024, 1, 1, tzinfo=UTC)


async def index_pages(
    events: Events,
    folder: Path,
    encoder: Encoder,
    progress: Progress,
    *,
    with_found: bool = False,
) -> None:
    """Make the index in `folder` hold all cited pages of all events, and nothing else.

    `with_found` adds everything that a search engine returned; for a page that is both,
    the text as it was written counts. Encoding takes most of the time; what is already
    in the folder is not encoded again.
    """
    pages: list[FoundPage | CitedPage] = [
        page for one in events.rows for page in one.pages
    ]
    if with_found:
        pages += [page for one in events.rows for page in one.found]
    name = "wikigenbench documents" if with_found else "wikigenbench"
    updater = Updater(folder, _AsScraped(), encoder, _Indexing(progress))
    await updater.update(_Pages(name, pages))


class _Pages:
    kind = CollectionKind.FOLDER
    max_bytes = 50_000_000

    def __init__(self, name: str, pages: Sequence[FoundPage | CitedPage]) -> None:
        self.name = name
        self._pages = pages

    def items(self) -> Iterator[Item]:
        for page in self._pages:
            content = page.text.encode("utf-8", "replace")
            title = page.title if isinstance(page, FoundPage) else ""
            yield Item(
                address=page.address,
                mark=sha256(content).hexdigest(),
                read=lambda content=content: content,  # type: ignore[misc] # its default is bytes
                captured=_LONG_AGO,
                title=title or None,
            )


class _AsScraped:
    """Returns text unchanged: the pages were extracted when they were scraped."""

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
