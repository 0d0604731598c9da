"""How well an update is borne out: its sources, and how many of them are independent.

Two independent voices are enough, or a primary source: a journal, what the subject
says of itself. A government's page is one voice, for it seldom is the authority on the
very fact. Of living persons and contentious topics the last does not
count, and neither does a site on whose reliability the wiki has not agreed. Pure.
"""

import re
from collections.abc import Sequence

from handlers.citations.better.reliability import ReliabilityLists
from handlers.model import (
    Backing,
    CandidateUpdate,
    DocumentKind,
    Reliability,
    SourceReading,
    Subject,
    Trust,
    UpdateSource,
)
from handlers.updates.voices import site_of, voices

_ENOUGH_VOICES = 2
_COUNT = frozenset({Trust.RELIABLE, Trust.MIXED, Trust.UNLISTED})
_COUNT_IF_SENSITIVE = frozenset({Trust.RELIABLE, Trust.UNLISTED})
_OWN_SITE = re.compile(
    r"(?:\|\s{0,9}(?:website|homepage)\s{0,9}=\s{0,9}\[?\s{0,9}(?=(?:https?:)?//)"
    r"|\{\{\s{0,9}(?:official (?:website|url)|url)\s{0,9}\|\s{0,9}(?:1\s{0,9}=\s{0,9})?)"
    r"(?:https?:)?/{0,2}([\w.-]{3,200})",
    re.IGNORECASE,
)
_NOT_LETTERS = re.compile(r"[\W_]+")
_SHORTEST_OWN = 5  # letters of a name that is told from a host


def source_of(
    candidate: CandidateUpdate, subject: Subject, lists: ReliabilityLists
) -> UpdateSource:
    """Return the document of a candidate as a source of an update."""
    address = candidate.reading.url or candidate.reading.source.url or ""
    reliability = lists.of(address, subject.page.id.wiki)
    return UpdateSource(
        reading=candidate.reading,
        evidence=candidate.evidence,
        site=site_of(address),
        reliability=reliability,
        dated=candidate.dated,
        basis=candidate.basis,
        probability=candidate.borne_out,
        is_primary=_is_primary(candidate.reading, address, reliability, subject),
        search=candidate.search,
    )


def backing_of(sources: Sequence[UpdateSource], subject: Subject) -> Backing:
    """Return how well `sources` bear an update of the subject out."""
    counted = _COUNT_IF_SENSITIVE if subject.is_sensitive else _COUNT
    fit = [one for one in sources if one.reliability.trust in counted]
    if any(_is_enough(one, subject) for one in fit):
        return Backing.HIGH
    return Backing.HIGH if voices(fit) >= _ENOUGH_VOICES else Backing.LOW


def _is_enough(source: UpdateSource, subject: Subject) -> bool:
    """Whether one source is enough by itself."""
    if not source.is_primary:
        return False
    return not (subject.is_sensitive and _is_own(source.site, subject))


def _is_primary(
    reading: SourceReading, address: str, reliability: Reliability, subject: Subject
) -> bool:
    if not reliability.trust.may_be_recommended:
        return False
    if _is_own(site_of(address), subject):
        return True
    imprint = reading.document.imprint if reading.document else None
    return imprint is not None and imprint.kind is DocumentKind.JOURNAL


def _is_own(site: str, subject: Subject) -> bool:
    """Whether a site is the subject's own: the article says so, or its name does."""
    named = _OWN_SITE.findall(subject.page.wikitext)
    if site in {site_of(f"https://{host}") for host in named}:
        return True
    label = _NOT_LETTERS.sub("", site.partition(".")[0])
    own = {_NOT_LETTERS.sub("", name.casefold()) for name in subject.names}
    return len(label) >= _SHORTEST_OWN and label in own
