"""Makes what the panel shows of the findings: cards, counts and queues.

Start with `cards`, which answers the panel. `revisions` reads the page as the reader sees
it, `repository` what is stored, `selection` chooses and orders, `builder` makes a card,
`edits` its one-click changes, `sources` reads a filled citation template.
"""

from gadget.cards.cards import Cards, QueuePage

__all__ = ["Cards", "QueuePage"]
