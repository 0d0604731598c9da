"""How a run of update discovery goes: moves and rulings, each step told, what it found.

The *navigator* makes moves, the *aggregator* rules on candidates; see
`handlers.updates.discovery`. Every value is frozen. Pure.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from handlers.model.opinions import ModelUse
from handlers.model.searching import Found, Query
from handlers.model.updates import (
    Ignored,
    Proposal,
    Statement,
    Subject,
    Update,
)
from handlers.model.verdicts import Engine


@dataclass(frozen=True, slots=True)
class Add:
    """The article lacks the fact: it belongs into `section`, behind `after`."""

    section: tuple[str, ...]
    after: Statement | None
    probability: float


@dataclass(frozen=True, slots=True)
class Replace:
    """The fact refutes a statement of the article, or an update found before.

    Exactly one of `statement` and `update` is given.
    """

    probability: float
    statement: Statement | None = None
    update: int | None = None  # its number


@dataclass(frozen=True, slots=True)
class Corroborate:
    """An update that was found before has one more source.

    `probability` is that the source states all of the update's text.
    """

    update: int
    probability: float


@dataclass(frozen=True, slots=True)
class Ignore:
    """The fact does not belong into the article; `said` is what a model wrote of it."""

    why: Ignored
    detail: str = ""
    said: str = ""


Ruling = Add | Replace | Corroborate | Ignore


@dataclass(frozen=True, slots=True)
class Ask:
    """The navigator puts a query to every search.

    Where `is_worded`, a model wrote the query, and why.
    """

    query: Query
    why: str
    is_worded: bool = False


@dataclass(frozen=True, slots=True)
class Open:
    """The navigator opens a document that a search found.

    Where `is_worded`, a model wrote why.
    """

    found: Found
    why: str
    is_worded: bool = False


class Stopped(Enum):
    """Why a run ended."""

    NOTHING_LEFT = "there was nothing left to ask or to open"
    ENOUGH = "enough was found"
    STEPS = "the number of steps was used up"
    TIME = "the time was used up"
    MONEY = "the budget of the language model was used up"
    FAILED = "a step failed"


@dataclass(frozen=True, slots=True)
class Stop:
    """The navigator ends the run."""

    why: Stopped = Stopped.NOTHING_LEFT


Move = Ask | Open | Stop


@dataclass(frozen=True, slots=True)
class SoFar:
    """What the navigator may look back on. `hits` are of all queries, best first.

    `refused` tells why its last step could not be taken, if so.
    """

    queries: tuple[Query, ...] = ()
    hits: tuple[Found, ...] = ()
    opened: frozenset[str] = frozenset()  # addresses, normalised
    hints: tuple[str, ...] = ()  # of the aggregator, not yet followed
    updates: tuple[Update, ...] = ()
    steps_left: int = 0
    refused: str = ""


class Role(Enum):
    """Who did a step."""

    CRITERIA = "criteria"
    NAVIGATOR = "navigator"
    SEARCH = "search"
    READER = "reader"
    EXTRACTOR = "extractor"
    AGGREGATOR = "aggregator"
    EDITOR = "editor"


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One line of how a run went, in plain words for a person.

    `what` is in our words and `quote` in those of a source. `said` is what a model
    wrote, which only some wikis let people see: `told` leaves it out elsewhere.
    """

    role: Role
    what: str
    at_s: float  # since the run began
    address: str | None = None
    quote: str | None = None
    ignored: Ignored | None = None
    update: int | None = None  # the number of the update it led to
    said: str = ""

    def words(self, *, with_said: bool) -> str:
        """Return what was done, with the words of a model only where asked for."""
        return f"{self.what}: {self.said}" if with_said and self.said else self.what


@dataclass(frozen=True, slots=True)
class Discovery:
    """What a run found, how, and why it ended; the surest updates first.

    `engine` is the verifier whose probabilities the updates have. `turns` counts how
    often each role was asked, `failed` how often its model gave nothing that counts.
    """

    subject: Subject
    updates: tuple[Update, ...]
    trace: tuple[TraceStep, ...]
    stopped: Stopped
    troubles: tuple[str, ...] = ()
    use: ModelUse = field(default_factory=ModelUse)
    proposals: tuple[Proposal, ...] = ()
    took_s: float = 0.0
    pages_found: int = 0  # by all searches, each page once
    engine: Engine | None = None
    turns: Mapping[Role, int] = field(default_factory=dict)
    failed: Mapping[Role, int] = field(default_factory=dict)
