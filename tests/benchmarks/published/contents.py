"""What is measured: the articles that ship, real ones where they are, made-up ones."""

import html
import os
import random
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

from handlers.model import (
    Origin,
    PageId,
    Source,
    SourceFetch,
    SourceOutcome,
    SourceText,
)

WIKI = "en.wikipedia.org"
DEMO = Path(str(files("bot") / "demo"))
_SHARED = Path(__file__).parents[4] / "shared" / "data"
_MENU = "".join(f'<li><a href="/{n}">Part {n} of the site</a></li>' for n in range(120))
_TRADES = ("herring", "timber", "salt", "tar", "coal", "grain", "wool")
_SENTENCES_OF_SOURCE = 20
_HEADING = re.compile(r"^(?===[^=])", re.MULTILINE)


def shipped(count: int) -> list[Path]:
    """Return files of articles that ship."""
    return sorted((DEMO / "articles").glob("*.wikitext"))[:count]


def real(count: int) -> list[str]:
    """Return real articles as wikitext; none where the shared data are not here."""
    folder = Path(os.environ.get("SIDENOTE_SHARED_DATA", _SHARED))
    found = sorted((folder / "wikitext_articles" / "text").glob("*"))[:count]
    return [path.read_bytes().decode() for path in found]


def told_of_real(texts: list[str]) -> str:
    """Return what real articles are called beside a figure."""
    count = f"{len(texts)} real articles"
    return f"{count}, nearly all of English Wikipedia (data set wikitext_articles)"


def page_id(title: str) -> PageId:
    """Return what names a page."""
    return PageId(WIKI, title)


def as_web_page(text: str) -> bytes:
    """Return a web page with this text, a menu and what else stands around."""
    paragraphs = "".join(
        f"<p>{html.escape(line)}</p>" for line in text.splitlines() if line.strip()
    )
    return (
        "<!doctype html><html lang=en><head><meta charset=utf-8><title>A page</title>"
        f"</head><body><nav><ul>{_MENU}</ul></nav><article><h1>A page</h1>{paragraphs}"
        "</article><footer>All rights reserved.</footer></body></html>"
    ).encode()


def of_size(size_bytes: int, of: list[str]) -> str:
    """Return wikitext of about this size, never more, made of whole sections.

    A section that is cut would leave a template open, which no saved page does for
    long and some parsers bear badly.
    """
    sections = [part for text in of for part in _HEADING.split(text) if part.strip()]
    lengths = [len(part.encode()) for part in sections]
    parts: list[str] = []
    left = size_bytes
    while min(lengths) <= left:
        for part, length in zip(sections, lengths, strict=True):
            if length <= left:
                parts.append(part)
                left -= length
    return "".join(parts)


def with_citations(count: int) -> str:
    """Return an article in which each sentence cites a source of its own."""
    parts = []
    for number in range(count):
        if number % 20 == 0:
            parts.append(f"\n\n== Coast {number // 20 + 1} ==\n")
        parts.append(
            f"{_claim(number)}<ref>{{{{cite web |url=https://a{number % 40}.example/"
            f"{number} |title=Harbour {number} |date=2 May 2015}}}}</ref> "
        )
    return "'''Harbours''' are old." + "".join(parts) + "\n== References ==\n"


def _claim(number: int) -> str:
    trade = _TRADES[number % len(_TRADES)]
    return (
        f"The harbour of '''Eastmere {number}''' was built in {1500 + number % 400} for"
        f" the [[{trade} trade|trade in {trade}]], and {number * 7 + 12} ships lay there"
        f" in {1900 + number % 99}."
    )


class MadeUp:
    """A `SourceReader` that has a text of some 450 words for any source."""

    async def read(self, source: Source) -> SourceFetch:
        """Return the text, which is always the same for the same source."""
        document = SourceText("\n".join(_lines(source.key)), source.title)
        return SourceFetch(
            source,
            SourceOutcome.READ,
            "made up",
            origin=Origin.DISK,
            url=source.url,
            document=document,
        )


def _lines(key: str) -> Iterator[str]:
    draw = random.Random(key)
    for _ in range(_SENTENCES_OF_SOURCE):
        number = draw.randrange(2_000)
        plain = _claim(number).replace("'''", "").replace("[[", "").replace("]]", "")
        yield f"{plain} Its keeper in {draw.randrange(1800, 2000)} was N. Tonwell."
