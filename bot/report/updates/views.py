"""What a run of update discovery found, as all forms of its report show it."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from bot.report.links import page_href
from handlers.citations.quoting.quotes import quoted
from handlers.model import (
    Backing,
    Discovery,
    Ignored,
    Proposal,
    Quoted,
    TraceStep,
    Update,
    UpdateKind,
    UpdateSource,
)


@dataclass(frozen=True, slots=True)
class SourceView:
    """A source of an update, with its quote."""

    quote: Quoted
    address: str
    site: str
    dated: date | None
    trust: str
    is_primary: bool
    search: str


@dataclass(frozen=True, slots=True)
class UpdateView:
    """An update. `fact` is there only where a policy lets a model's words be shown."""

    number: int
    kind: UpdateKind
    section: tuple[str, ...]
    old: str | None  # what the article says
    header: str | None  # of a value or cell that is outdated
    after: str | None  # the sentence behind which it belongs
    fact: str | None
    sources: tuple[SourceView, ...]
    probability: float
    backing: Backing
    dated: date | None
    edit: Proposal | None
    trace: tuple[TraceStep, ...]


@dataclass(frozen=True, slots=True)
class News:
    """All of a run. `passed_over` counts what was left out by reason.

    Without `shows_facts` no form shows a model's words, those of the trace included.
    """

    discovery: Discovery
    updates: tuple[UpdateView, ...]
    passed_over: tuple[tuple[Ignored, int], ...]
    quotas: tuple[str, ...] = ()
    shows_facts: bool = False

    @property
    def href(self) -> str | None:
        """Where the article is, in the revision that was read."""
        return page_href(self.discovery.subject.page.id)

    @property
    def pages_read(self) -> int:
        """How many pages were opened, those included that could not be read."""
        opened = (one for one in self.discovery.trace if one.what.startswith("opens"))
        return len({one.address for one in opened})


def news(
    discovery: Discovery, *, shows_facts: bool = False, quotas: tuple[str, ...] = ()
) -> News:
    """Return what a report shows of `discovery`.

    Args:
        discovery: the run.
        shows_facts: whether a model's plain statement of a fact may be shown; quotes
            always are.
        quotas: what the search services have left, a line each.
    """
    counts = Counter(one.ignored for one in discovery.trace if one.ignored)
    return News(
        discovery,
        tuple(_updates(discovery, shows_facts=shows_facts)),
        tuple(counts.most_common()),
        quotas,
        shows_facts,
    )


def _updates(discovery: Discovery, *, shows_facts: bool) -> Iterator[UpdateView]:
    edits = {one.update: one for one in discovery.proposals}
    for one in discovery.updates:
        yield UpdateView(
            number=one.number,
            kind=one.kind,
            section=one.section,
            old=one.replaces.text if one.replaces else None,
            header=one.replaces.header if one.replaces else None,
            after=one.after.text if one.after and not one.replaces else None,
            fact=one.text if one.is_worded and shows_facts else None,
            sources=tuple(map(_source, one.sources)),
            probability=one.probability,
            backing=one.backing,
            dated=one.dated,
            edit=edits.get(one.number),
            trace=_trace(discovery, one),
        )


def _source(one: UpdateSource) -> SourceView:
    return SourceView(
        quote=quoted(one.evidence, one.reading),
        address=one.reading.url or one.reading.source.url or one.reading.source.key,
        site=one.site,
        dated=one.dated,
        trust=one.reliability.trust.value,
        is_primary=one.is_primary,
        search=one.search,
    )


def _trace(discovery: Discovery, update: Update) -> tuple[TraceStep, ...]:
    return tuple(one for one in discovery.trace if one.update == update.number)
