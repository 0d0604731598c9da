"""Routes of pages: their cards, requested checks, texts supplied for sources."""

import asyncio
import base64
import binascii
import secrets
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.sse import EventSourceResponse, ServerSentEvent
from starlette.responses import Response

from bot.records.accounts import CheckState, SuppliedText
from bot.surfaces.messages import from_note, message
from gadget.api.access import take
from gadget.api.answers import WITH_TAG, answer, packed, tag_of, tagged, unpacked
from gadget.api.backend import ANYBODY, Anybody, Api, Operation, SignedIn
from gadget.api.problems import (
    Refusal,
    documented,
    reason_shown,
    too_many,
    unknown,
)
from gadget.payloads.answers import (
    AccuracyAnswer,
    CheckAnswer,
    Counts,
    Health,
    QueueAnswer,
    SuppliedAnswer,
    SuppliedQuoteShown,
    SuppliedShown,
)
from gadget.payloads.cards import Card, PageAnswer
from gadget.payloads.fields import Identity, Token
from gadget.payloads.requests import (
    AccuracyQuery,
    CountsQuery,
    EventsQuery,
    OfPage,
    OfWiki,
    PageQuery,
    QueueQuery,
    SuppliedAsked,
)
from handlers.model import Message
from handlers.ports import PermanentError, TemporaryError

_ACCURACY_FOR = timedelta(days=100)

router = APIRouter(route_class=Operation)


@router.get(
    "/suggestions",
    operation_id="suggestionsOfPage",
    summary="Everything to show beside a revision of a page",
    response_model=PageAnswer,
    responses=WITH_TAG | documented(404),
    openapi_extra=ANYBODY,
)
async def page(
    request: Request, api: Api, session: Anybody, query: Annotated[PageQuery, Query()]
) -> Response:
    """Answer with what the browser has, or with a cached answer."""
    api.served(query.wiki)
    reader = session.reader if session else None
    cards, subject = api.parts.cards, (query.wiki, query.title, query.revision, reader)
    where = f"{request.url.path}?{request.url.query}"
    who = reader.key if reader else ""
    tag = tag_of(api.rules.version, where, who, await cards.version(*subject))

    async def make() -> Response:
        body = api.remembered.get(tag)
        if body is None:
            since = query.since
            shown = await (
                cards.page(*subject) if since is None else cards.diff(*subject, since)
            )
            body = await asyncio.to_thread(packed, shown)
            api.remembered.keep(tag, body)
        return unpacked(body, request)

    return await tagged(request, tag, make, is_private=reader is not None)


@router.get(
    "/counts",
    operation_id="countSuggestions",
    summary="How many flagged cards some pages have",
    response_model=Counts,
    responses=WITH_TAG | documented(404),
)
async def counts(
    request: Request, api: Api, query: Annotated[CountsQuery, Query()]
) -> Response:
    """Answer for unknown pages, too."""
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
    responses=WITH_TAG | documented(404),
    openapi_extra=ANYBODY,
)
async def card(
    request: Request,
    api: Api,
    session: Anybody,
    identity: Annotated[Identity, Path()],
    query: Annotated[OfWiki, Query()],
) -> Response:
    """Answer as for its page."""
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
    summary="The reader's queue: open cards on the pages they watch",
    responses=documented(401, 404),
)
async def queue(
    api: Api, session: SignedIn, query: Annotated[QueueQuery, Query()]
) -> QueueAnswer:
    """Answer with a part of it; `next` requests the next part."""
    cards = api.parts.cards
    part = cards.edits if query.kind else cards.queue
    found = await part(session.reader, query.after, query.limit)
    return QueueAnswer(cards=list(found.cards), next=found.next, total=found.total)


@router.get(
    "/accuracy",
    operation_id="accuracy",
    summary="How often notes on a wiki are right, by day",
    response_model=AccuracyAnswer,
    responses=WITH_TAG | documented(404),
)
async def accuracy(
    request: Request, api: Api, query: Annotated[AccuracyQuery, Query()]
) -> Response:
    """Answer with the stored days."""
    api.served(query.wiki)
    since = query.since or api.parts.now().date() - _ACCURACY_FOR
    days = await asyncio.to_thread(api.parts.store.accuracy.since, query.wiki, since)
    shown = AccuracyAnswer(wiki=query.wiki, days=list(days))
    return await _tagged(request, shown, is_private=False)


@router.get("/health", operation_id="health", summary="Whether the server answers")
async def health(api: Api) -> Health:
    """Answer."""
    return Health(version=api.rules.version)


# Checks that readers ask for, and their progress.

_NO_PLACE_S = 10.0
_AGAIN_MS = 3000


@router.post(
    "/checks",
    operation_id="askForCheck",
    summary="Have a page checked now",
    status_code=202,
    response_description="It is in progress.",
    responses=documented(401, 404, 408, 413, 415),
)
async def ask(api: Api, session: SignedIn, body: OfPage) -> CheckAnswer:
    """Answer with the state of the check."""
    take(api.new_checks, session.reader.key)
    api.served(body.wiki)
    reader = session.own(body.wiki)
    return _shown(await api.parts.checks.ask(reader, body.wiki, body.title))


@router.get(
    "/checks",
    operation_id="check",
    summary="The progress of the last check of a page that someone asked for",
    responses=documented(404),
)
async def state(api: Api, query: Annotated[OfPage, Query()]) -> CheckAnswer:
    """Answer, or say that nobody asked for a check."""
    api.served(query.wiki)
    known = await api.parts.checks.state(query.wiki, query.title)
    if known is None:
        raise Refusal(404, "No one has asked for a check of this page.")
    return _shown(known)


async def _events(
    request: Request, api: Api, query: Annotated[EventsQuery, Query()]
) -> AsyncIterator[AsyncGenerator[CheckState, None]]:
    """Hold a place, and the followed check, for as long as the stream is open."""
    api.served(query.wiki)
    with api.streams.take(api.address_of(request)) as has_place:
        if not has_place:
            raise too_many(_NO_PLACE_S)
        events = api.parts.checks.events(query.wiki, query.title, query.since)
        async with aclosing(events):
            yield events


_ABOUT = """\
A stream of server-sent events: `check`, whose data is a CheckAnswer, each time that something
changed, then `end`, after which nothing follows. A comment every fifteen seconds keeps the
connection open. If a stream ends without `end`, request it again."""


@router.get(
    "/checks/events",
    operation_id="followCheck",
    summary="The same as events, until the check ends",
    description=_ABOUT,
    response_class=EventSourceResponse,
    responses=documented(404),
)
async def follow(
    api: Api, events: Annotated[AsyncIterator[CheckState], Depends(_events)]
) -> AsyncIterable[ServerSentEvent]:
    """Send the events, then `end`; or stop without it, so that clients ask again."""
    yield ServerSentEvent(retry=_AGAIN_MS)
    try:
        async with asyncio.timeout(api.rules.stream_s):
            async for each in events:
                yield ServerSentEvent(event="check", data=_shown(each))
    except (TimeoutError, PermanentError, TemporaryError):
        return
    yield ServerSentEvent(event="end", raw_data="{}")


def _shown(state: CheckState) -> CheckAnswer:
    reason = _reason(
        state.problem,
        "refusal-check-failed" if state.ended_at else "refusal-check-retried",
    )
    return CheckAnswer(
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
        problem=str(reason) if reason else None,
        reason=reason_shown(reason),
    )


def _reason(problem: str | None, otherwise: str) -> Message | None:
    """Return why something failed.

    Errors of the work itself are stored as they are, in English: the message with the
    key `otherwise` stands for them.
    """
    if problem is None:
        return None
    reason = from_note(problem)
    return reason if reason.key else replace(message(otherwise), english=problem)


# Texts that readers supply for a source that could not be read.

_STORED_FOR = timedelta(hours=1)
_MOST_WAITING_BYTES = 12_000_000  # of one reader's: the longest text, and little else
_READ_IN_S = 60.0


@router.post(
    "/supplied-texts",
    operation_id="supplyText",
    summary=(
        "Check the claims that cite a source against a copy of its text from the reader"
    ),
    status_code=202,
    response_description="It is in progress.",
    responses=documented(401, 404, 408, 413, 415, 429),
)
async def supply(api: Api, session: SignedIn, body: SuppliedAsked) -> SuppliedAnswer:
    """Only this reader sees the result. The text is deleted once it has been read."""
    take(api.new_checks, session.reader.key)
    api.served(body.wiki)
    reader = session.own(body.wiki)
    now = api.parts.now()
    supplied = SuppliedText(
        name=secrets.token_hex(16),
        reader=reader.key,
        wiki=body.wiki,
        title=" ".join(body.title.replace("_", " ").split()),
        source_key=body.source,
        supplied_at=now,
        expires_at=now + _STORED_FOR,
        body=_content(body),
    )
    is_kept = await asyncio.to_thread(
        api.parts.store.supplied.put, supplied, now, _MOST_WAITING_BYTES
    )
    if not is_kept:
        raise Refusal(429, message("refusal-texts-waiting"), _READ_IN_S)
    return _shown_text(supplied)


@router.get(
    "/supplied-texts/{name}",
    operation_id="suppliedText",
    summary="The outcome of a text that the reader supplied",
    responses=documented(401, 404),
)
async def text_state(
    api: Api,
    session: SignedIn,
    name: Annotated[Token, Path()],
    query: Annotated[OfWiki, Query()],
) -> SuppliedAnswer:
    """It is available for an hour."""
    api.served(query.wiki)
    reader = session.own(query.wiki)
    stored = await asyncio.to_thread(
        api.parts.store.supplied.get, name, reader.key, api.parts.now()
    )
    if stored is None:
        raise Refusal(404, message("refusal-text-gone"))
    return _shown_text(stored)


def _content(body: SuppliedAsked) -> bytes:
    if body.encoding == "plain":
        return body.content.encode("utf-8", "replace")
    try:
        return base64.b64decode(body.content + "==")
    except (binascii.Error, ValueError):
        return b""  # its reader reports that it holds no text


def _shown_text(stored: SuppliedText) -> SuppliedAnswer:
    reason = _reason(stored.problem, "refusal-check-failed")
    return SuppliedAnswer(
        id=stored.name,
        has_ended=stored.ended_at is not None,
        problem=str(reason) if reason else None,
        reason=reason_shown(reason),
        results=[
            SuppliedShown(
                claim=one.claim,
                verdict=one.verdict.value if one.verdict else None,
                quotes=[
                    SuppliedQuoteShown(
                        quote=each.quote,
                        before=each.before,
                        after=each.after,
                        page=each.page,
                    )
                    for each in one.quotes
                ],
            )
            for one in stored.results
        ],
    )
