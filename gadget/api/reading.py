"""What is read: the cards of a page, counts, one card, the reader's queue."""

from gadget.api.operations import Answer, Asked, of
from gadget.api.problems import unknown
from gadget.payloads.answers import Counts, Health, QueueAnswer
from gadget.payloads.paths import CardName
from gadget.payloads.requests import CountsQuery, OfWiki, PageQuery, QueueQuery


async def page(asked: Asked) -> Answer:
    """Return all there is to show beside a revision of a page."""
    named = of(PageQuery, asked.query)
    cards = asked.parts.cards
    return Answer(
        await cards.page(named.wiki, named.title, named.revision, asked.reader)
    )


async def page_version(asked: Asked) -> str:
    """Return what changes when that does."""
    named = of(PageQuery, asked.query)
    cards = asked.parts.cards
    return await cards.version(named.wiki, named.title, named.revision, asked.reader)


async def counts(asked: Asked) -> Answer:
    """Return how many flagged cards some pages have."""
    named = of(CountsQuery, asked.query)
    titles = list(dict.fromkeys(named.title))
    found = await asked.parts.cards.counts(named.wiki, titles)
    return Answer(Counts(counts={title: found.get(title, 0) for title in titles}))


async def card(asked: Asked) -> Answer:
    """Return one card."""
    wiki = of(OfWiki, asked.query).wiki
    identity = of(CardName, asked.names).identity
    found = await asked.parts.cards.card(wiki, identity, asked.reader)
    if found is None:
        raise unknown("card")
    return Answer(found)


async def queue(asked: Asked) -> Answer:
    """Return part of what waits for the reader who asks."""
    wanted = of(QueueQuery, asked.query)
    reader = asked.known()
    found = await asked.parts.cards.queue(reader, wanted.after, wanted.limit)
    return Answer(
        QueueAnswer(cards=list(found.cards), next=found.next, total=found.total)
    )


async def health(asked: Asked) -> Answer:
    """Say that the server answers."""
    return Answer(Health(version=asked.rules.version))
