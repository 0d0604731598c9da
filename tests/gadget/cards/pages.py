"""Edits made to pages as a reader's script makes them."""

from collections import Counter

from gadget.cards.edits import Places
from gadget.payloads.cards import Edit
from handlers.model import Claim, Page, PageId
from handlers.page import parse

HERE = PageId("en.wikipedia.org", "A page", revision_id=7)


def page_of(wikitext: str) -> Page:
    return parse(wikitext, HERE)


def applied(section: str, edit: Edit) -> str:
    """Return a section's wikitext after an edit, whose words stand there once."""
    words = edit.before + edit.old + edit.after
    at = section.find(words)
    assert at >= 0, "the words of the edit are not there"
    assert section.find(words, at + 1) < 0, "they are there more than once"
    changed = edit.before + edit.new + edit.after
    return section[:at] + changed + section[at + len(words) :]


def edited(page: Page, edit: Edit) -> str:
    """Return the whole page after an edit of one of its sections."""
    places = Places(page)
    [stretch] = {
        stretch.start: stretch
        for section in page.sections
        if (stretch := places.stretch_at(section.span.start)).number == edit.section
    }.values()
    end = stretch.start + len(stretch.text)
    assert page.wikitext[stretch.start : end] == stretch.text
    changed = applied(stretch.text, edit)
    return page.wikitext[: stretch.start] + changed + page.wikitext[end:]


def statements(claims: tuple[Claim, ...]) -> Counter[tuple[str, tuple[str, ...]]]:
    """Return what claims say and cite, and how often."""
    return Counter(
        (claim.text, tuple(source.key for source in claim.sources)) for claim in claims
    )
