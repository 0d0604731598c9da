"""What one event or period gave, in a form that is kept on disk until all are done."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from pydantic import TypeAdapter

from bot.research.evaluation.shelf import keep, kept
from bot.research.evaluation.updates.covering import Answers
from handlers.citations.addresses import normal_key
from handlers.model import Discovery, SourceReading, Update


class Configuration(Enum):
    """The engine, the paper's two ablations of it, and the paper's oracle."""

    FULL = "full"
    NO_CRITERIA = "no_criteria"  # section names alone
    SINGLE_QUERY = "single_query"  # the title, and what that finds
    ORACLE = "oracle"  # all pages of the event itself, and no others


@dataclass(frozen=True, slots=True)
class Suggested:
    """A suggestion. `borne_out` is the judge's word on its first source.

    `is_own` tells that a source was returned for this very event, `is_copy` that all of
    its sources repeat a hidden sentence word for word.
    """

    number: int
    kind: str
    text: str
    section: tuple[str, ...]
    probability: float
    backing: str
    addresses: tuple[str, ...]
    is_own: bool
    is_copy: bool
    is_quoted: bool
    borne_out: float
    replaces: str | None = None


@dataclass(frozen=True, slots=True)
class RoleTurns:
    """How often a role had its turn, and how often its model gave nothing usable."""

    role: str
    turns: int
    failed: int


@dataclass(frozen=True, slots=True)
class Run:
    """One run on one event; `answers` are the judge's, for each hidden sentence."""

    stopped: str
    took_s: float
    asked: int
    opened: int
    ignored: Mapping[str, int]
    troubles: tuple[str, ...]
    suggested: tuple[Suggested, ...]
    answers: tuple[Answers, ...]
    turns: tuple[RoleTurns, ...] = ()
    calls: int = 0
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class Gold:
    """A hidden sentence. `reachable` is the judge's word on all pages of the event."""

    sentence: str
    section: tuple[str, ...]
    facts: tuple[str, ...]
    reachable: tuple[float, ...]
    has_source: bool


@dataclass(frozen=True, slots=True)
class EventResult:
    """All runs on one event."""

    event: str
    title: str
    category: str
    pages: int
    sentences: int
    passed_over: int
    gold: tuple[Gold, ...]
    runs: Mapping[Configuration, Run]


RESULT = TypeAdapter(EventResult)


def save(folder: Path, result: EventResult) -> None:
    """Keep what an event gave.

    Raises:
        PermanentError, TemporaryError: it cannot be written.
    """
    keep(_place(folder, result.event), RESULT, result)


def load(folder: Path, event: str) -> EventResult | None:
    """Return what an event gave; `None` where nothing is kept that can be read."""
    return kept(_place(folder, event), RESULT)


def _place(folder: Path, event: str) -> Path:
    return folder / f"{event.replace('/', '_')}.json"


_LONGEST_JUDGED = 100_000  # characters of a page


@dataclass(frozen=True, slots=True)
class Opened:
    """A source of an update, as it was read."""

    address: str
    text: str

    @property
    def judged(self) -> str:
        """As much of its text as a judge reads."""
        return self.text[:_LONGEST_JUDGED]


def sources_of(update: Update) -> tuple[Opened, ...]:
    """Return the sources of an update, at least one."""
    return tuple(_opened(source.reading) for source in update.sources)


def recorded(
    update: Update,
    own: Collection[str],
    *,
    is_copy: bool,
    is_quoted: bool,
    borne_out: float,
) -> Suggested:
    """Return an update as it is kept; `own` are the normal keys of its event's pages."""
    addresses = tuple(source.address for source in sources_of(update))
    return Suggested(
        number=update.number,
        kind=update.kind.name,
        text=update.text,
        section=update.section,
        probability=round(update.probability, 4),
        backing=update.backing.name,
        addresses=addresses,
        is_own=any(normal_key(address) in own for address in addresses),
        is_copy=is_copy,
        is_quoted=is_quoted,
        borne_out=borne_out,
        replaces=update.replaces.text if update.replaces else None,
    )


def run_of(
    found: Discovery, suggested: Iterable[Suggested], answers: tuple[Answers, ...]
) -> Run:
    """Return a run as it is kept."""
    return Run(
        stopped=found.stopped.name,
        took_s=round(found.took_s, 3),
        asked=sum(one.what.startswith("asks ") for one in found.trace),
        opened=sum(one.what.startswith("opens ") for one in found.trace),
        ignored=Counter(one.ignored.name for one in found.trace if one.ignored),
        troubles=found.troubles,
        suggested=tuple(suggested),
        answers=answers,
        turns=tuple(
            RoleTurns(role.value, turns, found.failed.get(role, 0))
            for role, turns in found.turns.items()
        ),
        calls=found.use.calls,
        cost=float(found.use.cost),
    )


def _opened(reading: SourceReading) -> Opened:
    address = reading.url or reading.source.url or ""
    return Opened(address, reading.document.text if reading.document else "")
