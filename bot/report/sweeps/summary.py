"""What a sweep came to, in figures and in the lines that stand out. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Line:
    """A claim that stands out; `fails` is `None` where no source was at hand."""

    title: str
    section: tuple[str, ...]
    claim: str
    link: str | None
    address: str | None
    verdict: str | None
    fails: float | None
    flag: str | None
    quote: str | None
    sign: str
    url_depth: int | None


@dataclass(frozen=True, slots=True)
class HostLine:
    """A host that is cited; `expected_failing` is the sum of its probabilities."""

    host: str
    claims: int
    scored: int
    expected_failing: float
    flagged: int
    at_sight: int


@dataclass(frozen=True, slots=True)
class Trouble:
    """A page or a part of the input that could not be read, and why."""

    what: str
    why: str


@dataclass(frozen=True, slots=True)
class SweepSummary:
    """All of a sweep that is shown.

    `pages` were seen in the input; each of them was swept, skipped or failed. The
    `bins` count scored claims by their probability to fail, in equal steps up to 1.
    """

    inputs: tuple[str, ...]
    engine: str
    made_at: datetime
    parts: int
    parts_of: int | None  # how many there are, where that is known
    pages: int
    swept: int
    skipped: Mapping[str, int]
    failed: Mapping[str, int]
    claims: int
    uncited: int
    citations: int
    scored: int
    flagged: int
    verdicts: Mapping[str, int]
    outcomes: Mapping[str, int]
    signs: Mapping[str, int]
    sources: int
    sources_missing: int
    characters: int
    bins: tuple[int, ...]
    pages_lost: int
    lost_unknown: int  # damaged parts of which nobody knows how many pages they had
    cpu_s: float
    most_bytes: int
    hosts: tuple[HostLine, ...]
    worst: tuple[Line, ...]
    at_sight: tuple[Line, ...]
    failed_pages: tuple[Trouble, ...]
    damaged: tuple[Trouble, ...]
    undone: tuple[str, ...]

    @property
    def is_whole(self) -> bool:
        """Whether every part of the input has its shard."""
        return not self.undone and self.parts_of in {None, self.parts}
