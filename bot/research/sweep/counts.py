"""What is counted of a shard, and of all of them. Pure.

A reason that is counted is one of few; what befell a page in particular is in its row.
"""

from enum import Enum
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

BINS = 20  # of the probability to fail
_MOST_NAMED = 50  # failed pages of a shard; all of them are in its table


class Skipped(Enum):
    """Why a page of the input is not looked at."""

    NAMESPACE = "another namespace"
    REDIRECT = "redirect"
    MODEL = "not wikitext"
    HIDDEN = "its text is hidden or missing"


class Failed(Enum):
    """Why a page that should have been looked at was not."""

    BROKEN = "its XML or file is broken"
    TOO_LARGE = "larger than any wiki saves"
    TOO_LONG = "took too long"
    MEMORY = "took too much memory"
    CRASHED = "the reader crashed on it"
    FAULT = "a fault of the program"
    UNREAD = "the wiki did not give it"


Tally = dict[str, int]


class Counts(BaseModel):
    """Figures of one shard or more; every page is swept, skipped or failed.

    `claims` have citations; what is merely tagged is `uncited`. Of the claims, those
    with a verdict are `scored`, and `outcomes` tells why the others are not. Sources
    are counted once a page.
    """

    model_config = ConfigDict(extra="forbid")

    pages: int = 0
    swept: int = 0
    skipped: Tally = Field(default_factory=dict)
    failed: Tally = Field(default_factory=dict)
    claims: int = 0
    uncited: int = 0
    citations: int = 0
    scored: int = 0
    flagged: int = 0
    verdicts: Tally = Field(default_factory=dict)
    outcomes: Tally = Field(default_factory=dict)
    signs: Tally = Field(default_factory=dict)
    sources: int = 0
    sources_missing: int = 0
    characters: int = 0
    bins: Annotated[list[int], Field(min_length=BINS, max_length=BINS)] = Field(
        default_factory=lambda: [0] * BINS
    )

    def add(self, other: "Counts") -> None:
        """Add the figures of others."""
        for name in type(self).model_fields:
            mine, theirs = getattr(self, name), getattr(other, name)
            if isinstance(mine, dict):
                for reason, number in theirs.items():
                    count(mine, reason, number)
            elif isinstance(mine, list):
                self.bins = [a + b for a, b in zip(mine, theirs, strict=True)]
            else:
                setattr(self, name, mine + theirs)

    def skip(self, why: Skipped) -> None:
        """Count a page that is not looked at."""
        count(self.skipped, why.value)

    def fail(self, why: Failed) -> None:
        """Count a page that could not be looked at."""
        count(self.failed, why.value)

    @property
    def all_failed(self) -> int:
        """Return how many pages failed, for whatever reason."""
        return sum(self.failed.values())


def count(tally: Tally, reason: str, number: int = 1) -> None:
    """Add to the figure of a reason."""
    tally[reason] = tally.get(reason, 0) + number


def bin_of(fails: float) -> int:
    """Return which of the bins a probability belongs to."""
    return min(BINS - 1, max(0, int(fails * BINS)))


def _fileable(text: str) -> str:
    """Return a text that any file takes; names of files may hold halves of characters."""
    return text.encode("utf-8", "replace").decode("utf-8")


Text = Annotated[str, AfterValidator(_fileable)]


class FailedPage(BaseModel):
    """A page that could not be looked at, and why."""

    title: Text
    reason: str
    detail: Text


class DamagedStream(BaseModel):
    """A part of the input that could not be read to its end."""

    file: Text
    offset: int
    reason: str
    pages_lost: int | None = None  # where it is known


class Cost(BaseModel):
    """What a shard took: of its worker and the child that read the pages."""

    cpu_s: float = 0.0
    wall_s: float = 0.0
    most_bytes: int = 0  # of memory, of both together


class Shard(BaseModel):
    """The note of one shard; that it is there says that all of the shard is."""

    number: int
    counts: Counts = Field(default_factory=Counts)
    damaged: list[DamagedStream] = Field(default_factory=list)
    failed: list[FailedPage] = Field(default_factory=list)  # the first ones
    cost: Cost = Field(default_factory=Cost)

    def name_failed(self, title: str, why: Failed, detail: str) -> None:
        """Count a page that failed, and name it among the first."""
        self.counts.fail(why)
        if len(self.failed) < _MOST_NAMED:
            self.failed.append(FailedPage(title=title, reason=why.value, detail=detail))
