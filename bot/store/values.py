"""What goes into the store and what comes out of it. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from handlers.findings import Suggestion
from handlers.model import (
    Claim,
    ClaimCheck,
    ClaimKind,
    Consultation,
    Engine,
    Flag,
    Origin,
    Page,
    PageId,
    Probabilities,
    SourceOutcome,
    Stopped,
    TraceStep,
    Verdict,
    Window,
)


class CheckedPage(Protocol):
    """One run over a page, as `bot.report.PageReport` is."""

    @property
    def page(self) -> Page:
        """The page that was checked."""
        ...

    @property
    def checks(self) -> Sequence[ClaimCheck]:
        """The results, one for each claim."""
        ...

    @property
    def engine(self) -> Engine:
        """Who decided."""
        ...

    @property
    def checked_at(self) -> datetime:
        """When the run ended, with its time zone."""
        ...

    @property
    def consultation(self) -> Consultation | None:
        """What asking a language model took; `None` where none is set up."""
        ...


@dataclass(frozen=True, slots=True)
class CheckCounts:
    """How many claims a run found, and how many of them have which verdict."""

    claims: int
    supported: int
    partially_supported: int
    not_supported: int
    contradicted: int
    unchecked: int


@dataclass(frozen=True, slots=True)
class KeptReading:
    """What came of reading a source in a run; its text is not kept."""

    source_key: str
    outcome: SourceOutcome
    detail: str
    url: str | None
    origin: Origin | None
    read_at: datetime | None
    content_sha256: str | None
    http_status: int | None


@dataclass(frozen=True, slots=True)
class KeptClaim:
    """The result of one claim of a run; `verdict` is `None` if not checked.

    It is of the look at `looked_at`, in this run or an earlier one; see
    `handlers.citations.due_checks`.
    """

    text: str
    kind: ClaimKind
    section: tuple[str, ...]
    verdict: Verdict | None
    probabilities: Probabilities | None
    advice: str | None
    readings: tuple[KeptReading, ...]
    looked_at: datetime
    fingerprint: str | None  # `None`: not known, or no longer of use


@dataclass(frozen=True, slots=True)
class Carried:
    """A claim as it stands on the page now, and what came of it in an earlier run."""

    claim: Claim
    result: KeptClaim


@dataclass(frozen=True, slots=True)
class KeptCheck:
    """One run over a page, claims in the order they stand in it."""

    page: PageId
    engine: Engine
    checked_at: datetime
    counts: CheckCounts
    claims: tuple[KeptClaim, ...]


@dataclass(frozen=True, slots=True)
class KeptSuggestion:
    """A suggestion and its life so far.

    `suggestion.page` and `suggestion.engine` are those of the run that found it
    last, at `last_seen`. `closed_at` is the time of the run that no longer
    found it.
    """

    suggestion: Suggestion
    first_seen: datetime
    last_seen: datetime
    closed_at: datetime | None


@dataclass(frozen=True, slots=True)
class KeptDiscovery:
    """One run of update discovery over a page, and all that it did."""

    page: PageId
    searched_at: datetime
    window: Window
    updates: int
    stopped: Stopped
    took_s: float
    engine: Engine
    trace: tuple[TraceStep, ...]
    troubles: tuple[str, ...]
    is_sensitive: bool = False


@dataclass(frozen=True, slots=True)
class RankedSuggestion:
    """An open suggestion without its texts: what it is chosen and sorted by."""

    identity: str
    title: str
    section: tuple[str, ...]
    kind: str  # one of `handlers.registry.KINDS`
    verdict: Verdict
    probability: float
    engine: Engine
    flag: Flag | None
    is_sensitive: bool = False


@dataclass(frozen=True, slots=True)
class PageLook:
    """The last run over a page, as far as it is told of beside its suggestions.

    The claims of `check` are only those without a verdict; `gone` are the keys of the
    sources that were not there.
    """

    check: KeptCheck
    gone: frozenset[str]
