"""From a request to its answer: read, checked, limited, done once, and put into words."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import ExitStack, aclosing, suppress
from dataclasses import dataclass, replace

from aiohttp import web
from pydantic import BaseModel

from bot.records.accounts import Reader
from gadget.api.body import (
    body_of,
    key_of,
    names_of,
    query_of,
    read_body,
    token_of,
)
from gadget.api.idempotency import Repeats, Said
from gadget.api.measures import Measures
from gadget.api.operations import Asked, Cost, Need, Operation, Version
from gadget.api.parts import Parts, Rules
from gadget.api.problems import Refusal, signed_out, too_many
from gadget.api.response_cache import Remembered, packed
from gadget.api.validating import is_known, tag_of
from gadget.api.wording import marked, response, said, sent, text_of
from gadget.limits import Buckets, Places, asker_of
from handlers.ports import PermanentError, TemporaryError

# Sends events for as long as somebody listens. HTML standard, section 9.2.
# Nothing is queued for a slow listener: the next event is asked for when the one before
# has gone out, and whoever takes nothing for a while is cut off.

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
            await _streaming_take(response.write(_AGAIN), pace)
            if await _pass_on(request, response, events, pace, ending):
                await _streaming_take(response.write(_END), pace)
    with suppress(ConnectionError, TimeoutError):
        await _streaming_take(response.write_eof(), pace)
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
                await _streaming_take(response.write(_told(event)), pace)
                coming, quiet_s = asyncio.ensure_future(anext(events, None)), 0.0
                continue
            quiet_s += wait_s
            if quiet_s >= pace.heartbeat_s:
                await _streaming_take(response.write(_COMMENT), pace)
                quiet_s = 0.0
        return False
    finally:
        coming.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await coming


async def _streaming_take(writing: Awaitable[None], pace: Pace) -> None:
    async with asyncio.timeout(pace.take_s):
        await writing


def _listens(request: web.Request) -> bool:
    transport = request.transport
    return transport is not None and not transport.is_closing()


def _told(event: BaseModel) -> bytes:
    return b"event: look\ndata: " + event.model_dump_json().encode() + b"\n\n"


# How often one may ask: an address for anything, a reader for what changes something.


class Limits:
    """Counts in memory; a restart forgets."""

    def __init__(self, rules: Rules, monotonic: Callable[[], float]) -> None:
        self._all = Buckets(rules.reads, monotonic)
        self._of_address: Mapping[Cost, Buckets] = {
            Cost.SIGN_IN: Buckets(rules.sign_ins, monotonic)
        }
        self._of_reader: Mapping[Cost, Buckets] = {
            Cost.WRITE: Buckets(rules.writes, monotonic),
            Cost.LOOK: Buckets(rules.looks, monotonic),
        }

    def check_address(self, asker: str) -> None:
        """Count a request of an address.

        Raises:
            Refusal: there were too many.
        """
        _take(self._all, asker)

    def check(self, operation: Operation, asker: str, reader: Reader | None) -> None:
        """Count what somebody asks for.

        Raises:
            Refusal: there was too much of it.
        """
        if operation.cost in self._of_address:
            _take(self._of_address[operation.cost], asker)
        if reader is not None and operation.cost in self._of_reader:
            _take(self._of_reader[operation.cost], reader.key)


def _take(buckets: Buckets, asker: str) -> None:
    wait_s = buckets.wait_s(asker)
    if wait_s:
        raise too_many(wait_s)


_NO_PLACE_S = 10.0
_FINAL = frozenset({404})  # refusals that are kept under a key, as what was done is


class Answering:
    """Answers operations; one for each listener."""

    def __init__(self, parts: Parts, rules: Rules, measures: Measures) -> None:
        self._parts = parts
        self._rules = rules
        self._measures = measures
        self._limits = Limits(rules, parts.monotonic)
        self._repeats = Repeats(parts.answers)
        self._places = Places(rules.streams, rules.streams_each)
        self._bodies = Remembered()
        self._ending = asyncio.Event()

    def end(self) -> None:
        """Let all event streams come to their end."""
        self._ending.set()

    def count(self, request: web.Request) -> None:
        """Count a request of an address, whatever it asks for.

        Raises:
            Refusal: there were too many.
        """
        self._limits.check_address(self._asker(request))

    async def answer(
        self, operation: Operation, request: web.Request
    ) -> web.StreamResponse:
        """Return the answer to a request.

        Raises:
            Refusal: it is not answered.
            PermanentError: there can be nothing to answer.
            TemporaryError: something is away.
            TimeoutError: it took too long.
        """
        async with asyncio.timeout(self._rules.longest_s):
            asked = await self._asked(operation, request)
            if operation.stream is None:
                return await self._answered(operation, asked, request)
        return await self._streamed(operation, asked, request)

    def _asker(self, request: web.Request) -> str:
        forwarded = request.headers.getall("X-Forwarded-For", [])
        trusts = self._rules.trusts_proxy
        return asker_of(request.remote, forwarded, trusts_proxy=trusts)

    async def _asked(self, operation: Operation, request: web.Request) -> Asked:
        token = None if operation.need is Need.NOBODY else token_of(request)
        reader = await self._parts.readers.who(token) if token else None
        if reader is None and operation.need is Need.READER:
            raise signed_out()
        self._limits.check(operation, self._asker(request), reader)
        asked = Asked(
            parts=self._parts,
            rules=self._rules,
            now=self._parts.now(),
            reader=reader,
            token=token if reader else None,
            user_agent=request.headers.get("User-Agent", ""),
            names=names_of(operation.names, request.match_info),
            query=query_of(operation.query, request.query),
        )
        wiki = getattr(asked.query, "wiki", None)
        if wiki is not None:
            asked.served(wiki)
        if operation.body is None:
            return asked
        raw = await read_body(
            request,
            most_bytes=self._rules.most_body_bytes,
            longest_s=self._rules.body_s,
        )
        return replace(asked, body=body_of(operation.body, raw))

    async def _answered(
        self, operation: Operation, asked: Asked, request: web.Request
    ) -> web.Response:
        if operation.is_repeatable:
            return response(await self._once(operation, asked, request))
        if operation.version is not None:
            return await self._remembered(operation, operation.version, asked, request)
        told = await _done(operation, asked)
        if not operation.is_kept:
            return response(told)
        tag = tag_of(told.text)
        answer = web.Response(status=304)
        if not is_known(tag, request.headers.get("If-None-Match")):
            answer = response(told)
        return marked(answer, tag, is_private=asked.reader is not None)

    async def _remembered(
        self, operation: Operation, version: Version, asked: Asked, request: web.Request
    ) -> web.Response:
        """Answer with what the browser has, or with what was made for another."""
        who = asked.reader.key if asked.reader else ""
        tag = tag_of(self._rules.version, request.path_qs, who, await version(asked))
        if is_known(tag, request.headers.get("If-None-Match")):
            answer = web.Response(status=304)
        else:
            body = self._bodies.get(tag)
            if body is None:
                told = await _done(operation, asked)
                body = await asyncio.to_thread(packed, told.text)
                self._bodies.keep(tag, body)
            answer = sent(body, request.headers.get("Accept-Encoding", ""))
        return marked(answer, tag, is_private=asked.reader is not None)

    async def _once(
        self, operation: Operation, asked: Asked, request: web.Request
    ) -> Said:
        told = f"{request.method} {request.path}\n{asked.body.model_dump_json()}"

        async def act() -> Said:
            try:
                return await _done(operation, asked)
            except Refusal as refusal:
                if refusal.status in _FINAL:
                    return said(refusal)
                raise

        who = (asked.known().key, key_of(request))
        return await self._repeats.once(who, told, asked.now, act)

    async def _streamed(
        self, operation: Operation, asked: Asked, request: web.Request
    ) -> web.StreamResponse:
        assert operation.stream is not None  # noqa: S101 - see the caller
        rules = self._rules
        pace = Pace(rules.heartbeat_s, rules.stream_s, rules.take_s)
        with ExitStack() as held:
            held.callback(self._count_streams)
            if not held.enter_context(self._places.take(self._asker(request))):
                raise too_many(_NO_PLACE_S)
            self._count_streams()
            return await send(request, operation.stream(asked), pace, self._ending)

    def _count_streams(self) -> None:
        self._measures.streams(len(self._places))


async def _done(operation: Operation, asked: Asked) -> Said:
    assert operation.act is not None  # noqa: S101 - else it is a stream
    answer = await operation.act(asked)
    return Said(answer.status, text_of(answer.payload))
