"""Makes what the panel shows of the findings: cards, counts and queues."""

from gadget.cards.cards import Cards, QueuePage
from handlers.citations.templates import tags_of, tags_of_language

__all__ = [
    "Cards",
    "QueuePage",
    "tags_of",
    "tags_of_language",
]
