"""Reads feeds: RSS 2.0 and its elders, RSS 1.0, and Atom, as sites really write them.

The XML is untrusted: entities are not expanded, nothing is loaded, and what is broken
is read as far as it goes. Names of elements count without their namespaces, for feeds
misuse them. Pure.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from itertools import islice

from lxml import etree

from bot.search.services.dates import day_of, likely

_MOST_ENTRIES = 500
_MOST_CHARS = 20_000  # of one text
_ENTRIES = frozenset({"item", "entry"})
_DAYS = ("published", "pubdate", "date", "issued", "created", "updated", "modified")
_TEXTS = ("description", "summary", "encoded", "content")
_LINKS = frozenset({"link", "guid", "id", "origlink"})
_CODE = re.compile(r"[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,3}")
_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One entry of a feed; texts may hold HTML."""

    address: str
    title: str
    text: str
    day: date | None
    language: str | None = None


def read_feed(body: bytes) -> tuple[FeedEntry, ...] | None:
    """Return the entries of a feed in their order; `None` if it is no feed."""
    parser = etree.XMLParser(
        recover=True,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
        strip_cdata=True,
    )
    try:
        root = etree.fromstring(body.strip(), parser)
    except etree.XMLSyntaxError:
        return None
    if root is None or _name(root) not in {"rss", "rdf", "feed", "channel"}:
        return None
    language = _language(root)
    found = (_entry(one, language) for one in _entries(root))
    return tuple(islice((entry for entry in found if entry.address), _MOST_ENTRIES))


def _entries(root: etree._Element) -> Iterator[etree._Element]:
    """Yield entries; they stand below the root, or below its channel."""
    for one in root:
        if _name(one) in _ENTRIES:
            yield one
        elif _name(one) == "channel":
            yield from (inner for inner in one if _name(inner) in _ENTRIES)


def _entry(entry: etree._Element, language: str | None) -> FeedEntry:
    texts: dict[str, str] = {}
    links: dict[str, str] = {}
    for part in entry:
        name = _name(part)
        if name in _LINKS:
            kind, address = _link(part, name)
            links.setdefault(kind, address)
        elif name in (*_DAYS, *_TEXTS, "title", "language"):
            texts.setdefault(name, _text(part))
    address = links.get("link") or links.get("guid") or links.get("id") or ""
    return FeedEntry(
        address=address if address.startswith(("http://", "https://")) else "",
        title=texts.get("title", ""),
        text=next((texts[name] for name in _TEXTS if texts.get(name)), ""),
        day=next((day for name in _DAYS if (day := _day(texts.get(name, "")))), None),
        language=_code(entry.get(_LANGUAGE) or texts.get("language")) or language,
    )


def _link(part: etree._Element, name: str) -> tuple[str, str]:
    """Return what kind of link it is and where it leads; Atom has several kinds."""
    if name in {"guid", "id"}:
        is_address = (part.get("isPermaLink") or "true").strip().lower() != "false"
        return name, _text(part) if is_address else ""
    if name == "origlink":
        return "link", _text(part)
    relation = (part.get("rel") or "alternate").lower()
    address = (part.get("href") or _text(part)).strip()
    return ("link" if relation == "alternate" else f"link {relation}"), address


def _language(root: etree._Element) -> str | None:
    """Return the language of a whole feed."""
    if told := root.get(_LANGUAGE):
        return _code(told)
    for one in root.iter():
        if _name(one) == "language":
            return _code(_text(one))
        if _name(one) in _ENTRIES:
            return None
    return None


def _code(told: str | None) -> str | None:
    """Return the code of a language, such as "de-at"."""
    code = (told or "").strip().lower()
    return code if _CODE.fullmatch(code) else None


def _text(part: etree._Element) -> str:
    """Return all text inside, in the order of the document; Atom has XHTML there."""
    return "".join(part.itertext())[:_MOST_CHARS].strip()


def _name(part: etree._Element) -> str:
    tag = part.tag
    return tag.rpartition("}")[2].lower() if isinstance(tag, str) else ""


def _day(told: str) -> date | None:
    """Return the day in UTC that a time names, in the form of RSS or of Atom."""
    told = told[:60]
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            at = read(told)
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
        try:
            return likely((at.astimezone(UTC) if at.tzinfo else at).date())
        except OverflowError:
            return None
    day = day_of(told, date.min)  # "5 minutes ago" counts from a day that nobody knows
    return likely(day) if day else None
