"""Texts that readers supply in the place of a source that could not be read."""

import asyncio
import base64
import binascii
import secrets
from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Path, Query

from bot.records.supplied import SuppliedText
from gadget.api.access import take
from gadget.api.backend import Api, Operation, SignedIn
from gadget.api.problems import Refusal, documented
from gadget.payloads.answers import SuppliedAnswer, SuppliedQuoteShown, SuppliedShown
from gadget.payloads.fields import Token
from gadget.payloads.requests import OfWiki, SuppliedAsked

_KEPT = timedelta(hours=1)

router = APIRouter(route_class=Operation)


@router.post(
    "/supplied-texts",
    operation_id="supplyText",
    summary="Let what cites a source be checked by a text that the reader has of it",
    status_code=202,
    response_description="It is under way.",
    responses=documented(401, 404, 408, 413, 415),
)
async def supply(api: Api, session: SignedIn, body: SuppliedAsked) -> SuppliedAnswer:
    """Only this reader is told what it says. It is deleted once it has been read."""
    take(api.looks, session.reader.key)
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
        expires_at=now + _KEPT,
        body=_content(body),
    )
    await asyncio.to_thread(api.parts.store.supplied.put, supplied, now)
    return _shown(supplied)


@router.get(
    "/supplied-texts/{name}",
    operation_id="suppliedText",
    summary="What came of a text that the reader supplied",
    responses=documented(401, 404),
)
async def state(
    api: Api,
    session: SignedIn,
    name: Annotated[Token, Path()],
    query: Annotated[OfWiki, Query()],
) -> SuppliedAnswer:
    """It is known for an hour."""
    api.served(query.wiki)
    reader = session.own(query.wiki)
    kept = await asyncio.to_thread(
        api.parts.store.supplied.get, name, reader.key, api.parts.now()
    )
    if kept is None:
        raise Refusal(404, "This text is no longer known. Supply it again.")
    return _shown(kept)


def _content(body: SuppliedAsked) -> bytes:
    if body.encoding == "plain":
        return body.content.encode("utf-8", "replace")
    try:
        return base64.b64decode(body.content + "==")
    except (binascii.Error, ValueError):
        return b""  # whoever reads it says that it holds no text


def _shown(kept: SuppliedText) -> SuppliedAnswer:
    return SuppliedAnswer(
        id=kept.name,
        has_ended=kept.ended_at is not None,
        problem=kept.problem,
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
            for one in kept.results
        ],
    )
