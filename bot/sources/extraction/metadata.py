"""What a page says about itself in tags and schema.org JSON-LD.

Reads title, authors, dates and publisher, and what kind of page it claims to be.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import islice
from types import MappingProxyType

from lxml import etree

from bot.sources.extraction.text import clean_line
from handlers.model import Author, DocumentKind, Imprint

_MAX_SCRIPTS = 20
_MAX_CHARS = 400_000  # of one script
_MAX_LISTED = 100
_MAX_VALUE = 500
_KINDS: Mapping[str, DocumentKind | None] = MappingProxyType(
    {
        **dict.fromkeys(("Article", "BlogPosting", "WebPage"), None),
        **dict.fromkeys(
            (
                "NewsArticle",
                "AnalysisNewsArticle",
                "BackgroundNewsArticle",
                "OpinionNewsArticle",
                "ReportageNewsArticle",
                "ReviewNewsArticle",
            ),
            DocumentKind.NEWS,
        ),
        "ScholarlyArticle": DocumentKind.JOURNAL,
        "MedicalScholarlyArticle": DocumentKind.JOURNAL,
        "Book": DocumentKind.BOOK,
        "Report": DocumentKind.REPORT,
        "Thesis": DocumentKind.THESIS,
    }
)
_LESS_SPECIFIC = "WebPage"  # most pages state it in addition to their real type

_Node = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Statement:
    """The fields of one statement; missing ones are empty."""

    kind: DocumentKind | None = None
    title: str | None = None
    authors: tuple[Author, ...] = ()
    site: str | None = None
    work: str | None = None
    publisher: str | None = None
    published: str | None = None
    language: str | None = None
    isbn: str | None = None
    volume: str | None = None
    issue: str | None = None
    identifiers: tuple[str, ...] = ()


def read_linked_data(tree: etree._Element) -> Statement:
    """Return the one statement that the page makes about itself, or an empty one."""
    nodes = [node for script in _scripts(tree) for node in _nodes(script)]
    lines = [node for node in nodes if _type(node)]
    telling = [node for node in lines if _type(node) != _LESS_SPECIFIC] or lines
    return _statement(telling[0]) if len(telling) == 1 else Statement()


def _scripts(tree: etree._Element) -> Iterator[object]:
    found = 0
    for script in tree.iter("script"):
        if (script.get("type") or "").strip().lower() != "application/ld+json":
            continue
        found += 1
        text = script.text or ""
        if found > _MAX_SCRIPTS or len(text) > _MAX_CHARS:
            return
        try:
            yield json.loads(text, strict=False)
        except (ValueError, RecursionError):
            continue


def _nodes(content: object) -> Iterator[_Node]:
    """Yield the statements at a script's top level."""
    for each in _listed(content):
        if isinstance(each, Mapping):
            yield each
            yield from (
                node
                for node in _listed(each.get("@graph"))
                if isinstance(node, Mapping)
            )


def _listed(value: object) -> list[object]:
    listed = value if isinstance(value, list) else [value]
    return listed[:_MAX_LISTED]


def _type(node: _Node) -> str | None:
    types = (str(each).rpartition("/")[2] for each in _listed(node.get("@type")))
    return next((each for each in types if each in _KINDS), None)


def _statement(node: _Node) -> Statement:
    part_of = _parts(node)
    return Statement(
        kind=_KINDS[_type(node) or _LESS_SPECIFIC],
        title=_line(node.get("headline")) or _line(node.get("name")),
        authors=tuple(_authors(node.get("author"))),
        site=_named(part_of.get("WebSite")),
        work=_named(part_of.get("Periodical") or part_of.get("Newspaper")),
        publisher=_named(node.get("publisher")),
        published=_line(node.get("datePublished")),
        language=_line(node.get("inLanguage")),
        isbn=_line(node.get("isbn")),
        volume=_line(_field(part_of.get("PublicationVolume"), "volumeNumber")),
        issue=_line(_field(part_of.get("PublicationIssue"), "issueNumber")),
        identifiers=tuple(_identifiers(node)),
    )


def _parts(node: _Node) -> dict[str, _Node]:
    """Return what the work is part of, by type: issues, volumes and journals nest."""
    parts: dict[str, _Node] = {}
    at: object = node
    for _ in range(3):
        part = _field(at, "isPartOf")
        if not isinstance(part, Mapping):
            break
        for name in _listed(part.get("@type")):
            parts.setdefault(str(name), part)
        at = part
    return parts


def _identifiers(node: _Node) -> Iterator[str]:
    for name in ("@id", "identifier", "sameAs"):
        for each in _listed(node.get(name)):
            value = _line(_field(each, "value") if isinstance(each, Mapping) else each)
            if value:
                yield value


def _authors(value: object) -> Iterator[Author]:
    for each in _listed(value):
        name = _named(each)
        if name:
            family, given = _field(each, "familyName"), _field(each, "givenName")
            yield Author(name, _line(family), _line(given))


def _named(value: object) -> str | None:
    return _line(value) or _line(_field(value, "name"))


def _field(value: object, name: str) -> object:
    first = _listed(value)[0] if _listed(value) else None
    return first.get(name) if isinstance(first, Mapping) else None


def _line(value: object) -> str | None:
    if not isinstance(value, str | int) or isinstance(value, bool):
        return None
    line = clean_line(str(value))
    return line if 0 < len(line) <= _MAX_VALUE else None


_DC_ID = ("dc.identifier", "dc.identifier.doi", "bepress_citation_doi")
_MAX_TAGS = 400
_MAX_TIMES = 100
_ASIDES = frozenset({"aside", "nav", "footer"})
_MAX_NAME = 100
_MAX_AUTHORS = 50
_DOI = re.compile(
    r"(?:doi:\s*|info:doi/|https?://(?:dx\.)?doi\.org/)?(10\.\d{4,9}/\S{1,200})",
    re.IGNORECASE | re.ASCII,
)
_DAY = re.compile(r"(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?(?:[T ].*)?", re.ASCII)
_LANGUAGE = re.compile(r"([A-Za-z]{2,3})(?:[-_]\w{2,8})*", re.ASCII)
_SHORT = re.compile(r"[\w.:–-]{1,20}")
_BY = re.compile(r"by:?\s+", re.IGNORECASE)
_ISBN_LENGTHS = {10, 13}
_IMPRINT_KINDS = (
    ("citation_journal_title", DocumentKind.JOURNAL),
    ("citation_conference_title", DocumentKind.CONFERENCE),
    ("citation_conference", DocumentKind.CONFERENCE),
    ("citation_dissertation_institution", DocumentKind.THESIS),
    ("citation_technical_report_institution", DocumentKind.REPORT),
    ("citation_isbn", DocumentKind.BOOK),
    ("book:isbn", DocumentKind.BOOK),
)

_Tags = Mapping[str, tuple[str, ...]]


def read_imprint(tree: etree._Element) -> Imprint:
    """Return what the page states; fields that it does not state are empty.

    Three vocabularies are read: the `citation_…` tags of scholarly publishers,
    schema.org in JSON-LD, and Open Graph with Dublin Core beside it. The first that
    states a field wins. Nothing is inferred: a malformed value is left out, because
    these fields end up in citations. Runs in a child process.
    """
    tags = _tags(tree)
    stated = read_linked_data(tree)
    return Imprint(
        kind=_kind(tags, stated),
        title=_first(tags, "citation_title") or stated.title or _social_title(tags),
        authors=_imprint_authors(tags, stated),
        site=_first(tags, "og:site_name") or stated.site,
        work=_first(
            tags,
            "citation_journal_title",
            "citation_conference_title",
            "citation_conference",
        )
        or stated.work,
        publisher=_first(
            tags, "citation_publisher", "dc.publisher", "dcterms.publisher"
        )
        or stated.publisher,
        published=_published(tags, stated) or _byline_day(tree),
        language=_matching(
            _LANGUAGE, _all(tags, "citation_language", "dc.language"), stated.language
        ),
        doi=_doi(
            (*_all(tags, "citation_doi", "prism.doi", *_DC_ID), *stated.identifiers)
        ),
        isbn=_isbn((*_all(tags, "citation_isbn", "book:isbn"), stated.isbn or "")),
        volume=_matching(_SHORT, _all(tags, "citation_volume"), stated.volume),
        issue=_matching(_SHORT, _all(tags, "citation_issue"), stated.issue),
        pages=_pages(tags),
    )


def _tags(tree: etree._Element) -> _Tags:
    """Return the values of the page's `<meta>` tags by their names, in lower case."""
    found: dict[str, list[str]] = {}
    for number, tag in enumerate(tree.iter("meta")):
        if number >= _MAX_TAGS:
            break
        name = (tag.get("name") or tag.get("property") or "").strip().lower()
        value = clean_line(tag.get("content") or "")
        if name and value and len(value) <= _MAX_VALUE:
            found.setdefault(name, []).append(value)
    return {name: tuple(values) for name, values in found.items()}


def _all(tags: _Tags, *names: str) -> tuple[str, ...]:
    return tuple(value for name in names for value in tags.get(name, ()))


def _first(tags: _Tags, *names: str) -> str | None:
    return next(iter(_all(tags, *names)), None)


def _social_title(tags: _Tags) -> str | None:
    return _first(tags, "og:title", "dc.title", "dcterms.title")


def _kind(tags: _Tags, stated: Statement) -> DocumentKind | None:
    scholarly = next((kind for name, kind in _IMPRINT_KINDS if name in tags), None)
    if scholarly or stated.kind:
        return scholarly or stated.kind
    return DocumentKind.BOOK if _first(tags, "og:type") == "book" else None


def _matching(
    form: re.Pattern[str], values: Iterable[str], other: str | None
) -> str | None:
    candidates = (*values, *((other,) if other else ()))
    return next((value for value in candidates if form.fullmatch(value)), None)


# --- authors ------------------------------------------------------------------


def _imprint_authors(tags: _Tags, stated: Statement) -> tuple[Author, ...]:
    """Return the authors by the first vocabulary that names any.

    Scholarly tags write "Family, Given"; elsewhere a comma can separate anything.
    """
    scholarly = _all(tags, "citation_author", "bepress_citation_author")
    listed = (
        tuple(_inverted(name) for name in scholarly),
        stated.authors,
        tuple(_plain(name) for name in _all(tags, "dc.creator", "dcterms.creator")),
        tuple(_plain(name) for name in _all(tags, "article:author", "author")),
    )
    for authors in listed:
        usable = dict.fromkeys(each for each in authors if _is_name(each.name))
        if usable:
            return tuple(usable)[:_MAX_AUTHORS]
    return ()


def _inverted(name: str) -> Author:
    family, comma, given = (part.strip() for part in name.partition(","))
    if comma and family and given and "," not in given:
        return Author(name, family, given)
    return Author(name)


def _plain(name: str) -> Author:
    return Author(_BY.sub("", name, count=1) if _BY.match(name) else name)


def _is_name(name: str) -> bool:
    """Return whether this can be a name: it has letters and is not an address."""
    return (
        len(name) <= _MAX_NAME
        and "://" not in name
        and "@" not in name
        and any(letter.isalpha() for letter in name)
    )


# --- dates and identifiers ----------------------------------------------------


def _published(tags: _Tags, stated: Statement) -> str | None:
    named = _all(
        tags, "citation_publication_date", "citation_date", "citation_cover_date"
    )
    social = _all(
        tags, "article:published_time", "dcterms.issued", "dc.date.issued", "dc.date"
    )
    candidates = (*named, stated.published or "", *social)
    return next((day for each in candidates if (day := _iso(each))), None)


def _byline_day(tree: etree._Element) -> str | None:
    """Return the day in the one `<time>` that is marked as the page's own.

    That is one marked as a publication date (`pubdate`, `itemprop`), or the first after
    the only `<h1>` and before any other heading; menus and sidebars have dates of other
    pages.
    """
    marked = {
        _iso(_when(each))
        for each in islice(tree.iter("time"), _MAX_TIMES)
        if (each.get("itemprop") == "datePublished" or each.get("pubdate") is not None)
        and not _is_aside(each)
    }
    if len(marked) == 1:
        return marked.pop()
    return None if marked else _iso(_behind_headline(tree))


def _behind_headline(tree: etree._Element) -> str:
    heads = list(islice(tree.iter("h1"), 2))
    if len(heads) != 1:
        return ""
    began = False
    for each in tree.iter("h1", "h2", "h3", "time"):
        if each is heads[0]:
            began = True
        elif began and not _is_aside(each):
            return _when(each) if each.tag == "time" else ""
    return ""


def _is_aside(tag: etree._Element) -> bool:
    return any(above.tag in _ASIDES for above in tag.iterancestors())


def _when(tag: etree._Element) -> str:
    return tag.get("datetime") or tag.get("content") or ""


def _iso(written: str) -> str | None:
    """Return a date in ISO form, as precise as written; `None` if it is not a date."""
    found = _DAY.fullmatch(written.strip())
    if not found:
        return None
    year, month, day = found.groups()
    try:
        checked = date(int(year), int(month or 1), int(day or 1)).isoformat()
    except ValueError:
        return None
    return checked[: 10 if day else 7 if month else 4]


def _doi(candidates: Iterable[str]) -> str | None:
    found = (_DOI.fullmatch(each) for each in candidates)
    return next((each[1] for each in found if each), None)


def _isbn(candidates: Iterable[str]) -> str | None:
    return next((each for each in candidates if _is_isbn(each)), None)


def _is_isbn(written: str) -> bool:
    digits = [sign for sign in written.upper() if sign not in "- "]
    values = [10 if sign == "X" else int(sign) for sign in _valid(digits)]
    if len(values) != len(digits) or len(values) not in _ISBN_LENGTHS:
        return False
    if len(values) == max(_ISBN_LENGTHS):
        return sum(value * (1, 3)[at % 2] for at, value in enumerate(values)) % 10 == 0
    return sum(value * (10 - at) for at, value in enumerate(values)) % 11 == 0


def _valid(signs: list[str]) -> Iterator[str]:
    last = len(signs) - 1
    for at, sign in enumerate(signs):
        if sign in "0123456789" or (sign == "X" and at == last):
            yield sign


def _pages(tags: _Tags) -> str | None:
    first = _matching(_SHORT, _all(tags, "citation_firstpage"), None)
    last = _matching(_SHORT, _all(tags, "citation_lastpage"), None)
    return f"{first}–{last}" if first and last and first != last else first
