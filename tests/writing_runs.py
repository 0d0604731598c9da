"""Findings about the wording of a small article, for tests of what is done with them."""

from dataclasses import replace

from handlers.findings import Suggestion
from handlers.model import IssueKind, Page, PageId, Review, Span, WritingIssue
from handlers.page import parse
from handlers.review.suggestions import suggestions_of

WIKI = "en.wikipedia.org"
TITLE = "Skarholm Mill"
PRAISED = "Its iconic tower is a landmark of the island."
VAGUE = "Some people say that it was the first mill of the island."
WIKITEXT = f"""\
'''Skarholm Mill''' is a windmill on Skarholm.

== Tower ==
{PRAISED}

== History ==
{VAGUE}
"""


def page(wikitext: str = WIKITEXT, revision: int | None = 70) -> Page:
    return parse(wikitext, PageId(WIKI, TITLE, 7, revision))


def puffery(wikitext: str = WIKITEXT, **changes: object) -> WritingIssue:
    """Return that the tower is praised."""
    at = wikitext.index(PRAISED)
    default = WritingIssue(
        kind=IssueKind.PUFFERY,
        criteria=("ww_wtw_1",),
        section=("Tower",),
        span=Span(at, at + len(PRAISED)),
        quote=PRAISED,
        message="“iconic” praises the subject.",
        advice="Say what shows it.",
        guideline="MOS:PUFFERY",
        confidence=0.75,
        marked=(Span(4, 10),),
    )
    return replace(default, **changes)  # type: ignore[arg-type]  # fields by name


def suggestion(**changes: object) -> Suggestion:
    """Return what is kept of that."""
    [found] = suggestions_of(page(), Review(page(), (puffery(),), frozenset()))
    return replace(found, **changes)  # type: ignore[arg-type]  # fields by name
