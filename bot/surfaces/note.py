"""A suggestion as it is put before people, with what the wiki's policy allows. Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from bot.records.watches import Policy
from bot.wiki.escaping import WikiSafe, external_link, page_link, text
from bot.wiki.keys import TOKEN, Keys, Purpose
from handlers.citations.quote_links import host_of
from handlers.model import (
    Backing,
    DatedQuote,
    Engine,
    PageId,
    Suggestion,
    UpdateKind,
    UpdateNote,
    Verdict,
    WritingNote,
)
from handlers.page.markup import Kind
from handlers.page.scan import scan
from handlers.review.criteria import GUIDELINES, address_of

_MARK = re.compile(rf"<!-- sidenote note ({TOKEN}) -->")
_CLAIM_CHARS = 300
_QUOTE_CHARS = 300
_MOST_SOURCES = 5
MOST_NEWS = 3  # newer sources, each with its words

_HEADLINES = {
    Verdict.CONTRADICTED: "A source seems to say otherwise",
    Verdict.NOT_SUPPORTED: "The source does not seem to say this",
    Verdict.PARTIALLY_SUPPORTED: "The source seems to say only a part of this",
    Verdict.SUPPORTED: "The source says this",
}
_OF_UPDATES = {
    UpdateKind.OUTDATED: "Newer sources seem to say otherwise",
    UpdateKind.NEW_FACT: "A newer source has a fact that seems to be missing here",
    UpdateKind.POINTER: "A newer source is worth reading for this section",
}


@dataclass(frozen=True, slots=True)
class Note:
    """What is shown of one suggestion. All texts are as they came, unescaped.

    `citation` is a filled citation template, to be copied. `fact` and `wording` are
    only shown where the wiki's policy allows them. Of a new fact `claim` is the
    sentence that it belongs behind, and may be empty; `news` are the words of newer
    sources, the newest first.
    """

    identity: str
    page: PageId
    claim: str
    section: tuple[str, ...]
    verdict: Verdict
    probability: float
    sources: tuple[str, ...]
    quote: str | None
    quote_url: str | None
    engine: Engine
    citation: str | None = None
    fact: str | None = None
    wording: str | None = None
    update: UpdateNote | None = None
    writing: WritingNote | None = None
    news: tuple[DatedQuote, ...] = ()

    @property
    def headline(self) -> str:
        """What is the matter, in a line."""
        update, writing = self.update, self.writing
        if writing is not None:
            return f"About the writing: {writing.kind.value}"
        return _OF_UPDATES[update.kind] if update else _HEADLINES[self.verdict]

    @property
    def is_new_fact(self) -> bool:
        """Whether nothing that the article says is at fault."""
        update = self.update
        return update is not None and update.kind is not UpdateKind.OUTDATED


def note_of(
    suggestion: Suggestion,
    *,
    citation: str | None = None,
    fact: str | None = None,
    wording: str | None = None,
) -> Note:
    """Return a suggestion as a note, with what else was found for it."""
    update = suggestion.details.update
    is_new_fact = update is not None and update.kind is not UpdateKind.OUTDATED
    return Note(
        identity=suggestion.identity,
        page=suggestion.page,
        claim=update.statement if update and is_new_fact else suggestion.claim,
        section=suggestion.section,
        verdict=suggestion.verdict,
        probability=suggestion.probability,
        sources=suggestion.source_keys,
        quote=suggestion.quote,
        quote_url=suggestion.quote_url,
        engine=suggestion.engine,
        citation=citation,
        fact=fact,
        wording=wording,
        update=update,
        news=suggestion.details.news[:MOST_NEWS],
    )


def update_note_of(suggestion: Suggestion, update: UpdateNote) -> Note:
    """Return an update as a note, with the words that a policy may forbid."""
    said = {one.quote.quote for one in suggestion.details.news}
    change = update.change
    return note_of(
        suggestion,
        citation=update.citation,
        fact=update.fact if update.fact not in said else None,
        wording=change.after if change and change.is_worded else None,
    )


def writing_note_of(suggestion: Suggestion, writing: WritingNote) -> Note:
    """Return a finding about the writing as a note."""
    return replace(note_of(suggestion), writing=writing)


def backing_words(update: UpdateNote) -> str:
    """Return how well an update is borne out."""
    if update.backing is Backing.LOW:
        return "One source says so."
    if update.has_primary and len(update.sites) <= 1:
        return "A primary source says so."
    return "Independent sources say so."


def allowed(note: Note, policy: Policy) -> Note:
    """Return what of `note` may be shown on a wiki with this policy."""
    if policy is Policy.POINTER:
        return replace(note, fact=None, wording=None)
    return replace(note, wording=None) if policy is Policy.FACTS else note


def mark(note: Note, keys: Keys) -> WikiSafe:
    """Return the hidden identity of a note."""
    return WikiSafe(f"<!-- sidenote note {keys.token(Purpose.NOTE, note.identity)} -->")


def marks_in(page: str, keys: Keys) -> tuple[str, ...]:
    """Return the short identities of our notes on a page, in order.

    They are the first 24 digits of the identity. What stands in `<nowiki>`, or was
    not signed by us, does not count.
    """
    found = []
    for element in scan(page).elements:
        if element.kind is Kind.COMMENT:
            mark = _MARK.fullmatch(page, element.start, element.end)
            name = keys.name_in(Purpose.NOTE, mark[1]) if mark else None
            if name and name not in found:
                found.append(name)
    return tuple(found)


def claim_words(note: Note) -> WikiSafe:
    """Return what the article says."""
    return text(note.claim, most=_CLAIM_CHARS)


def quote_words(note: Note) -> WikiSafe | None:
    """Return what the source says, where it was quoted."""
    return text(note.quote, most=_QUOTE_CHARS) if note.quote else None


def section_words(note: Note) -> WikiSafe:
    """Return where in the article the claim stands."""
    return text(note.section[-1], most=100) if note.section else WikiSafe("")


def revision_link(note: Note) -> WikiSafe:
    """Return a link to the revision that was read."""
    revision = note.page.revision_id
    if revision is None:
        return page_link(note.page.title)
    return page_link(f"Special:PermanentLink/{revision:d}", WikiSafe(f"{revision:d}"))


def guideline_link(note: Note, name: str) -> WikiSafe:
    """Return a link to a guideline, which stands on the English Wikipedia."""
    wiki, label = note.page.wiki, text(name, most=100)
    if wiki == GUIDELINES:
        return page_link(name, label)
    if wiki.endswith(".wikipedia.org"):
        return page_link(f"en:{name}", label)
    return external_link(address_of(name), label) or label


def source_words(address: str, linkable: frozenset[str]) -> WikiSafe:
    """Return a source as a link, if its address may be linked, else as text."""
    if address in linkable:
        link = external_link(address, text(host_of(address) or address, most=100))
        if link:
            return link
    return text(address, most=200)


def sources_of(note: Note) -> tuple[str, ...]:
    """Return the addresses to show: the one that was quoted first."""
    quoted = (note.quote_url,) if note.quote_url else ()
    return tuple(dict.fromkeys((*quoted, *note.sources)))[:_MOST_SOURCES]


def addresses(notes: Iterable[Note]) -> frozenset[str]:
    """Return all addresses that the notes would show.

    Ask the wiki's spam blacklist about them, and pass on what it lets through as
    `linkable`: one listed address makes the wiki refuse the whole edit.
    """
    return frozenset(
        address
        for note in notes
        for address in sources_of(note)
        if address.startswith(("http://", "https://"))
    )
