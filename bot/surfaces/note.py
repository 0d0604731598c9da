"""The parts of a note in wikitext: its escaped words, its hidden identity. Pure."""

import re
import unicodedata
from collections.abc import Iterable, Iterator

from bot.report.notes import Note, NoteQuote
from bot.wiki.escaping import WikiSafe, external_link, filled, joined, page_link, text
from bot.wiki.keys import TOKEN, Keys, Purpose
from handlers.citations.quote_links import Piece, host_of
from handlers.model import Span
from handlers.page.markup import Kind
from handlers.page.scan import scan
from handlers.review.criteria import GUIDELINES, address_of

MARK = re.compile(rf"<!-- sidenote note ({TOKEN}) -->")
_CLAIM_CHARS = 300
_QUOTE_CHARS = 300
_MOST_SOURCES = 5


def mark(note: Note, keys: Keys) -> WikiSafe:
    """Return the hidden identity of a note."""
    return WikiSafe(f"<!-- sidenote note {keys.token(Purpose.NOTE, note.identity)} -->")


def marks_in(page: str, keys: Keys) -> tuple[str, ...]:
    """Return the short identities of our notes on a page, in order.

    They are the first 24 digits of the identity. Marks inside `<nowiki>`, and those
    that we did not sign, do not count.
    """
    return tuple(dict.fromkeys(name for name, _ in marked(page, keys)))


def marked(page: str, keys: Keys) -> Iterator[tuple[str, Span]]:
    """Yield the short identity and the place of each such mark, in order."""
    for element in scan(page).elements:
        if element.kind is Kind.COMMENT:
            mark = MARK.fullmatch(page, element.start, element.end)
            name = keys.name_in(Purpose.NOTE, mark[1]) if mark else None
            if name:
                yield name, Span(element.start, element.end)


def claim_words(note: Note) -> WikiSafe:
    """Return what the article says, failing words marked; empty if it says nothing.

    A claim that is too long to be shown whole is shown without marks. So is one whose
    characters would merge with the markup around them when the wiki normalises the
    text.
    """
    starts = (piece.text.strip()[:1] for piece in note.pieces)
    if len(note.text) > _CLAIM_CHARS or any(
        map(unicodedata.combining, filter(None, starts))
    ):
        return text(note.text, most=_CLAIM_CHARS)
    return joined("", map(_piece, note.pieces))


def words_before(note: Note) -> WikiSafe:
    """Return what stood there before an edit, with what it changed marked."""
    found = note.earlier
    if found is None:
        return WikiSafe("")
    if len(found.text) > _CLAIM_CHARS:
        return text(found.text, most=_CLAIM_CHARS)
    return joined("", map(_piece, note.pieces_before))


def diff_link(note: Note, label: WikiSafe) -> WikiSafe:
    """Return a link to the edit; empty if it is none of a wiki's."""
    found = note.earlier
    if found is None or found.since is None or found.until is None:
        return WikiSafe("")
    return page_link(f"Special:Diff/{found.since:d}/{found.until:d}", label)


def _piece(piece: Piece) -> WikiSafe:
    words = text(piece.text.strip(), most=_CLAIM_CHARS)
    lead = " " if piece.text[:1].isspace() else ""
    tail = " " if piece.text[-1:].isspace() and words else ""
    if piece.marked and words:
        words = filled("<u>$words</u>", words=words)
    return WikiSafe(f"{lead}{words}{tail}")


def quote_words(quote: NoteQuote) -> WikiSafe:
    """Return what a source says."""
    return text(quote.words, most=_QUOTE_CHARS)


def cell_words(note: Note) -> WikiSafe:
    """Return the row and column of the value in question."""
    return text(", ".join(note.cell), most=100)


def section_words(note: Note) -> WikiSafe:
    """Return where in the article the claim is."""
    return text(note.section[-1], most=100) if note.section else WikiSafe("")


def revision_link(note: Note) -> WikiSafe:
    """Return a link to the revision that was read."""
    revision = note.page.revision_id
    if revision is None:
        return page_link(note.page.title)
    return page_link(f"Special:PermanentLink/{revision:d}", WikiSafe(f"{revision:d}"))


def guideline_link(note: Note, name: str) -> WikiSafe:
    """Return a link to a guideline of the English Wikipedia."""
    wiki, label = note.page.wiki, text(name, most=100)
    if wiki == GUIDELINES:
        return page_link(name, label)
    if wiki.endswith(".wikipedia.org"):
        return page_link(f"en:{name}", label)
    return external_link(address_of(name), label) or label


def source_words(address: str, linkable: frozenset[str]) -> WikiSafe:
    """Return a source as a link if its address may be linked, otherwise as text."""
    if address in linkable:
        link = external_link(address, text(host_of(address) or address, most=100))
        if link:
            return link
    return text(address, most=200)


def sources_of(note: Note) -> tuple[str, ...]:
    """Return the addresses to show, starting with the one that was quoted."""
    quoted = (one.address for one in note.quotes if one.address)
    return tuple(dict.fromkeys((*quoted, *note.sources)))[:_MOST_SOURCES]


def addresses(notes: Iterable[Note]) -> frozenset[str]:
    """Return all addresses that the notes would show.

    Ask the wiki's spam blacklist about them, and pass the allowed ones on as
    `linkable`: one blacklisted address makes the wiki refuse the whole edit.
    """
    return frozenset(
        address
        for note in notes
        for address in sources_of(note)
        if address.startswith(("http://", "https://"))
    )
