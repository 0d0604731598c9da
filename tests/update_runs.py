"""Runs of update discovery over a small article, for tests of what is done with them."""

from dataclasses import replace
from datetime import date

from handlers.model import (
    Backing,
    DayPlace,
    Discovery,
    Engine,
    Ignored,
    Page,
    PageId,
    Proposal,
    Reliability,
    Role,
    Span,
    Statement,
    Stopped,
    TraceStep,
    Trust,
    Update,
    UpdateKind,
    UpdateSource,
    Window,
)
from handlers.page import parse
from handlers.updates.subject import statements_of
from tests.handlers.updates import builders

WIKI = "en.wikipedia.org"
TITLE = "Harbour Bridge"
ENGINE = Engine("minilm", "3")
CARS = "As of May 2024, it carries 12,000 cars a day."
OPENED = "It was opened in 1932 by the mayor."
WIKITEXT = f"""\
'''Harbour Bridge''' is a bridge in Port Example. {CARS}

== History ==
{OPENED}<ref>{{{{cite web|url=https://old.example/1932|title=O}}}}</ref>

== Traffic ==
A toll was collected until 1950.

== References ==
{{{{reflist}}}}
"""
MORE_CARS = "In October 2026 the bridge carried 15,500 cars a day, the council said."
CLOSED = "The bridge was closed to lorries on 3 October 2026."


def page(wikitext: str = WIKITEXT, revision: int | None = 70) -> Page:
    return parse(wikitext, PageId(WIKI, TITLE, 7, revision))


def said(text: str, of: Page | None = None) -> Statement:
    """Return the statement of an article that has these words."""
    [found] = [one for one in statements_of(of or page()) if one.text == text]
    return found


def source(
    text: str, address: str = "https://news.example/1", **changes: object
) -> UpdateSource:
    """Return a page of news that says `text`."""
    one = builders.candidate(address, text)
    default = UpdateSource(
        fetch=one.fetch,
        evidence=one.evidence,
        site=address.split("/")[2],
        reliability=Reliability(Trust.UNLISTED, "Not listed."),
        dated=date(2026, 10, 4),
        dated_in=DayPlace.TEXT,
    )
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


def outdated(number: int = 1, *sources: UpdateSource, **changes: object) -> Update:
    """Return that the bridge carries more cars, by two sources."""
    old = said(CARS)
    default = Update(
        number,
        UpdateKind.OUTDATED,
        MORE_CARS,
        old.section,
        sources or (source(MORE_CARS), source(MORE_CARS, "https://other.example/2")),
        0.93,
        replaces=old,
        after=old,
        backing=Backing.HIGH,
    )
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


def new_fact(number: int = 2, *sources: UpdateSource, **changes: object) -> Update:
    """Return that the bridge was closed to lorries, by one source."""
    default = Update(
        number,
        UpdateKind.NEW_FACT,
        CLOSED,
        ("History",),
        sources or (source(CLOSED, "https://news.example/lorries"),),
        0.88,
        after=said(OPENED),
    )
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


def proposal(of: Update, before: str, after: str, **changes: object) -> Proposal:
    """Return an edit of the paragraph `before`."""
    start = WIKITEXT.index(before)
    span = Span(start, start + len(before))
    default = Proposal(of.number, span, before, after, "{{cite news|title=L}}")
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


def discovery(*updates: Update, of: Page | None = None, **changes: object) -> Discovery:
    """Return a run that found `updates`, and ignored one more page."""
    article = of or page()
    subject = builders.subject(
        page=article,
        statements=statements_of(article),
        window=Window(date(2026, 9, 1), date(2026, 11, 20)),
    )
    silent = TraceStep(Role.NAVIGATOR, "without the language model: it is away", 0.1)
    trace = [
        silent,
        TraceStep(Role.NAVIGATOR, "asks “Harbour Bridge”: its title", 0.1),
        TraceStep(Role.SEARCH, "2 new pages", 0.1),
    ]
    for update in updates:
        for one in update.sources:
            address = one.fetch.url
            trace.append(silent)
            trace.append(
                TraceStep(Role.NAVIGATOR, "opens a page: it is new", 1.0, address)
            )
            trace.append(
                TraceStep(
                    Role.AGGREGATOR,
                    update.kind.value,
                    2.0,
                    address,
                    one.evidence.quote,
                    None,
                    update.number,
                )
            )
    trace.append(
        TraceStep(
            Role.EXTRACTOR,
            "it is an opinion",
            3.0,
            "https://blog.example/",
            "I love this bridge.",
            Ignored.OPINION,
        )
    )
    default = Discovery(
        subject, updates, tuple(trace), Stopped.NOTHING_LEFT, engine=ENGINE, took_s=4.0
    )
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name
