"""The roles of WiNELL as ports, and what they hand to one another.

A role whose model gives no usable answer returns `None` as the value, with the reason;
nothing that a model does makes a role raise.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from handlers.model import (
    CandidateUpdate,
    Criteria,
    Engine,
    FactDecision,
    IgnoredFact,
    ModelFailure,
    ModelUse,
    Move,
    Page,
    PageId,
    Proposal,
    RunHistory,
    SourceFetch,
    Statement,
    Subject,
    Update,
)
from handlers.ports import (
    Search,
    SourceReader,
    TextEncoder,
    Verifier,
)
from handlers.sources.reliability import ReliabilityLists

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class RoleAnswer(Generic[T_co]):
    """What a role answers, what the model calls for it used, and what went wrong.

    `failure` is why the model's answer did not count; `detail` says so in one line, for
    people.
    """

    value: T_co
    use: ModelUse = field(default_factory=ModelUse)
    failure: ModelFailure | None = None
    detail: str = ""


class CriteriaMaker(Protocol):
    """Says what belongs in each section of an article (§3.1)."""

    async def criteria(
        self, page: Page, statements: Sequence[Statement]
    ) -> RoleAnswer[Criteria]:
        """Return criteria for each section of `page`, in its order."""
        ...


class CriteriaCache(Protocol):
    """Keeps criteria from a model, so that each outline is paid for only once.

    A cache that cannot be reached returns nothing and keeps nothing; it never raises.
    """

    async def get(
        self, page: PageId, outline_sha256: str, engine: Engine
    ) -> Criteria | None:
        """Return what `engine` said about the page with that outline."""
        ...

    async def put(self, page: PageId, criteria: Criteria) -> None:
        """Keep criteria, replacing those of the same page and engine."""
        ...


class Navigator(Protocol):
    """Chooses what is searched for or opened next, or stops (§3.2)."""

    async def next_move(
        self, subject: Subject, history: RunHistory
    ) -> RoleAnswer[Move | None]:
        """Return the next move; a document is opened at most once."""
        ...


@dataclass(frozen=True, slots=True)
class DecidedFact:
    """A fact in a document, and the decision on it, with the reason in plain words."""

    candidate: CandidateUpdate
    decision: FactDecision
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """What a document yielded; `leads` are what to search for next."""

    decided: tuple[DecidedFact, ...] = ()
    ignored_facts: tuple[IgnoredFact, ...] = ()
    leads: tuple[str, ...] = ()


class Extractor(Protocol):
    """Reads a document, and decides on each of its facts (§3.2).

    The paper's extractor and aggregator in one, because both need the article and the
    document, which are most of what a question costs.
    """

    async def extract(
        self,
        subject: Subject,
        fetch: SourceFetch,
        search: str,
        found: Sequence[Update],
    ) -> RoleAnswer[Facts | None]:
        """Return what may be new in `fetch`, which has a document that `search` found.

        `None` means that the document could not be checked.
        """
        ...


@dataclass(frozen=True, slots=True)
class Edited:
    """The edit for an update; without one, `refused` says why.

    `said` are the reasons against a model's edit, which may quote it.
    """

    proposal: Proposal | None
    refused: tuple[str, ...] = ()
    said: tuple[str, ...] = ()


class Editor(Protocol):
    """Makes the smallest edits that add updates to their paragraphs (§3.3)."""

    async def propose(
        self, subject: Subject, updates: Sequence[Update]
    ) -> Sequence[RoleAnswer[Edited]]:
        """Return an answer for each update, in order."""
        ...


@dataclass(frozen=True, slots=True)
class Roles:
    """Who plays which role; `editor` is `None` if no edits are wanted."""

    criteria: CriteriaMaker
    navigator: Navigator
    extractor: Extractor
    editor: Editor | None = None


# For one question to each role: criteria, a navigator's move, a page to extract from.
_CRITERIA_TOKENS, _MOVE_TOKENS, _PAGE_TOKENS = 3_000, 3_000, 4_000
_ANSWER_TOKENS = 200


@dataclass(frozen=True, slots=True)
class Budget:
    """What a run may use; the cost of a language model is limited by its client."""

    steps: int = 60
    time_s: float = 600.0
    updates: int = 40  # a run ends when it has found so many
    found_per_search: int = 5  # many queries with few results each find more

    @property
    def expected_use(self) -> ModelUse:
        """Return what a language model uses if all steps are taken, without its cost.

        Each step is a question to the navigator, and every second one opens a page
        about which the extractor is asked.
        """
        opened = self.steps // 2
        tokens_in = _CRITERIA_TOKENS + self.steps * _MOVE_TOKENS + opened * _PAGE_TOKENS
        calls = 1 + self.steps + opened
        return ModelUse(calls, 0, tokens_in, _ANSWER_TOKENS * calls)


@dataclass(frozen=True, slots=True)
class Tools:
    """The tools of a run."""

    searches: tuple[Search, ...]
    sources: SourceReader
    verifier: Verifier
    encoder: TextEncoder
    lists: ReliabilityLists = field(default_factory=lambda: ReliabilityLists(()))
