"""Values of update discovery for tests, each valid by itself."""

from dataclasses import replace
from datetime import date

from handlers.model import (
    CandidateUpdate,
    ClaimKind,
    Criteria,
    Engine,
    Evidence,
    Found,
    Page,
    PageId,
    Passage,
    Reliability,
    SectionCriteria,
    Source,
    SourceFetch,
    SourceForm,
    SourceOutcome,
    SourceText,
    Span,
    Statement,
    Subject,
    Trust,
    Update,
    UpdateKind,
    UpdateSource,
    Window,
)
from handlers.page import parse
from handlers.text.words import words

TODAY = date(2026, 11, 20)
WIKITEXT = """\
'''Harbour Bridge''' is a bridge in Port Example. As of May 2024, it carries 12,000 cars a day.

== History ==
It was opened in 1932 by the mayor.<ref>{{cite web|url=https://old.example/1932|title=O}}</ref>

== References ==
{{reflist}}
"""
FACT = "Harbour Bridge was closed to lorries on 3 October 2026."


def article(text: str = WIKITEXT, title: str = "Harbour Bridge") -> Page:
    """Return a small article."""
    return parse(text, PageId("en.wikipedia.org", title, 7, 70))


def statement(
    text: str = "It was opened in 1932 by the mayor.", **changes: object
) -> Statement:
    """Return a sentence of the article."""
    default = Statement(text, ClaimKind.SENTENCE, ("History",), Span(0, len(text)))
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


def subject(**changes: object) -> Subject:
    """Return the bridge with a lead and two sections, one of which takes no facts."""
    criteria = Criteria(
        (
            SectionCriteria((), ("what matters most",)),
            SectionCriteria(("History",), ("dated events",)),
            SectionCriteria(("References",), (), is_open=False),
        ),
        "0" * 64,
        Engine("outline", "1"),
    )
    default = Subject(
        page=article(),
        names=("Harbour Bridge",),
        statements=(statement(),),
        criteria=criteria,
        window=Window(date(2026, 9, 1), TODAY),
        today=TODAY,
    )
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


def document(
    address: str = "https://news.example/lorries", text: str = f"Today. {FACT}"
) -> SourceFetch:
    """Return a page of news that was read."""
    return SourceFetch(
        Source(SourceForm.URL, raw=address, url=address),
        SourceOutcome.READ,
        "read",
        url=address,
        document=SourceText(text, title="Lorries", published="2026-10-04"),
    )


def candidate(
    address: str = "https://news.example/lorries",
    text: str = FACT,
    **changes: object,
) -> CandidateUpdate:
    """Return a quote of a page of news."""
    read = document(address, f"Today. {text}")
    whole = f"Today. {text}"
    span = Span(7, len(whole))
    passage = Passage(read.source.key, whole, Span(0, len(whole)))
    default = CandidateUpdate(
        text=text,
        evidence=Evidence(passage, text, span, (), 1.0),
        fetch=read,
        dated=date(2026, 10, 4),
        search="folder",
    )
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


def update(number: int = 1, **changes: object) -> Update:
    """Return a new fact with one source."""
    one = candidate()
    source = UpdateSource(
        fetch=one.fetch,
        evidence=one.evidence,
        site="news.example",
        reliability=Reliability(Trust.UNLISTED, "Not listed."),
        dated=one.dated,
    )
    default = Update(number, UpdateKind.NEW_FACT, FACT, ("History",), (source,), 0.9)
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


def found(
    address: str = "https://news.example/lorries",
    title: str = "Harbour Bridge: lorries",
) -> Found:
    """Return a hit of a search."""
    return Found(address, title, "", 1.0, "folder")


def stems(text: str) -> set[str]:
    """Return the stems of a text's words."""
    return {word.stem for word in words(text)}
