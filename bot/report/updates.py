"""Newer facts for an article: its old sentences beside dated quotes. Pure."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from bot.report.claims import page_href
from bot.report.to_html import templates
from bot.report.to_json import Json, json_document
from bot.report.to_text import laid_out, texts
from bot.report.words import counted
from handlers.citations.quote_links import quoted
from handlers.findings import Quoted
from handlers.model import (
    Backing,
    Discovery,
    Ignored,
    Proposal,
    TraceStep,
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
    dated_in: str | None  # value of handlers.model.DayPlace
    trust: str
    is_primary: bool
    search: str


@dataclass(frozen=True, slots=True)
class UpdateView:
    """An update. `fact` is only set if a policy lets a model's words be shown."""

    number: int
    kind: UpdateKind
    section: tuple[str, ...]
    old: str | None  # what the article says
    header: str | None  # for a value or cell that is outdated
    after: str | None  # the sentence after which it belongs
    fact: str | None
    sources: tuple[SourceView, ...]
    probability: float
    backing: Backing
    dated: date | None
    edit: Proposal | None
    trace: tuple[TraceStep, ...]


@dataclass(frozen=True, slots=True)
class News:
    """The whole result of a run. `passed_over` counts what was left out, by reason.

    Without `shows_facts` no form shows a model's words, not even in the trace.
    """

    discovery: Discovery
    updates: tuple[UpdateView, ...]
    passed_over: tuple[tuple[Ignored, int], ...]
    quotas: tuple[str, ...] = ()
    shows_facts: bool = False

    @property
    def href(self) -> str | None:
        """A link to the article, in the revision that was read."""
        return page_href(self.discovery.subject.page.id)

    @property
    def pages_read(self) -> int:
        """How many pages were opened, including those that could not be read."""
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
        quotas: what is left of each search service's quota, a line each.
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
    traces: dict[int | None, list[TraceStep]] = defaultdict(list)
    for step in discovery.trace:
        traces[step.update].append(step)
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
            trace=tuple(traces[one.number]),
        )


def _source(one: UpdateSource) -> SourceView:
    return SourceView(
        quote=quoted(one.evidence, one.fetch),
        address=one.fetch.url or one.fetch.source.url or one.fetch.source.key,
        site=one.site,
        dated=one.dated,
        dated_in=one.dated_in.value if one.dated_in else None,
        trust=one.reliability.trust.value,
        is_primary=one.is_primary,
        search=one.search,
    )


def render_html(found: News) -> str:
    """Return one self-contained page with all updates and the trace."""
    run = found.discovery
    return (
        templates()
        .get_template("updates.html")
        .render(news=found, run=run, page=run.subject.page.id)
    )


SCHEMA_VERSION = "1.0"


def render_json(found: News) -> str:
    """Return one JSON document. Every field is there, `null` if it says nothing."""
    run = found.discovery
    page = run.subject.page.id
    # What a section wants is in a model's own words.
    shows_wants = found.shows_facts or not run.subject.criteria.is_worded
    document = {
        "schema_version": SCHEMA_VERSION,
        "page": {
            "wiki": page.wiki,
            "title": page.title,
            "revision_id": page.revision_id,
            "href": found.href,
        },
        "window": run.subject.window,
        "criteria": [
            {
                "section": one.path,
                "wants": one.wants if shows_wants else [],
                "open": one.is_open,
            }
            for one in run.subject.criteria.sections
        ],
        "updates": [_update(one) for one in found.updates],
        "passed_over": {why.name.lower(): count for why, count in found.passed_over},
        "trace": [_step(one, found) for one in run.trace],
        "stopped": run.stopped.name.lower(),
        "troubles": run.troubles,
        "model": run.use,
        "took_s": round(run.took_s, 3),
        "quotas": found.quotas,
    }
    return json_document(document)


def _update(one: UpdateView) -> Json:
    return {
        "number": one.number,
        "kind": one.kind.name.lower(),
        "section": one.section,
        "old": one.old,
        "header": one.header,
        "after": one.after,
        "fact": one.fact,
        "probability": round(one.probability, 4),
        "backing": one.backing.name.lower(),
        "dated": one.dated,
        "sources": [_source_json(source) for source in one.sources],
        "edit": _edit(one.edit) if one.edit else None,
    }


def _source_json(one: SourceView) -> Json:
    return {
        "address": one.address,
        "title": one.quote.title,
        "site": one.site,
        "dated": one.dated,
        "dated_in": one.dated_in,
        "quote": one.quote.quote,
        "href": one.quote.href,
        "reliability": one.trust,
        "primary": one.is_primary,
        "search": one.search,
    }


def _edit(one: Proposal) -> Json:
    return {
        "start": one.span.start,
        "end": one.span.end,
        "before": one.before,
        "after": one.after,
        "citation": one.citation,
        "worded": one.is_worded,
        "refused": one.refused,
    }


def _step(one: TraceStep, found: News) -> Json:
    return {
        "role": one.role.value,
        "what": one.words(with_said=found.shows_facts),
        "at_s": one.at_s,
        "address": one.address,
        "quote": one.quote,
        "ignored": one.ignored.name.lower() if one.ignored else None,
        "update": one.update,
    }


_LEAST_WIDTH = 40
_MOST_SHOWN = 8  # about one screen
_NOUNS: Mapping[UpdateKind, str] = {
    UpdateKind.OUTDATED: "outdated statement",
    UpdateKind.NEW_FACT: "new fact",
    UpdateKind.POINTER: "source worth reading",
}


def render_text(found: News, *, width: int, with_trace: bool = False) -> str:
    """Return the report wrapped to `width` columns; addresses are never broken."""
    counts = Counter(one.kind for one in found.updates)
    filled = (
        texts()
        .get_template("updates.txt")
        .render(
            news=found,
            run=found.discovery,
            page=found.discovery.subject.page.id,
            counts=[
                counted(counts[kind], noun)
                for kind, noun in _NOUNS.items()
                if counts[kind] or kind is UpdateKind.OUTDATED
            ],
            with_trace=with_trace,
            most_shown=_MOST_SHOWN,
        )
    )
    return laid_out(filled, width=max(width, _LEAST_WIDTH))
