"""What a text cites, as tests ask for it."""

from handlers.model import (
    Citation,
    Source,
)
from handlers.page.references import References, find_references
from handlers.page.scan import scan

SMITH = "{{cite book|last=Smith|first=Ann|year=2001|title=Birds}}"


def references_of(wikitext: str) -> References:
    return find_references(scan(wikitext))


def citations_of(wikitext: str) -> list[Citation]:
    return [marker.citation for marker in references_of(wikitext).markers]


def only_source(wikitext: str) -> Source:
    """The source of the one marker, which has one source."""
    (citation,) = citations_of(wikitext)
    (source,) = citation.sources
    return source


def summary(citation: Citation) -> tuple[str, list[str]]:
    """The marker's form and what it leads to."""
    titles = [each.title or each.url or each.raw for each in citation.sources]
    return citation.form.value, titles
