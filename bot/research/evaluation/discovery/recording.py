"""What discovery found, as a result that is kept: the form of all its evaluations."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from bot.research.evaluation.discovery.covering import Answers
from bot.research.evaluation.discovery.results import RoleTurns, Run, Suggested
from handlers.citations.addresses import normal_key
from handlers.model import Discovery, SourceReading, Update

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
