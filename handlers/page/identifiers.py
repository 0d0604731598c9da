"""Addresses and numbers of sources as people write them without a template.

A footnote may be "Holm A. Stones. doi:10.5555/2001.3", "PMID 12345678" or
"www.example.org/quarries": readers find the source by it, so it is the source's address.
And an address given to a template is the whole value, with the spaces and brackets that
would end it in running text. Pure.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from handlers.model import Source
from handlers.page.markup import plain_text, unescape

# --- Addresses ---

URL = re.compile(r"(?:https?|ftp)://[^\s<>\[\]{}\"]++", re.IGNORECASE)
HOST = re.compile(r"(?://|www\.)[^\s<>\[\]{}|\"]++", re.IGNORECASE)
_IN_TEXT = re.compile(
    r"(?:https?|ftp)://[^\s<>\[\]{}\"]++"
    r"|(?<![\w./@:-])www\.[\w-]++\.[^\s<>\[\]{}|\"]++",
    re.IGNORECASE,
)
_TRAILING = ".,;:!?'"  # what MediaWiki leaves out at the end of a bare URL
# Without a scheme, a host with a path; "report.pdf" alone may be anything.
_BARE = re.compile(r"[\w-]++(?:\.[\w-]++)*\.[a-z]{2,24}(?::\d{1,5})?/.*", re.I)
_HOST_END = re.compile(r"[/?#]")
_AGAIN = re.compile(r"(?<!\s)\s+(?=(?:https?|ftp)://)", re.IGNORECASE)
# What ends an address in running text, and is written like this inside one.
_ENCODED = str.maketrans({sign: f"%{ord(sign):02X}" for sign in ' "<>[]{}'})


def address_in(value: str | None) -> str | None:
    """Return the address in the value of a parameter, or `None` without any.

    Citation templates take the whole value, spaces and brackets included, so nothing
    after them is cut off; a link or a second address in the value ends it.
    """
    if not value:
        return None
    if "{" in value or "<" in value:
        shown = plain_text(value) if "[" not in value else value
        value = shown if URL.search(shown) or HOST.match(shown) else value
    value = unescape(value.strip())
    found = URL.search(value)
    if found and "{{" in value:
        return found[0].partition("|")[0]
    if found and _is_enclosed(value, found.start()):
        return found[0].rstrip("'")
    if found:
        return _whole(value[found.start() :])
    if found := HOST.match(value):
        return _whole(("https:" if value.startswith("//") else "http://") + value)
    return _whole(f"http://{value}") if _BARE.fullmatch(value) else None


def addresses_in_text(text: str) -> Iterator[str]:
    """Yield the addresses in running text as they are written there."""
    for found in _IN_TEXT.finditer(text):
        address = found[0].rstrip(_TRAILING)
        if "(" not in address:  # as MediaWiki does
            address = address.rstrip(")").rstrip(_TRAILING)
        yield address


def _is_enclosed(value: str, start: int) -> bool:
    """Return whether a bracket or quote before an address shows where it ends."""
    return value[:start].rstrip()[-1:] in ("[", "<", '"', "'")


def _whole(value: str) -> str:
    """Return a value that is an address, encoded like the templates do."""
    value = _AGAIN.split(value, maxsplit=1)[0]
    scheme, _, rest = value.partition("://")
    at = _HOST_END.search(rest)
    host, path = (rest[: at.start()], rest[at.start() :]) if at else (rest, "")
    words = host.split()
    if not at or len(words) > 1:  # words after a host are no part of the address
        return f"{scheme}://{words[0] if words else ''}"
    path = " ".join(path.split())
    if path.endswith("]") and path.count("]") > path.count("["):
        path = path[:-1]  # left over from a link
    return f"{scheme}://{host}{path.translate(_ENCODED)}"


# --- Numbers ---

_NUMBER = re.compile(
    r"(?:(?<![\w./])|(?<=doi\.org/))(?P<doi>10\.\d{4,9}(?:\.\d{1,9})*+/[^\s<>\[\]{}|\"]++)"
    r"|\b(?:PMID|PubMed(?: ?ID)?)[:\s]{0,2}+(?P<pmid>\d{4,8})\b"
    r"|\b(?:PMCID[:\s]{0,2}+)?PMC[:\s]{0,2}+(?P<pmc>\d{4,8})\b"
    r"|\barXiv[:\s]{1,2}+(?P<arxiv>\d{4}\.\d{4,5}(?:v\d{1,2})?|[a-z-]{2,9}(?:\.[A-Z]{2})?/\d{7})"
    r"|\bISBN(?:[- ]1[03])?[:\s]{0,2}+(?P<isbn>[\d][\d -]{8,15}[\dX])\b",
    re.IGNORECASE,
)
_HINTS = ("10.", "PM", "pm", "Pm", "Pub", "pub", "rXiv", "RXIV", "rxiv", "ISBN", "isbn")
_LABEL = re.compile(
    r"\A(?:(?:https?:)?//(?:dx\.)?doi\.org/|(?:doi|pmid|arxiv)\b[: ]*+)", re.IGNORECASE
)
_CLOSERS = {")": "(", "]": "["}


class Number(NamedTuple):
    """A number that identifies a source; `field` is that of `Source`."""

    field: str
    value: str


def numbers_in(text: str) -> Iterator[Number]:
    """Yield the DOIs, PubMed, PMC, arXiv and book numbers in running text, in order."""
    if not any(hint in text for hint in _HINTS):
        return
    for found in _NUMBER.finditer(text):
        field = found.lastgroup or ""
        value = found[field]
        yield Number(field, _trimmed(value) if field == "doi" else value.strip())


def bare_number(value: str | None) -> str | None:
    """Return the number in a value such as `https://doi.org/10.5555/1` or `PMID 12`."""
    if not value or value[0].isdigit():
        return value
    return _LABEL.sub("", value, count=1) or value


def _trimmed(doi: str) -> str:
    """Leave out what ends the sentence or the bracket around a DOI."""
    while doi and (
        doi[-1] in _TRAILING
        or (doi[-1] in _CLOSERS and doi.count(doi[-1]) > doi.count(_CLOSERS[doi[-1]]))
    ):
        doi = doi[:-1]
    return doi


def with_numbers(source: Source, text: str) -> tuple[Source, ...]:
    """Return the source with the numbers in `text`; more, if it names several works.

    A second number of the same sort is another work's, as in a footnote that lists two
    papers.
    """
    found: list[Source] = [source]
    for field, value in numbers_in(text):
        last = found[-1]
        known = getattr(last, field)
        if known is None:
            found[-1] = _replaced(last, field, value)
        elif known.lower() != value.lower():
            found.append(_replaced(source, field, value))
    return tuple(found)


def is_identified(source: Source) -> bool:
    """Return whether the source has an address or a number."""
    return bool(
        source.url
        or source.archive_url
        or source.doi
        or source.pmid
        or source.pmc
        or source.arxiv
    )


def _replaced(source: Source, field: str, value: str) -> Source:
    changes: dict[str, str] = {field: value}
    return replace(source, **changes)  # type: ignore[arg-type]  # only text fields
