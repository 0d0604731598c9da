"""What would serve a claim better: another source, or an earlier copy of its own."""

from dataclasses import dataclass
from datetime import date
from enum import Enum

from handlers.model.fetches import SourceFetch
from handlers.model.verdicts import Engine, Evidence


class Trust(Enum):
    """How the wiki's own lists, or its rules, regard a source."""

    RELIABLE = "generally reliable"
    MIXED = "no consensus on its reliability"
    UNLISTED = "not on the list of discussed sources"
    UNRELIABLE = "generally unreliable"
    DEPRECATED = "deprecated"
    BLACKLISTED = "blacklisted"
    MIRROR = "copy of a wiki"
    SELF_PUBLISHED = "self-published or written by users"
    PREDATORY = "listed as predatory publishing"
    QUESTIONED = "on an old list of questioned publishers"  # says little by itself

    @property
    def may_be_recommended(self) -> bool:
        """Whether such a source may be shown to a Wikipedia editor."""
        return self in {Trust.RELIABLE, Trust.MIXED, Trust.UNLISTED}

    @property
    def asks_for_another(self) -> bool:
        """Whether that by itself is a reason to ask for a better source."""
        return not self.may_be_recommended and self is not Trust.QUESTIONED


@dataclass(frozen=True, slots=True)
class Reliability:
    """How a source is regarded, why, and where that was discussed."""

    trust: Trust
    note: str  # one plain sentence
    shortcut: str | None = None  # such as "WP:FORBES"
    named_by: str = ""  # the list that says so


@dataclass(frozen=True, slots=True)
class Recommendation:
    """A source that supports a claim better than what the claim cites.

    `present` is the probability of the present citation, `None` where none was read.
    `evidence.quote` is in the source, but for line breaks.
    """

    fetch: SourceFetch
    evidence: Evidence
    probability: float  # that it supports the claim
    present: float | None
    template: str  # wikitext, every field stated by the page; may be empty
    reliability: Reliability
    search: str  # which one found it
    engine: Engine  # that judged it


@dataclass(frozen=True, slots=True)
class Contrary:
    """A source that says otherwise, where no source was found that agrees."""

    fetch: SourceFetch
    evidence: Evidence
    probability: float  # that it contradicts the claim
    reliability: Reliability
    search: str


@dataclass(frozen=True, slots=True)
class BetterSources:
    """The result of a search for a better source; at most one of the two is set."""

    recommendation: Recommendation | None
    contrary: Contrary | None
    candidates_read: int
    troubles: tuple[str, ...] = ()  # searches that could not be asked, and why


@dataclass(frozen=True, slots=True)
class Drift:
    """A cited page said this when it was cited, and no longer does.

    `archived` is the capture that supports the claim. `template` is the citation with
    that capture filled in, if it is one that we can fill.
    """

    archived: SourceFetch
    evidence: Evidence
    probability: float  # that the capture supports the claim
    present: float  # the same of today's page
    cited_on: date | None  # the access date that the citation gives
    archive_url: str  # as a reader opens it
    template: str | None
