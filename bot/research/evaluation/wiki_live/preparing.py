"""Makes a system's `json_data` out of its Markdown: statements, then pages.

The two steps of the benchmark's `generate_json.py`: `extract` takes the statements out,
`fetch` reads the pages that they cite, by the same reader as the daemon's, with its
manners, its cache and its walls. Each step keeps what the other one made.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

from bot.research.evaluation.wiki_live.extracting import Extractor
from bot.research.evaluation.wiki_live.forms import GeneratedFile
from bot.research.evaluation.wiki_live.markdown import CitedText, read_markdown
from bot.research.evaluation.wiki_live.page_text import CUT_AFTER
from bot.research.evaluation.wiki_live.reading import parsed
from bot.research.evaluation.wiki_live.values import CitedPage, Generated
from handlers.model import Source, SourceForm
from handlers.ports import PermanentError, SourceReader

_MAX_BYTES = 8_000_000


class Step(Enum):
    """What is done to an article."""

    EXTRACT = "extract"
    FETCH = "fetch"


@dataclass(frozen=True, slots=True)
class Prepared:
    """An article as it is to be written, and what came of it in numbers."""

    article: Generated
    citing: int  # statements with a citation
    fetched: int  # pages with a text


def steps_of(told: str) -> tuple[Step, ...]:
    """Return the steps of a list such as "extract,fetch", in their order.

    Raises:
        PermanentError: there is none, or one that does not exist.
    """
    names = {one.strip() for one in told.split(",") if one.strip()}
    known = {one.value for one in Step}
    if not names or not names <= known:
        raise PermanentError(f"steps are {' and '.join(known)}, with a comma between")
    return tuple(one for one in Step if one.value in names)


def markdown_of(path: Path) -> str:
    """Return an article in Markdown.

    Raises:
        PermanentError: it is missing, too long or not UTF-8.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise PermanentError(
            f"{path} cannot be read ({error.strerror or error})"
        ) from error
    if len(content) > _MAX_BYTES:
        raise PermanentError(f"{path} holds more than {_MAX_BYTES:,} bytes")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise PermanentError(f"{path}, line {line}: not UTF-8") from error


async def prepared(
    source: Path,
    made: Path,
    steps: Sequence[Step],
    extractor: Extractor,
    reader: SourceReader | None,
) -> Prepared:
    """Return the article of a Markdown file after the steps.

    Args:
        source: the Markdown.
        made: what an earlier step wrote, if it is there.
        steps: to be done.
        extractor: takes out statements.
        reader: reads pages; needed to fetch.

    Raises:
        PermanentError: a file cannot be read, or there is nothing to fetch for.
    """
    article = _known(made, source.stem)
    if Step.EXTRACT in steps:
        article = await _extracted(source, extractor, article)
    if article is None:
        raise PermanentError(
            f"{made} is missing: extract statements before pages are fetched"
        )
    if Step.FETCH in steps and reader is not None:
        article = replace(article, pages=await _pages(article, reader))
    return Prepared(
        article,
        sum(bool(one.refs or one.urls) for one in article.statements),
        sum(bool(one.content) for one in article.pages.values()),
    )


def _known(made: Path, title: str) -> Generated | None:
    if not made.is_file():
        return None
    content = made.read_bytes()
    return replace(parsed(made, content, GeneratedFile).article.value(""), title=title)


async def _extracted(
    source: Path, extractor: Extractor, known: Generated | None
) -> Generated:
    read: CitedText = read_markdown(markdown_of(source))
    statements = await extractor.statements(read)
    if not statements:
        raise PermanentError(f"{source}: no sentence was found in it")
    return Generated(
        title=source.stem,
        text=read.text,
        statements=statements,
        citation_urls=read.references,
        pages=known.pages if known else {},
        page_id=known.page_id if known else None,
        source_file=str(Path(*source.parts[-3:])),
    )


async def _pages(article: Generated, reader: SourceReader) -> dict[str, CitedPage]:
    """Read each cited page that has no text yet."""
    pages = dict(article.pages)
    for number, address in article.citation_urls.items():
        if number in pages and pages[number].content:
            continue
        source = Source(SourceForm.URL, raw=address, url=address)
        reading = await reader.read(source)
        text = reading.document.text[:CUT_AFTER] if reading.document else ""
        title = (reading.document.title or "") if reading.document else ""
        error = "" if reading.document else f"{reading.outcome.value}: {reading.detail}"
        pages[number] = CitedPage(address, title, text, error)
    return pages
