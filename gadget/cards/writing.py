"""What a card about the wording says beyond any other. Pure.

It offers no edit but the section itself: how a sentence reads well is for people to say.
"""

from collections.abc import Iterator

from bot.report.words import clean
from gadget.cards.edits import Change, Editor
from gadget.payloads.cards import ClaimShown, Edit, EditKind, Words, WritingShown
from handlers.citations.quote_links import joined, pieces
from handlers.model import Span, Suggestion, WritingNote
from handlers.review.criteria import address_of

_ID = "section"


def claim_of(stood: Suggestion) -> ClaimShown:
    """Return the words that are meant, in their sentence."""
    marked = joined(stood.claim, _note(stood).marked)
    whole = Span(0, len(stood.claim))
    meant = Span(marked[0].start, marked[-1].end) if marked else whole
    return ClaimShown(
        text=clean(meant.of(stood.claim)),
        pieces=[
            Words(text=clean(one.text), is_meant=one.marked)
            for one in pieces(stood.claim, marked)
        ],
        sentence=clean(stood.claim),
        section=[clean(heading) for heading in stood.section],
        occurrence=stood.details.occurrence,
    )


def shown_of(stood: Suggestion) -> WritingShown:
    """Return what is asked of the words.

    Raises:
        ValueError: the suggestion is about something else.
    """
    note = _note(stood)
    return WritingShown(
        kind=note.kind.value,
        message=clean(note.message),
        advice=clean(note.advice),
        guideline=clean(note.guideline),
        href=address_of(note.guideline),
        is_of_section=note.is_of_section,
    )


def edits_of(stood: Suggestion, editor: Editor) -> Iterator[Edit]:
    """Yield the way into the section's editor, where nothing is changed yet."""
    label = stood.section[-1] if stood.section else stood.page.title
    at = Span(stood.place, stood.place)
    yield from editor.edit(Change(_ID, EditKind.SECTION, label, at, ""))


def _note(found: Suggestion) -> WritingNote:
    if found.details.writing is None:
        raise ValueError(f"suggestion {found.identity} is not about the wording")
    return found.details.writing
