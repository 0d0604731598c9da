"""A paragraph full of markup, and updates of it for the editor's tests."""

from dataclasses import replace

from handlers.model import ClaimKind, Page, Statement, Subject, Update, UpdateKind
from handlers.page.article import stated
from tests.handlers.updates.builders import FACT, article, candidate, subject, update

CITE = "{{cite web|url=https://old.example/1932|title=Opened}}"
WIKITEXT = f"""\
{{{{Infobox bridge
| name = Harbour Bridge
| length = 820 metres
| traffic = 12,000<ref name="count">{CITE}</ref>
}}}}
'''Harbour Bridge''' is a [[road bridge|bridge]] in [[Port Example]].<ref name="count" /> As \
of May 2024, it carries 12,000 cars a day{{{{efn|Lorries included.}}}} and is run by \
''[[Port Example]] Bridges''.<ref>{CITE}</ref>{{{{rp|12}}}} It has 3&nbsp;towers.

== History ==
It was opened in 1932 by the mayor, [[Ann Example|Ms Example]].<ref>{{{{cite book|title=B}}}}</ref>
* A toll was taken until 1950

{{| class="wikitable"
! Year !! Cars
|-
| 2024 || 12,000
|}}

== See also ==
{{{{portal|Bridges}}}}
[[Category:Bridges]]
"""
FIGURE = (
    "As of May 2024, it carries 12,000 cars a day and is run by Port Example Bridges."
)
OPENED = "It was opened in 1932 by the mayor, Ms Example."


def bridge(wikitext: str = WIKITEXT, wiki: str | None = None) -> Subject:
    """Return the article as a subject."""
    page = article(wikitext)
    if wiki:
        page = on(page, wiki)
    return subject(page=page, statements=())


def on(page: Page, wiki: str) -> Page:
    """Return the page as one of another wiki."""
    return replace(page, id=replace(page.id, wiki=wiki))


def says(subject: Subject, text: str, kind: ClaimKind | None = None) -> Statement:
    """Return the statement of the article with these words."""
    for one in stated(subject.page):
        if one.text == text and kind in (None, one.kind):
            return Statement(one.text, one.kind, one.section, one.span)
    raise AssertionError(f"the article does not say “{text}”")


def outdated(statement: Statement, text: str = FACT, quote: str = "") -> Update:
    """Return an update that says otherwise than a statement."""
    return with_words(
        text,
        quote,
        kind=UpdateKind.OUTDATED,
        replaces=statement,
        section=statement.section,
    )


def with_words(text: str, quote: str = "", **changes: object) -> Update:
    """Return an update with the words of its source."""
    one = candidate(text=quote or text)
    [source] = update().sources
    known = replace(source, fetch=one.fetch, evidence=one.evidence)
    return replace(update(text=text, sources=(known,)), **changes)  # type: ignore[arg-type]  # fields by name
