"""The roles of WiNELL as ports: each has an embedded and a model's implementation.

A model's role that gets no usable answer falls back on the embedded one and says so
in its turn; nothing a model does makes a role raise.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from handlers.citations.better.reliability import ReliabilityLists
from handlers.model import (
    CandidateUpdate,
    Criteria,
    Engine,
    Extracted,
    ModelUse,
    Move,
    Page,
    PageId,
    Proposal,
    Ruling,
    Setback,
    SoFar,
    SourceReading,
    Statement,
    Subject,
    Update,
)
from handlers.ports import Search, SourceReader, TextEncoder, Verifier

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Turn(Generic[T]):
    """What a role answers, what asking a model for it took, and what went wrong.

    `setback` tells why the model's word did not count, and the value is the embedded
    role's; `detail` says it in a line for a person.
    """

    value: T
    use: ModelUse = field(default_factory=ModelUse)
    setback: Setback | None = None
    detail: str = ""


class CriteriaMaker(Protocol):
    """Says what belongs into each section of an article (§3.1)."""

    async def criteria(
        self, page: Page, statements: Sequence[Statement]
    ) -> Turn[Criteria]:
        """Return criteria for each section of `page`, in its order."""
        ...


class CriteriaShelf(Protocol):
    """Keeps criteria that a model was asked for, so that each outline is paid for once.

    A shelf that is out of reach gives nothing and keeps nothing; it never raises.
    """

    async def get(
        self, page: PageId, outline_sha256: str, engine: Engine
    ) -> Criteria | None:
        """Return what `engine` said of the page when it had that outline."""
        ...

    async def put(self, page: PageId, criteria: Criteria) -> None:
        """Keep criteria in the place of those that the page had from their engine."""
        ...


class Navigator(Protocol):
    """Chooses what is asked or opened next, or stops (§3.2)."""

    async def next_move(self, subject: Subject, so_far: SoFar) -> Turn[Move]:
        """Return the next move; a document is opened at most once."""
        ...


class Extractor(Protocol):
    """Takes candidate updates from a document (§3.2)."""

    async def extract(
        self, subject: Subject, reading: SourceReading, search: str
    ) -> Turn[Extracted]:
        """Return what `reading`, which has a document, says that may be new.

        Args:
            subject: the article and the days that count.
            reading: of the document.
            search: which one found it.
        """
        ...


class Aggregator(Protocol):
    """Decides what becomes of a candidate (§3.2)."""

    async def rule(
        self, subject: Subject, candidate: CandidateUpdate, found: Sequence[Update]
    ) -> Turn[Ruling]:
        """Return whether to add it, what it replaces or bears out, or why not.

        Args:
            subject: the article.
            candidate: with its place in a document.
            found: the updates so far.
        """
        ...


class Editor(Protocol):
    """Makes the smallest edit that brings an update into its paragraph (§3.3)."""

    async def propose(self, subject: Subject, update: Update) -> Turn[Proposal | None]:
        """Return the edit; `None` where none can be made that passes our checks."""
        ...


@dataclass(frozen=True, slots=True)
class Roles:
    """Who plays; `editor` is `None` where the wiki's policy allows no wording."""

    criteria: CriteriaMaker
    navigator: Navigator
    extractor: Extractor
    aggregator: Aggregator
    editor: Editor | None = None


@dataclass(frozen=True, slots=True)
class Budget:
    """What a run may take; money is the language model's own affair."""

    steps: int = 60
    time_s: float = 600.0
    updates: int = 40  # as soon as so many were found, it is enough
    found_per_search: int = 5  # many questions with few answers each find more


@dataclass(frozen=True, slots=True)
class Means:
    """The tools of a run."""

    searches: tuple[Search, ...]
    sources: SourceReader
    verifier: Verifier
    encoder: TextEncoder
    lists: ReliabilityLists = field(default_factory=lambda: ReliabilityLists(()))
