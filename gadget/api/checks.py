"""Looks at a page that readers ask for, and how far they have come."""

from collections.abc import AsyncGenerator

from bot.records.accounts import LookState
from gadget.api.operations import Answer, Asked, of
from gadget.api.problems import unknown
from gadget.payloads.answers import LookAnswer
from gadget.payloads.requests import EventsQuery, OfPage


async def ask(asked: Asked) -> Answer:
    """Let a page be looked at now."""
    named = of(OfPage, asked.body)
    reader = asked.own(named.wiki)
    state = await asked.parts.looks.ask(reader, named.wiki, named.title)
    return Answer(_shown(state), status=202)


async def state(asked: Asked) -> Answer:
    """Return where the last look that was asked for stands."""
    named = of(OfPage, asked.query)
    known = await asked.parts.looks.state(named.wiki, named.title)
    if known is None:
        raise unknown("look: nobody asked for one at this page")
    return Answer(_shown(known))


async def events(asked: Asked) -> AsyncGenerator[LookAnswer, None]:
    """Yield where a look stands, each time that this changes."""
    named = of(EventsQuery, asked.query)
    looks = asked.parts.looks
    async for state in looks.events(named.wiki, named.title, named.since):
        yield _shown(state)


def _shown(state: LookState) -> LookAnswer:
    return LookAnswer(
        wiki=state.wiki,
        title=state.title,
        asked_at=state.asked_at,
        changed_at=state.changed_at,
        begun_at=state.begun_at,
        ended_at=state.ended_at,
        reading=state.reading,
        sources=state.sources,
        sources_read=state.sources_read,
        claims=state.claims,
        claims_checked=state.claims_checked,
        revision=state.revision,
        problem=state.problem,
    )
