"""What is kept of an update beside its suggestion, so that people can judge it.

A suggestion is shown weeks after the run that found it, when nothing else of the run is
at hand: what bears it out, how it was found, and what might be written. Pure.
"""

from dataclasses import dataclass
from datetime import date

from handlers.model.discoveries import TraceStep
from handlers.model.updates import Backing, UpdateKind


@dataclass(frozen=True, slots=True)
class ProposedChange:
    """Words of the page's wikitext, and what is to stand there instead.

    `before` stands on the page exactly once; both are cut to what differs, and as much
    around it as that takes. Where `is_worded`, new words are a model's.
    """

    before: str
    after: str
    is_worded: bool


@dataclass(frozen=True, slots=True)
class UpdateNote:
    """An update as it is shown.

    `statement` is the one that is outdated, or behind which a new fact belongs; it is
    empty where the section has none. `fact` may be a model's words (`is_worded`) and
    `change` too: a wiki's policy decides whether they are shown. `known_keys` are the
    sources that the article cited already. Where `is_sensitive`, nothing of it stands
    on a public page. `why` are the steps that led to it, in their order.
    """

    kind: UpdateKind
    fact: str
    section: tuple[str, ...]
    backing: Backing
    statement: str = ""
    header: str | None = None  # of the infobox or table, as in `Statement`
    dated: date | None = None
    sites: tuple[str, ...] = ()  # independent voices, the best first
    has_primary: bool = False
    is_worded: bool = False
    is_sensitive: bool = False
    known_keys: tuple[str, ...] = ()
    citation: str | None = None  # filled, of the best source
    change: ProposedChange | None = None
    refused: tuple[str, ...] = ()  # why a model's edit was not taken
    why: tuple[TraceStep, ...] = ()
