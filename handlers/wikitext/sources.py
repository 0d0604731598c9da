"""What one citation template or link says about its source.

A template's parameters are split at the scan's own pipes; only values that hold
markup themselves go through the library. Pure.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from handlers.model import Source, SourceForm, UrlStatus
from handlers.wikitext.dates import parse_date
from handlers.wikitext.elements import Element
from handlers.wikitext.markup import plain_text, unescape
from handlers.wikitext.parameters import parameters_of
from handlers.wikitext.template_names import FIELD_NAMES, IDENTIFIERS, PEOPLE

_URL = re.compile(r"(?:https?|ftp)://[^\s<>\[\]{}|\"]++", re.IGNORECASE)
_HOST = re.compile(r"(?://|www\.)[^\s<>\[\]{}|\"]++", re.IGNORECASE)
_TRAILING = ".,;:!?'"  # what MediaWiki leaves out at the end of a bare URL
_SEPARATORS = str.maketrans("", "", "-_ ")
_INNER_NUMBER = re.compile(r"(author|editor)(\d{1,2})(\w+)")
_MOST_PEOPLE = 99
_MOST_INITIALS = 3
_IDENTIFIER = re.compile(r"\{\{\s*+(\w{1,10})\s*+\|([^{}|]{1,100})")
_URL_STATUSES = {
    "live": UrlStatus.LIVE,
    "no": UrlStatus.LIVE,
    "n": UrlStatus.LIVE,
    "false": UrlStatus.LIVE,
    "nein": UrlStatus.LIVE,
    "non": UrlStatus.LIVE,
    "dead": UrlStatus.DEAD,
    "yes": UrlStatus.DEAD,
    "y": UrlStatus.DEAD,
    "true": UrlStatus.DEAD,
    "ja": UrlStatus.DEAD,
    "oui": UrlStatus.DEAD,
    "deviated": UrlStatus.DEVIATED,
    "unfit": UrlStatus.UNFIT,
    "usurped": UrlStatus.USURPED,
}
_WAYBACK = "https://web.archive.org/web/"

Part = Literal["last", "first", "whole"]


@dataclass(frozen=True, slots=True)
class FullCitation:
    """A source with what short citations know it by."""

    source: Source
    surnames: tuple[str, ...]  # of the authors, else of the editors
    year: str | None  # with its letter, as in "2001a"
    anchor: str | None  # the raw value of `ref`


@dataclass(slots=True)
class _People:
    """The name parts of authors or editors by their number."""

    parts: dict[int, dict[str, str]]

    def in_order(self) -> list[dict[str, str]]:
        return [self.parts[number] for number in sorted(self.parts)]


def read_template(text: str, template: Element) -> FullCitation:
    """Read a full citation such as `{{cite web|…}}`."""
    fields, people = _collect(text, template)
    authors = _listed_authors(fields) or _named(people["author"])
    source = Source(
        form=SourceForm.TEMPLATE,
        raw=text[template.start : template.end],
        template=template.name,
        url=_url(fields.get("url", "")),
        archive_url=_url(fields.get("archive_url", "")),
        archive_date=parse_date(_plain(fields, "archive_date") or ""),
        url_status=_status(fields),
        access_date=parse_date(_plain(fields, "access_date") or ""),
        doi=_plain(fields, "doi"),
        pmid=_plain(fields, "pmid"),
        pmc=_plain(fields, "pmc"),
        arxiv=_plain(fields, "arxiv"),
        isbn=_plain(fields, "isbn"),
        pages=_plain(fields, "pages"),
        quote=_plain(fields, "quote"),
        title=_plain(fields, "title"),
        authors=authors,
        work=_plain(fields, "work") or _plain(fields, "publisher"),
        published=_plain(fields, "published") or _plain(fields, "year"),
    )
    return FullCitation(
        _with_listed_identifiers(source, fields.get("id", "")),
        _surnames(people, fields),
        _plain(fields, "year") or source.published,
        fields.get("ref"),
    )


def read_link(text: str, link: Element) -> Source:
    """Read a source given as `[http://… title]`."""
    raw = text[link.start : link.end]
    address, _, title = text[link.inner_start : link.inner_end].partition(" ")
    found = _URL.match(address) or _HOST.match(address)
    return Source(
        form=SourceForm.URL,
        raw=raw,
        url=_url(found[0] if found else address),
        title=plain_text(title) or None,
    )


def bare_urls(text: str) -> tuple[Source, ...]:
    """Read the sources given as bare URLs in `text`, which holds no links."""
    found = (match[0].rstrip(_TRAILING) for match in _URL.finditer(text))
    return tuple(Source(SourceForm.URL, raw=url, url=_url(url)) for url in found)


def with_identifier(source: Source, text: str, template: Element) -> Source:
    """Add what `{{doi|…}}` and its like beside a source say."""
    field = IDENTIFIERS[template.name]
    values = _values(text, template)
    value = plain_text(values.get("1") or values.get("id") or "")
    if not value or getattr(source, field):
        return source
    return _replaced(source, field, value)


def with_archive(source: Source, text: str, template: Element) -> Source:
    """Add the archived copy that `{{webarchive|…}}` beside a source names."""
    values = _values(text, template)
    day = plain_text(values.get("date") or values.get("datum") or "")
    address = _url(values.get("url") or values.get("1") or values.get("wayback") or "")
    if template.name == "wayback" and address and not address.startswith(_WAYBACK):
        address = f"{_WAYBACK}{day or '*'}/{address}"
    if source.archive_url or not address:
        return source
    return replace(source, archive_url=address, archive_date=parse_date(day))


# --- parameters ---


def _values(text: str, template: Element) -> dict[str, str]:
    return {
        parameter.name.lower(): text[parameter.start : parameter.end]
        for parameter in parameters_of(text, template)
    }


def _collect(text: str, template: Element) -> tuple[dict[str, str], dict[str, _People]]:
    """Return the raw values by our field names, and the people by their role."""
    fields: dict[str, str] = {}
    ranks: dict[str, int] = {}
    people = {"author": _People({}), "editor": _People({})}
    for name, start, end in parameters_of(text, template):
        if start == end:
            continue
        key = name.lower().translate(_SEPARATORS)
        known = FIELD_NAMES.get(key)
        if known is None:
            _collect_person(people, key, text[start:end])
            continue
        field, rank = known
        if rank <= ranks.get(field, rank):
            ranks[field] = rank
            fields[field] = text[start:end]
    _take_positional(fields, text, template)
    return fields, people


def _take_positional(fields: dict[str, str], text: str, template: Element) -> None:
    """`{{cite doi|10.1/2}}` and its like name the source by position."""
    field = IDENTIFIERS.get(template.name.removeprefix("cite "))
    if field and field not in fields:
        fields[field] = _values(text, template).get("1", "")


def _collect_person(people: dict[str, _People], key: str, value: str) -> None:
    inner = _INNER_NUMBER.fullmatch(key)
    if inner:
        base, number = inner[1] + inner[3], int(inner[2])
    else:
        base = key.rstrip("0123456789")
        digits = key[len(base) :]
        number = int(digits) if 0 < len(digits) <= 2 else 1  # noqa: PLR2004 - up to 99
    known = PEOPLE.get(base)
    if known and number <= _MOST_PEOPLE:
        role, part = known
        people[role].parts.setdefault(number, {}).setdefault(part, plain_text(value))


def _plain(fields: Mapping[str, str], name: str) -> str | None:
    value = fields.get(name)
    return (plain_text(value) or None) if value else None


def _status(fields: Mapping[str, str]) -> UrlStatus | None:
    words = (_plain(fields, "url_status") or "").lower().split()
    return _URL_STATUSES.get(words[0]) if words else None


def _url(value: str) -> str | None:
    """Return the address in a value, or `None` if there is none to go to."""
    if "[" not in value and ("{" in value or "<" in value):
        value = plain_text(value)
    found = _URL.search(value)
    if found:
        return unescape(found[0])
    found = _HOST.match(value.strip())
    if found is None:
        return None
    scheme = "https:" if found[0].startswith("//") else "http://"
    return scheme + unescape(found[0])


# --- people ---


def _listed_authors(fields: Mapping[str, str]) -> tuple[str, ...]:
    value = _plain(fields, "authors")
    if not value:
        return ()
    return tuple(name.strip() for name in re.split(r"[;,]", value) if name.strip())


def _named(people: _People) -> tuple[str, ...]:
    names = (
        each.get("whole") or f"{each.get('first', '')} {each.get('last', '')}".strip()
        for each in people.in_order()
    )
    return tuple(name for name in names if name)


def _surnames(
    people: Mapping[str, _People], fields: Mapping[str, str]
) -> tuple[str, ...]:
    for role in ("author", "editor"):
        found = tuple(
            surname
            for each in people[role].in_order()
            if (surname := each.get("last") or each.get("whole"))
        )
        if found:
            return found
    return tuple(_surname(name) for name in _listed_authors(fields))


def _surname(name: str) -> str:
    """Return the surname of "Smith JR" or "John Smith"."""
    first, _, last = name.rpartition(" ")
    initials = last.isupper() and len(last) <= _MOST_INITIALS
    return first if first and initials else last


def _with_listed_identifiers(source: Source, value: str) -> Source:
    """Add those that older citations write as `id={{doi|…}}`."""
    for name, identifier in _IDENTIFIER.findall(value):
        field = IDENTIFIERS.get(name.lower())
        if field and getattr(source, field) is None:
            source = _replaced(source, field, identifier.strip())
    return source


def _replaced(source: Source, field: str, value: str) -> Source:
    changes: dict[str, str] = {field: value}
    return replace(source, **changes)  # type: ignore[arg-type]  # only text fields
