"""How well an update is borne out: its sources, and how many of them are independent.

One site is one voice, and so are several that print the same words. Pure.
"""

from collections.abc import Sequence

from handlers.citations.addresses import host_of
from handlers.citations.better.reliability import ReliabilityLists
from handlers.model import Backing, CandidateUpdate, Subject, UpdateSource

_ENOUGH_SITES = 2


def source_of(
    candidate: CandidateUpdate, subject: Subject, lists: ReliabilityLists
) -> UpdateSource:
    """Return the document of a candidate as a source of an update."""
    address = candidate.reading.url or candidate.reading.source.url or ""
    return UpdateSource(
        reading=candidate.reading,
        evidence=candidate.evidence,
        site=host_of(address),
        reliability=lists.of(address, subject.page.id.wiki),
        dated=candidate.dated,
        basis=candidate.basis,
        probability=candidate.borne_out,
        search=candidate.search,
    )


def backing_of(sources: Sequence[UpdateSource], _subject: Subject) -> Backing:
    """Return how well `sources` bear an update of the subject out."""
    sites = {one.site for one in sources}
    is_enough = len(sites) >= _ENOUGH_SITES or any(one.is_primary for one in sources)
    return Backing.HIGH if is_enough else Backing.LOW
