"""Wikitext to values: `parse` finds sections, citations and claims. Pure.

The text of a page goes in, a `Page` comes out. Start with `parse` below; in the order of
execution:

- `scan`: one linear pass that finds where markup begins and ends
- `markup`: the elements and parameters that it finds
- `sections`: splits at the headings; redirects and disambiguation pages
- `references`: everything that points to a source
- `footnotes`: which elements cite, and what a footnote contains
- `template_names`: what wikis call their citation templates and parameters
- `sources`: what a citation says about its source
- `identifiers`: addresses and numbers that no parameter names
- `claims`: the words that each group of citations supports
- `tables`: which text or cell a place belongs to
- `paragraphs`: running text as paragraphs and list items
- `prose`: wikitext to what readers see, and back
- `inline_templates`: what common inline templates show
- `sentences`: sentences, and the words that each citation supports
- `article`: the whole page as readers see it
- `statements`: finds a statement again in a later revision, and the tag after it
"""

from handlers.model import Page, PageId
from handlers.page.claims import claims_of
from handlers.page.references import find_references, parted_from_notes
from handlers.page.scan import scan
from handlers.page.sections import find_sections, is_disambiguation, redirect_target


def parse(wikitext: str, page_id: PageId) -> Page:
    """Read a page. Takes time linear in its length and never raises.

    Every `<ref>` that is closed ends up in the citations of a claim, as the definition
    that such a citation leads to, as a note whose own citations are in claims, or in
    `unattached` with the reason.
    """
    found = scan(wikitext)
    sections = find_sections(found)
    references = find_references(found)
    citations, notes = parted_from_notes(wikitext, references)
    read = claims_of(found, sections, citations, references.tags)
    unattached = [*references.unattached, *notes, *read.unattached]
    unattached.sort(key=lambda reference: reference.span.start)
    return Page(
        id=page_id,
        wikitext=wikitext,
        sections=sections,
        claims=read.claims,
        unattached=tuple(unattached),
        tags=references.tags,
        redirect_to=redirect_target(wikitext),
        is_disambiguation=is_disambiguation(wikitext, found.elements),
    )
