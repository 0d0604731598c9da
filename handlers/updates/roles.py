"""The roles of WiNELL as ports, and a run's log of their turns.

A role that gets no usable answer from its model says so in its turn, with `None`
instead of an answer; nothing that a model does makes a role raise.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from handlers.citations.reliability import ReliabilityLists
from handlers.model import (
    CandidateUpdate,
    Criteria,
    Engine,
    FactDecision,
    Finds,
    Found,
    Ignored,
    ModelUse,
    Move,
    Page,
    PageId,
    PassedOver,
    Proposal,
    Query,
    Role,
    Setback,
    SoFar,
    SourceReading,
    Statement,
    Subject,
    TraceStep,
    Update,
)
from handlers.ports import (
    PermanentError,
    Search,
    SourceReader,
    TemporaryError,
    TextEncoder,
    Verifier,
)

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Turn(Generic[T_co]):
    """What a role answers, what the model calls for it used, and what went wrong.

    `setback` is why the model's answer did not count; `detail` says so in one line, for
    people.
    """

    value: T_co
    use: ModelUse = field(default_factory=ModelUse)
    setback: Setback | None = None
    detail: str = ""


class CriteriaMaker(Protocol):
    """Says what belongs in each section of an article (§3.1)."""

    async def criteria(
        self, page: Page, statements: Sequence[Statement]
    ) -> Turn[Criteria]:
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

    async def next_move(self, subject: Subject, so_far: SoFar) -> Turn[Move | None]:
        """Return the next move; a document is opened at most once."""
        ...


@dataclass(frozen=True, slots=True)
class DecidedFact:
    """A fact in a document, and the decision on it."""

    candidate: CandidateUpdate
    decision: FactDecision


@dataclass(frozen=True, slots=True)
class Facts:
    """What a document yielded; `leads` are what to search for next."""

    decided: tuple[DecidedFact, ...] = ()
    passed_over: tuple[PassedOver, ...] = ()
    leads: tuple[str, ...] = ()


class Extractor(Protocol):
    """Reads a document, and decides on each of its facts (§3.2).

    The paper's extractor and aggregator in one, because both need the article and the
    document, which are most of what a question costs.
    """

    async def extract(
        self,
        subject: Subject,
        reading: SourceReading,
        search: str,
        found: Sequence[Update],
    ) -> Turn[Facts | None]:
        """Return what may be new in `reading`, which has a document that `search` found.

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
    ) -> Sequence[Turn[Edited]]:
        """Return a turn for each update, in order."""
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


_LONGEST_QUOTE = 300  # characters


@dataclass(slots=True)
class Log:
    """A run's steps, what went wrong, and what its turns used of the language model."""

    elapsed_s: Callable[[], float]
    began_s: float
    trace: list[TraceStep] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)
    use: ModelUse = field(default_factory=ModelUse)
    turns: Counter[Role] = field(default_factory=Counter)
    failed: Counter[Role] = field(default_factory=Counter)

    def now_s(self) -> float:
        """Return how long the run has taken, in seconds."""
        return self.elapsed_s() - self.began_s

    def counted(self, turn: Turn[T], role: Role) -> T:
        """Count what a turn used, and record what went wrong in it."""
        self.use += turn.use
        self.turns[role] += 1
        if turn.setback is not None:
            self.failed[role] += 1
            why = turn.detail or turn.setback.value
            self.troubles.append(f"the language model as {role.value}: {why}")
            self.tell(role, f"the language model gave no usable answer: {why}")
        return turn.value

    async def answers(self, tools: Tools, query: Query, most: int) -> list[Found]:
        """Send a query to every search; return the first result of each, then the next.

        A search that fails finds nothing and does not stop the others.
        """
        found = await asyncio.gather(
            *(self._answer(one, query, most) for one in tools.searches)
        )
        longest = max(map(len, found), default=0)
        return [one[at] for at in range(longest) for one in found if at < len(one)]

    async def _answer(self, search: Search, query: Query, most: int) -> Sequence[Found]:
        try:
            found = await search.search(query, limit=most)
        except (PermanentError, TemporaryError) as error:
            try:
                name = search.name
            except (PermanentError, TemporaryError):
                name = "a search"
            message = str(error)
            self.troubles.append(message if name in message else f"{name}: {message}")
            return ()
        if isinstance(found, Finds):
            self.troubles.extend(found.troubles)
        return found

    def tell_passed_over(self, passed_over: Iterable[PassedOver], address: str) -> None:
        """Record what was read at `address` but not accepted, and why."""
        for one in passed_over:
            self.tell(
                Role.EXTRACTOR,
                one.detail or one.why.value,
                address=one.address or address,
                quote=one.quote,
                ignored=one.why,
                said=one.said,
            )

    def tell(
        self,
        role: Role,
        what: str,
        *,
        address: str | None = None,
        quote: str | None = None,
        ignored: Ignored | None = None,
        update: int | None = None,
        said: str = "",
    ) -> None:
        """Add a step to the trace; `said` are words of a language model."""
        cut = quote[:_LONGEST_QUOTE] if quote else None
        at_s = round(self.now_s(), 3)
        self.trace.append(
            TraceStep(role, what, at_s, address, cut, ignored, update, said)
        )
