"""Builds dumps in the form that Wikimedia publishes: multistream, with their index.

Pages are streamed, so that a dump of any size can be built in little memory.
"""

import bz2
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from xml.sax.saxutils import escape

HEAD = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">
  <siteinfo>
    <sitename>Wikipedia</sitename>
    <dbname>enwiki</dbname>
    <base>https://en.wikipedia.org/wiki/Main_Page</base>
    <generator>MediaWiki 1.43.0</generator>
    <case>first-letter</case>
    <namespaces>
      <namespace key="0" case="first-letter" />
      <namespace key="1" case="first-letter">Talk</namespace>
    </namespaces>
  </siteinfo>
"""
TAIL = "</mediawiki>"
PAGES_PER_STREAM = 100


@dataclass(frozen=True, slots=True)
class Written:
    """A page as a dump holds it."""

    title: str
    page_id: int
    text: str
    namespace: int = 0
    redirect_to: str | None = None
    model: str = "wikitext"

    def to_xml(self) -> str:
        """Return the page's element, laid out as MediaWiki does."""
        redirect = (
            f'    <redirect title="{escape(self.redirect_to)}" />\n'
            if self.redirect_to
            else ""
        )
        return (
            f"  <page>\n    <title>{escape(self.title)}</title>\n"
            f"    <ns>{self.namespace}</ns>\n    <id>{self.page_id}</id>\n{redirect}"
            f"    <revision>\n      <id>{self.page_id + 1_000_000}</id>\n"
            "      <timestamp>2026-01-02T03:04:05Z</timestamp>\n"
            "      <contributor><username>A</username><id>1</id></contributor>\n"
            f"      <model>{self.model}</model>\n      <format>text/x-wiki</format>\n"
            f'      <text bytes="{len(self.text.encode())}" xml:space="preserve">'
            f"{escape(self.text)}</text>\n      <sha1>x</sha1>\n"
            "    </revision>\n  </page>\n"
        )


def write_multistream(
    path: Path,
    pages: Iterable[Written],
    *,
    per_stream: int = PAGES_PER_STREAM,
    level: int = 9,
) -> Path:
    """Write a multistream dump and its index beside it; return the index."""
    index = path.with_name(
        path.name.replace("multistream", "multistream-index").replace(".xml", ".txt")
    )
    with path.open("wb") as dump, bz2.open(index, "wt", encoding="utf-8") as lines:
        dump.write(bz2.compress(HEAD.encode(), level))
        for part in _parts(pages, per_stream):
            offset = dump.tell()
            lines.writelines(f"{offset}:{p.page_id}:{p.title}\n" for p in part)
            xml = "".join(page.to_xml() for page in part)
            dump.write(bz2.compress(xml.encode(), level))
        dump.write(bz2.compress(TAIL.encode(), level))
    return index


def write_plain(path: Path, pages: Iterable[Written]) -> None:
    """Write a plain export; compressed as one stream where the name ends so."""
    with bz2.open(path, "wb") if path.suffix == ".bz2" else path.open("wb") as file:
        file.write(HEAD.encode())
        file.writelines(page.to_xml().encode() for page in pages)
        file.write(TAIL.encode())


def _parts(pages: Iterable[Written], size: int) -> Iterator[list[Written]]:
    each = iter(pages)
    while part := list(islice(each, size)):
        yield part
