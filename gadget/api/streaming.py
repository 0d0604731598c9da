"""Sends events for as long as somebody listens. HTML standard, section 9.2.

Nothing is queued for a slow listener: the next event is asked for when the one before
has gone out, and whoever takes nothing for a while is cut off.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable
from contextlib import aclosing, suppress
from dataclasses import dataclass

from aiohttp import web
from pydantic import BaseModel

from handlers.ports import PermanentError, TemporaryError

_HEADERS = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store, no-transform",
    "X-Accel-Buffering": "no",  # a proxy such as nginx would hold them back
}
_COMMENT = b": still here\n\n"
_AGAIN = b"retry: 3000\n\n"
_END = b"event: end\ndata: {}\n\n"
_GLANCE_S = 1.0


@dataclass(frozen=True, slots=True)
class Pace:
    """When a comment is sent, when to ask anew, and how long a listener may take."""

    heartbeat_s: float
    longest_s: float
    take_s: float


async def send(
    request: web.Request,
    events: AsyncGenerator[BaseModel, None],
    pace: Pace,
    ending: asyncio.Event,
) -> web.StreamResponse:
    """Send what there is, then `end`; or stop when the listener goes, or we do."""
    response = web.StreamResponse(headers=_HEADERS)
    await response.prepare(request)
    away = (ConnectionError, TimeoutError, PermanentError, TemporaryError)
    with suppress(*away):  # without `end`, so that the listener asks anew
        async with aclosing(events), asyncio.timeout(pace.longest_s):
            await _take(response.write(_AGAIN), pace)
            if await _pass_on(request, response, events, pace, ending):
                await _take(response.write(_END), pace)
    with suppress(ConnectionError, TimeoutError):
        await _take(response.write_eof(), pace)
    return response


async def _pass_on(
    request: web.Request,
    response: web.StreamResponse,
    events: AsyncIterator[BaseModel],
    pace: Pace,
    ending: asyncio.Event,
) -> bool:
    """Return whether the events came to their end."""
    coming = asyncio.ensure_future(anext(events, None))
    quiet_s = 0.0
    try:
        while not ending.is_set() and _listens(request):
            wait_s = min(_GLANCE_S, pace.heartbeat_s)
            done, _ = await asyncio.wait({coming}, timeout=wait_s)
            if done:
                event = coming.result()
                if event is None:
                    return True
                await _take(response.write(_told(event)), pace)
                coming, quiet_s = asyncio.ensure_future(anext(events, None)), 0.0
                continue
            quiet_s += wait_s
            if quiet_s >= pace.heartbeat_s:
                await _take(response.write(_COMMENT), pace)
                quiet_s = 0.0
        return False
    finally:
        coming.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await coming


async def _take(writing: Awaitable[None], pace: Pace) -> None:
    async with asyncio.timeout(pace.take_s):
        await writing


def _listens(request: web.Request) -> bool:
    transport = request.transport
    return transport is not None and not transport.is_closing()


def _told(event: BaseModel) -> bytes:
    return b"event: look\ndata: " + event.model_dump_json().encode() + b"\n\n"
