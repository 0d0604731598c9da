"""Makes what readers of the panel see of what was found: cards, counts and queues."""

from gadget.cards.cards import Cards, QueuePage
from gadget.cards.revisions import PageReader
from handlers.citations.templates import WikiTags, tags_of, tags_of_language

__all__ = [
    "Cards",
    "PageReader",
    "QueuePage",
    "WikiTags",
    "tags_of",
    "tags_of_language",
]
