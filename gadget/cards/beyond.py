"""The cards of a page that are about no citation: newer facts, and the wording. Pure."""

from collections.abc import Iterator

from bot.store import KeptSuggestion
from gadget.cards.choosing import Standing
from gadget.cards.dealing import Dealer
from gadget.cards.parsed import Parsed
from gadget.cards.shelf import KeptPage
from gadget.payloads.cards import Card


def beyond_citations(kept: KeptPage, parsed: Parsed, dealer: Dealer) -> Iterator[Card]:
    """Yield the cards of all that still holds on the page that the reader sees."""
    for one in kept.found:
        details = one.suggestion.details
        if details.update is not None:
            yield from _update(one, kept, parsed, dealer)
        elif details.writing is not None:
            yield from _writing(one, kept, parsed, dealer)


def _update(
    one: KeptSuggestion, kept: KeptPage, parsed: Parsed, dealer: Dealer
) -> Iterator[Card]:
    """Yield the card of a newer fact that the page does not have yet."""
    stood = parsed.article.find(one.suggestion)
    standing = kept.taste.of(one.suggestion, stood.section) if stood else None
    if stood and standing is not Standing.LEFT_OUT:
        is_flagged = standing is Standing.FLAGGED
        yield dealer.update(one, parsed, stood, is_flagged=is_flagged)


def _writing(
    one: KeptSuggestion, kept: KeptPage, parsed: Parsed, dealer: Dealer
) -> Iterator[Card]:
    """Yield the card about words that read as they did when they were found."""
    stood = parsed.wording.find(one.suggestion)
    standing = kept.taste.of(one.suggestion, stood.section) if stood else None
    if stood and standing is not Standing.LEFT_OUT:
        is_flagged = standing is Standing.FLAGGED
        yield dealer.writing(one, parsed, stood, is_flagged=is_flagged)
