"""Reads schema.org statements in JSON-LD: what the page says that it is.

A page that lists other articles embeds statements about those, too. So only a
statement of its own level counts, and only where there is exactly one: of two,
nobody could say which is the page's. Runs in a child process.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from lxml import etree

from bot.sources.extraction.text import clean_line
from handlers.model import Author, DocumentKind

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
_LESS_TELLING = "WebPage"  # most pages state it beside what they are

_Node = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Statement:
    """The fields of one statement; those it lacks are empty."""

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
    told = [node for node in nodes if _type(node)]
    telling = [node for node in told if _type(node) != _LESS_TELLING] or told
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
    """Yield the statements of a script's own level."""
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
        kind=_KINDS[_type(node) or _LESS_TELLING],
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
    """Return what the work is part of, by type: issue, volume and journal nest."""
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
