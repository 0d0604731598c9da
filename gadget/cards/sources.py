"""What a filled citation template says about its source. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache

from bot.report.claims import shortcut_href
from bot.report.words import clean, shortened
from gadget.payloads.cards import ReliabilityShown, SourceShown
from handlers.citations.quote_links import host_of, safe_href, source_href, source_title
from handlers.findings import Quoted, Remedy
from handlers.model import PageId, Source
from handlers.page import parse
from handlers.sources.reliability import ReliabilityLists

_NOWHERE = PageId("", "")


@lru_cache(maxsize=1_000)
def filled(citation: str | None) -> Source | None:
    """Return the one source that a citation names."""
    if citation is None:
        return None
    page = parse(f"Words.<ref>{citation}</ref>", _NOWHERE)
    sources = page.claims[0].sources if len(page.claims) == 1 else ()
    return sources[0] if len(sources) == 1 else None


# The sources of a card, each once, with the wiki's rating. Pure.

_TITLE_CHARS = 300
_KEY_CHARS = 1_999


def line(text: str) -> str:
    """Return text of a source or page as a panel can show it, on one line."""
    return shortened(clean(text), _TITLE_CHARS)


@dataclass(slots=True)
class Sources:
    """Collects sources in the order in which they are named."""

    page: PageId
    lists: ReliabilityLists
    shown: list[SourceShown] = field(default_factory=list)
    _places: dict[str, int] = field(default_factory=dict)

    def cited(self, sources: Iterable[Source], quotes: Iterable[Quoted]) -> None:
        """Add what a claim cites; a quote from it may have a better title."""
        titles = {_known_as(quote.source_key): quote for quote in quotes}
        for source in sources:
            quote = titles.get(_known_as(source.key))
            self._add(source.key, self._cited_as(source, quote))

    def _cited_as(self, source: Source, quote: Quoted | None) -> SourceShown:
        href = source_href(source)
        return SourceShown(
            key=_known_as(source.key),
            title=line(quote.title if quote else source_title(source, None)),
            work=_line(source.work or (quote.work if quote else None)),
            published=_line(source.published or (quote.published if quote else None)),
            host=host_of(href),
            href=href,
            reliability=self._regarded(source.url or source.archive_url),
        )

    def quoted(self, quote: Quoted) -> int:
        """Return the index of a quote's source."""
        known = self._places.get(_known_as(quote.source_key))
        if known is not None:
            return known
        shown = SourceShown(
            key=_known_as(quote.source_key),
            title=line(quote.title),
            work=_line(quote.work),
            published=_line(quote.published),
            host=host_of(safe_href(quote.source_key) or quote.href),
            href=safe_href(quote.source_key) or safe_href(quote.href),
            reliability=self._regarded(safe_href(quote.source_key)),
        )
        return self._add(quote.source_key, shown)

    def offered(self, remedy: Remedy) -> int:
        """Return the index of a remedy's source, as its citation names it."""
        href, source = safe_href(remedy.address), filled(remedy.citation)
        shown = SourceShown(
            key=_known_as(remedy.address),
            title=line((source and source.title) or host_of(href) or remedy.address),
            work=_line(source.work if source else None),
            published=_line(source.published if source else None),
            host=host_of(href),
            href=href,
            reliability=self._regarded(href),
        )
        return self._add(remedy.address, shown)

    def _add(self, key: str, shown: SourceShown) -> int:
        known = _known_as(key)
        if known not in self._places:
            self._places[known] = len(self.shown)
            self.shown.append(shown)
        return self._places[known]

    def _regarded(self, address: str | None) -> ReliabilityShown | None:
        if not address:
            return None
        found = self.lists.of(address, self.page.wiki)
        return ReliabilityShown(
            trust=found.trust.name.lower(),
            note=found.note,
            shortcut=found.shortcut,
            href=shortcut_href(self.page, found.shortcut),
            named_by=found.named_by or None,
        )


def _known_as(key: str) -> str:
    """Return the common form of a key, which the store clips and cleans."""
    return clean(key)[:_KEY_CHARS]


def _line(text: str | None) -> str | None:
    return line(text) if text else None
