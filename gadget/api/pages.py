"""What is read: the cards of a page, counts, one card, the reader's queue."""

import asyncio
from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from gadget.api.answers import KEPT, answer, packed, tag_of, tagged, unpacked
from gadget.api.backend import ANYBODY, Anybody, Api, Operation, SignedIn
from gadget.api.problems import documented, unknown
from gadget.payloads.answers import AccuracyAnswer, Counts, Health, QueueAnswer
from gadget.payloads.cards import Card, PageAnswer
from gadget.payloads.fields import Identity
from gadget.payloads.requests import (
    AccuracyQuery,
    CountsQuery,
    OfWiki,
    PageQuery,
    QueueQuery,
)

_ACCURACY_FOR = timedelta(days=100)

router = APIRouter(route_class=Operation)


@router.get(
    "/suggestions",
    operation_id="suggestionsOfPage",
    summary="All there is to show beside a revision of a page",
    response_model=PageAnswer,
    responses=KEPT | documented(404),
    openapi_extra=ANYBODY,
)
async def page(
    request: Request, api: Api, session: Anybody, query: Annotated[PageQuery, Query()]
) -> Response:
    """Answer with what the browser has, or with what was made for another."""
    api.served(query.wiki)
    reader = session.reader if session else None
    cards, asked = api.parts.cards, (query.wiki, query.title, query.revision, reader)
    where = f"{request.url.path}?{request.url.query}"
    who = reader.key if reader else ""
    tag = tag_of(api.rules.version, where, who, await cards.version(*asked))

    async def make() -> Response:
        body = api.remembered.get(tag)
        if body is None:
            body = await asyncio.to_thread(packed, await cards.page(*asked))
            api.remembered.keep(tag, body)
        return unpacked(body, request)

    return await tagged(request, tag, make, is_private=reader is not None)


@router.get(
    "/counts",
    operation_id="countSuggestions",
    summary="How many flagged cards some pages have",
    response_model=Counts,
    responses=KEPT | documented(404),
)
async def counts(
    request: Request, api: Api, query: Annotated[CountsQuery, Query()]
) -> Response:
    """Answer also for pages that are not known."""
    api.served(query.wiki)
    titles = list(dict.fromkeys(query.title))
    found = await api.parts.cards.counts(query.wiki, titles)
    shown = Counts(counts={title: found.get(title, 0) for title in titles})
    return await _tagged(request, shown, is_private=False)


@router.get(
    "/suggestions/{identity}",
    operation_id="suggestion",
    summary="One card",
    response_model=Card,
    responses=KEPT | documented(404),
    openapi_extra=ANYBODY,
)
async def card(
    request: Request,
    api: Api,
    session: Anybody,
    identity: Annotated[Identity, Path()],
    query: Annotated[OfWiki, Query()],
) -> Response:
    """Answer as for the page that it is of."""
    api.served(query.wiki)
    reader = session.reader if session else None
    found = await api.parts.cards.card(query.wiki, identity, reader)
    if found is None:
        raise unknown("card")
    return await _tagged(request, found, is_private=reader is not None)


async def _tagged(
    request: Request, payload: Card | Counts | AccuracyAnswer, *, is_private: bool
) -> Response:
    made = answer(payload)

    async def make() -> Response:
        return made

    tag = tag_of(bytes(made.body))
    return await tagged(request, tag, make, is_private=is_private)


@router.get(
    "/queue",
    operation_id="queue",
    summary="What waits for the reader on the pages that they follow",
    responses=documented(401, 404),
)
async def queue(
    api: Api, session: SignedIn, query: Annotated[QueueQuery, Query()]
) -> QueueAnswer:
    """Answer with a part of it; `next` asks for what follows."""
    found = await api.parts.cards.queue(session.reader, query.after, query.limit)
    return QueueAnswer(cards=list(found.cards), next=found.next, total=found.total)


@router.get(
    "/accuracy",
    operation_id="accuracy",
    summary="How often notes on a wiki are right, by day",
    response_model=AccuracyAnswer,
    responses=KEPT | documented(404),
)
async def accuracy(
    request: Request, api: Api, query: Annotated[AccuracyQuery, Query()]
) -> Response:
    """Answer with the days that are kept."""
    api.served(query.wiki)
    since = query.since or api.parts.now().date() - _ACCURACY_FOR
    days = await asyncio.to_thread(api.parts.store.accuracy.since, query.wiki, since)
    shown = AccuracyAnswer(wiki=query.wiki, days=list(days))
    return await _tagged(request, shown, is_private=False)


@router.get("/health", operation_id="health", summary="Whether the server answers")
async def health(api: Api) -> Health:
    """Answer."""
    return Health(version=api.rules.version)
