"""Checks of a page that readers ask for, and how far they have come."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator
from contextlib import aclosing
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request
from fastapi.sse import EventSourceResponse, ServerSentEvent

from bot.records.accounts import CheckState
from gadget.api.access import take
from gadget.api.backend import Api, Operation, SignedIn
from gadget.api.problems import Refusal, documented, too_many
from gadget.payloads.answers import LookAnswer
from gadget.payloads.requests import EventsQuery, OfPage
from handlers.ports import PermanentError, TemporaryError

_NO_PLACE_S = 10.0
_AGAIN_MS = 3000

router = APIRouter(route_class=Operation)


@router.post(
    "/looks",
    operation_id="askForLook",
    summary="Let a page be checked now",
    status_code=202,
    response_description="It is under way.",
    responses=documented(401, 404, 408, 413, 415),
)
async def ask(api: Api, session: SignedIn, body: OfPage) -> LookAnswer:
    """Answer where the check stands."""
    take(api.looks, session.reader.key)
    api.served(body.wiki)
    reader = session.own(body.wiki)
    return _shown(await api.parts.checks.ask(reader, body.wiki, body.title))


@router.get(
    "/looks",
    operation_id="look",
    summary="Where the last check of a page stands that somebody asked for",
    responses=documented(404),
)
async def state(api: Api, query: Annotated[OfPage, Query()]) -> LookAnswer:
    """Answer, or say that nobody asked for one."""
    api.served(query.wiki)
    known = await api.parts.checks.state(query.wiki, query.title)
    if known is None:
        raise Refusal(404, "Nobody has asked for a check of this page.")
    return _shown(known)


async def _events(
    request: Request, api: Api, query: Annotated[EventsQuery, Query()]
) -> AsyncIterator[AsyncGenerator[CheckState, None]]:
    """Hold a place, and what is followed, for as long as the stream is open."""
    api.served(query.wiki)
    with api.streams.take(api.address_of(request)) as has_place:
        if not has_place:
            raise too_many(_NO_PLACE_S)
        events = api.parts.checks.events(query.wiki, query.title, query.since)
        async with aclosing(events):
            yield events


_ABOUT = """\
A stream of server-sent events: `look`, whose data is a LookAnswer, each time that something
changed, then `end`, after which nothing follows. A comment every fifteen seconds keeps the
connection open. A stream that ends without `end` is to be asked for anew."""


@router.get(
    "/looks/events",
    operation_id="followLook",
    summary="The same as events, until the check ends",
    description=_ABOUT,
    response_class=EventSourceResponse,
    responses=documented(404),
)
async def follow(
    api: Api, events: Annotated[AsyncIterator[CheckState], Depends(_events)]
) -> AsyncIterable[ServerSentEvent]:
    """Send what there is, then `end`; or stop without it, so that the reader asks anew."""
    yield ServerSentEvent(retry=_AGAIN_MS)
    try:
        async with asyncio.timeout(api.rules.stream_s):
            async for each in events:
                yield ServerSentEvent(event="look", data=_shown(each))
    except (TimeoutError, PermanentError, TemporaryError):
        return
    yield ServerSentEvent(event="end", raw_data="{}")


def _shown(state: CheckState) -> LookAnswer:
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
