"""The roles of WiNELL as ports, and the log that a run keeps of their turns.

A role that gets no usable answer from its model says so in its turn, with `None` in the
place of the answer; nothing that a model does makes a role raise.
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


class CriteriaCache(Protocol):
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
class DecidedFact:
    """A fact of a document, and what becomes of it."""

    candidate: CandidateUpdate
    decision: FactDecision


@dataclass(frozen=True, slots=True)
class Facts:
    """What a document gave; `leads` are what to search for next."""

    decided: tuple[DecidedFact, ...] = ()
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


# Of a question to each role: criteria, a move of the navigator, a page to extract from.
_CRITERIA_TOKENS, _MOVE_TOKENS, _PAGE_TOKENS = 3_000, 3_000, 4_000
_ANSWER_TOKENS = 200


@dataclass(frozen=True, slots=True)
class Budget:
    """What a run may take; what a language model may cost is limited where it is asked."""

    steps: int = 60
    time_s: float = 600.0
    updates: int = 40  # as soon as so many were found, it is enough
    found_per_search: int = 5  # many questions with few answers each find more

    @property
    def expected_use(self) -> ModelUse:
        """What a language model takes if all steps are made, without its cost.

        Each is a question to the navigator, and every second one opens a page that the
        extractor is asked about.
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
    """Its steps, what went wrong, and what its turns took of the language model."""

    elapsed_s: Callable[[], float]
    began_s: float
    trace: list[TraceStep] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)
    use: ModelUse = field(default_factory=ModelUse)
    turns: Counter[Role] = field(default_factory=Counter)
    failed: Counter[Role] = field(default_factory=Counter)

    def now_s(self) -> float:
        """Return how long the run has taken."""
        return self.elapsed_s() - self.began_s

    def counted(self, turn: Turn[T], role: Role) -> T:
        """Count what a turn took, and tell what went wrong in it."""
        self.use += turn.use
        self.turns[role] += 1
        if turn.setback is not None:
            self.failed[role] += 1
            why = turn.detail or turn.setback.value
            self.troubles.append(f"the language model as {role.value}: {why}")
            self.tell(role, f"the language model gave no usable answer: {why}")
        return turn.value

    async def answers(self, tools: Tools, query: Query, most: int) -> list[Found]:
        """Put a query to every search, and return the first of each answer, then the next.

        One that fails finds nothing, and does not stop the others.
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
        """Tell what was read at `address` and not taken, and why."""
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
        """Put a step into the trace; `said` are words of a language model."""
        cut = quote[:_LONGEST_QUOTE] if quote else None
        at_s = round(self.now_s(), 3)
        self.trace.append(
            TraceStep(role, what, at_s, address, cut, ignored, update, said)
        )
