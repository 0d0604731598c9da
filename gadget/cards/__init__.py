"""Makes what the panel shows of the findings: cards, counts and queues."""

from gadget.cards.cards import Cards, QueuePage

__all__ = ["Cards", "QueuePage"]
