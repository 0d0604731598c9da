"""The roles of WiNELL as ports.

A role that gets no usable answer from its model says so in its turn, with `None` in the
place of the answer; nothing that a model does makes a role raise.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from handlers.citations.reliability import ReliabilityLists
from handlers.model import (
    CandidateUpdate,
    Criteria,
    Engine,
    ModelUse,
    Move,
    Page,
    PageId,
    PassedOver,
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
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Turn(Generic[T_co]):
    """What a role answers, what asking a model for it took, and what went wrong.

    `setback` tells why the model's word did not count; `detail` says it in a line for
    a person.
    """

    value: T_co
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

    async def next_move(self, subject: Subject, so_far: SoFar) -> Turn[Move | None]:
        """Return the next move; a document is opened at most once."""
        ...


@dataclass(frozen=True, slots=True)
class Ruled:
    """A fact of a document, and what becomes of it."""

    candidate: CandidateUpdate
    ruling: Ruling


@dataclass(frozen=True, slots=True)
class Facts:
    """What a document gave; `leads` are what to search for next."""

    ruled: tuple[Ruled, ...] = ()
    passed_over: tuple[PassedOver, ...] = ()
    leads: tuple[str, ...] = ()


class Extractor(Protocol):
    """Reads a document, and says of each fact what becomes of it (§3.2).

    The paper's extractor and aggregator: both need the article and the document, which
    are the better part of what a question costs.
    """

    async def extract(
        self,
        subject: Subject,
        reading: SourceReading,
        search: str,
        found: Sequence[Update],
    ) -> Turn[Facts | None]:
        """Return what `reading`, which has a document, says that may be new.

        `None` says that the document could not be checked.

        Args:
            subject: the article and the days that count.
            reading: of the document.
            search: which one found it.
            found: the updates so far.
        """
        ...


@dataclass(frozen=True, slots=True)
class Edited:
    """The edit for an update; without one, `refused` says why.

    `said` are the reasons against a model's edit, which may name words of it.
    """

    proposal: Proposal | None
    refused: tuple[str, ...] = ()
    said: tuple[str, ...] = ()


class Editor(Protocol):
    """Makes the smallest edits that bring updates into their paragraphs (§3.3)."""

    async def propose(
        self, subject: Subject, updates: Sequence[Update]
    ) -> Sequence[Turn[Edited]]:
        """Return a turn for each update, in their order."""
        ...


@dataclass(frozen=True, slots=True)
class Roles:
    """Who plays; `editor` is `None` where no edit is wanted."""

    criteria: CriteriaMaker
    navigator: Navigator
    extractor: Extractor
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
