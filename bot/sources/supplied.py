"""Texts that a person supplies for sources that could not be read.

Someone has the book, or a subscription. What they supply is read in place of the
source, for one check that only they see: nothing here stores it.
"""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from bot.sources.extraction import TextExtractor
from handlers.citations.addresses import keys_of, normal_key
from handlers.model import Claim, Origin, Source, SourceFetch
from handlers.ports import SourceReader


def cited_as(claims: Iterable[Claim], name: str) -> frozenset[str]:
    """Return the keys of the sources that are cited as `name`.

    Args:
        claims: of the page.
        name: of a `<ref>`, or an address, a DOI or another identifier that is cited.
    """
    wanted = name.strip()
    address = normal_key(wanted)
    citations = [citation for claim in claims for citation in claim.citations]
    by_name = [one.sources for one in citations if one.name == wanted]
    by_address = [
        [source for source in one.sources if address in keys_of(source)]
        for one in citations
    ]
    return frozenset(source.key for some in (*by_name, *by_address) for source in some)


@dataclass(frozen=True, slots=True)
class SuppliedSources:
    """A `SourceReader` that knows some sources from `bodies`, by their keys.

    Everything else is read by `sources`. The type of a body (text, HTML or PDF) is
    detected from its content.
    """

    sources: SourceReader
    extractor: TextExtractor
    bodies: Mapping[str, bytes]
    supplied_at: datetime

    async def read(self, source: Source) -> SourceFetch:
        """Return what was supplied for `source`, else what the reader returns."""
        body = self.bodies.get(source.key)
        if body is None:
            return await self.sources.read(source)
        url = source.url or source.archive_url or ""
        found = await self.extractor.extract(body, content_type=None, url=url)
        return SourceFetch(
            source=source,
            outcome=found.outcome,
            detail=found.detail,
            origin=Origin.SUPPLIED if found.document else None,
            url=source.url or source.archive_url,
            read_at=self.supplied_at,
            content_sha256=hashlib.sha256(body).hexdigest(),
            document=found.document,
        )
