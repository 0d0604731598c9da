"""What one citation template or link says about its source.

A template's parameters are split at the scan's own pipes; only values that hold
markup themselves go through the library. Pure.
"""

import re
from dataclasses import dataclass, replace
from typing import NamedTuple

from handlers.model import Source, SourceForm, UrlStatus
from handlers.wikitext.dates import parse_date
from handlers.wikitext.elements import Element
from handlers.wikitext.markup import holds_markup, plain_text, unescape
from handlers.wikitext.parameters import parameters_of
from handlers.wikitext.template_names import FIELD_NAMES, IDENTIFIERS, PEOPLE

_URL = re.compile(r"(?:https?|ftp)://[^\s<>\[\]{}\"]++", re.IGNORECASE)
_HOST = re.compile(r"(?://|www\.)[^\s<>\[\]{}|\"]++", re.IGNORECASE)
_TRAILING = ".,;:!?'"  # what MediaWiki leaves out at the end of a bare URL
_SEPARATORS = str.maketrans("", "", "-_ ")
_INNER_NUMBER = re.compile(r"(author|editor)(\d{1,2})(\w+)")
_MOST_DIGITS = 2  # of a person's number
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

# Fields whose value is read otherwise than as plain text.
_NOT_PLAIN = frozenset({"url", "archive_url", "ref", "id"})


class _NamePart(NamedTuple):
    """One parameter that names a person, such as `last2`."""

    role: str  # "author" or "editor"
    number: int
    part: str  # "first", "last" or "whole"
    value: str


@dataclass(frozen=True, slots=True)
class FullCitation:
    """A source with what short citations know it by."""

    source: Source
    year: str | None  # with its letter, as in "2001a"
    anchor: str | None  # the raw value of `ref`
    people: tuple[_NamePart, ...]
    listed: tuple[str, ...]  # authors named in one parameter

    def surnames(self) -> tuple[str, ...]:
        """Return those of the authors, else those of the editors."""
        for role in ("author", "editor"):
            parts = _by_number(self.people, role)
            found = (each.get("last") or each.get("whole") for each in parts)
            surnames = tuple(surname for surname in found if surname)
            if surnames:
                return surnames
        return tuple(_surname(name) for name in self.listed)


def read_template(text: str, template: Element) -> FullCitation:
    """Read a full citation such as `{{cite web|…}}`."""
    collected = _collect(text, template)
    fields, people = collected
    given = fields.get
    _take_positional(fields, text, template)
    listed = _split_names(given("authors"))
    source = Source(
        form=SourceForm.TEMPLATE,
        raw=text[template.start : template.end],
        template=template.name,
        url=_url(fields.get("url", "")),
        archive_url=_url(fields.get("archive_url", "")),
        archive_date=parse_date(given("archive_date", "")),
        url_status=_status(given("url_status", "")),
        access_date=parse_date(given("access_date", "")),
        doi=given("doi"),
        pmid=given("pmid"),
        pmc=given("pmc"),
        arxiv=given("arxiv"),
        isbn=given("isbn"),
        pages=given("pages"),
        quote=given("quote"),
        title=given("title"),
        authors=listed or _full_names(people),
        work=given("work") or given("publisher"),
        published=given("published") or given("year"),
    )
    if "id" in fields:
        source = _with_listed_identifiers(source, fields["id"])
    return FullCitation(
        source, given("year") or source.published, given("ref"), people, listed
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


def _parts(text: str, template: Element) -> list[str]:
    """Return the parameters of a template, "name=value" each."""
    ends = (*template.pipes[1:], template.inner_end)
    return [
        text[pipe + 1 : end] for pipe, end in zip(template.pipes, ends, strict=False)
    ]


class _Collected(NamedTuple):
    """The values of one template by our names for them, and its people."""

    fields: dict[str, str]
    people: tuple[_NamePart, ...]


def _collect(text: str, template: Element) -> _Collected:
    """Read a template's parameters; the hottest loop of reading a page."""
    inner = text[template.inner_start : template.inner_end]
    has_markup = holds_markup(inner)
    if has_markup:
        parts = _parts(text, template)
    else:
        parts = " ".join(inner.split()).split("|")[1:]
    fields: dict[str, str] = {}
    ranks: dict[str, int] = {}
    unknown: list[tuple[str, str]] = []
    for part in parts:
        name, _, value = part.partition("=")
        key = name.strip().lower()
        known = FIELD_NAMES.get(key) or FIELD_NAMES.get(key.translate(_SEPARATORS))
        if known is None:
            unknown.append((key, value))
        elif value and not value.isspace() and known[1] <= ranks.get(*known):
            field, ranks[field] = known
            fields[field] = value.strip()
    if has_markup:
        fields = _without_markup(fields)
    return _Collected(fields, _people(unknown))


def _without_markup(fields: dict[str, str]) -> dict[str, str]:
    return {
        field: value
        for field, raw in fields.items()
        if (value := raw if field in _NOT_PLAIN else plain_text(raw))
    }


def _people(parameters: list[tuple[str, str]]) -> tuple[_NamePart, ...]:
    people = []
    for name, value in parameters:
        key = name.translate(_SEPARATORS)
        base = key.rstrip("0123456789")
        number = key[len(base) :]
        known = PEOPLE.get(base)
        if known is None and (inner := _INNER_NUMBER.fullmatch(key)):
            number = inner[2]
            known = PEOPLE.get(inner[1] + inner[3])
        if known and len(number) <= _MOST_DIGITS and (plain := plain_text(value)):
            people.append(_NamePart(known[0], int(number or 1), known[1], plain))
    return tuple(people)


def _take_positional(fields: dict[str, str], text: str, template: Element) -> None:
    """`{{cite doi|10.1/2}}` and its like name the source by position."""
    field = IDENTIFIERS.get(template.name.removeprefix("cite "))
    if field and field not in fields:
        fields[field] = _values(text, template).get("1", "")


def _status(value: str) -> UrlStatus | None:
    words = value.lower().split()
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


def _split_names(value: str | None) -> tuple[str, ...]:
    if not value:
        return ()
    return tuple(name.strip() for name in re.split(r"[;,]", value) if name.strip())


def _full_names(people: tuple[_NamePart, ...]) -> tuple[str, ...]:
    names = (
        each.get("whole") or f"{each.get('first', '')} {each.get('last', '')}".strip()
        for each in _by_number(people, "author")
    )
    return tuple(name for name in names if name)


def _by_number(people: tuple[_NamePart, ...], role: str) -> list[dict[str, str]]:
    numbered: dict[int, dict[str, str]] = {}
    for each in people:
        if each.role == role:
            numbered.setdefault(each.number, {}).setdefault(each.part, each.value)
    return [numbered[number] for number in sorted(numbered)]


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
