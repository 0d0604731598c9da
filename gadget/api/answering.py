"""From a request to its answer: read, checked, limited, done once, and put into words."""

import asyncio
from contextlib import ExitStack
from dataclasses import replace

from aiohttp import web

from gadget.api.limiting import Limits
from gadget.api.measures import Measures
from gadget.api.operations import Asked, Need, Operation, Version
from gadget.api.parts import Parts, Rules
from gadget.api.problems import Refusal, signed_out, too_many
from gadget.api.receiving import (
    body_of,
    key_of,
    names_of,
    query_of,
    read_body,
    token_of,
)
from gadget.api.remembering import Remembered, packed
from gadget.api.repeating import Repeats, Said
from gadget.api.streaming import Pace, send
from gadget.api.validating import is_known, tag_of
from gadget.api.wording import marked, response, said, sent, text_of
from gadget.limits.addresses import asker_of
from gadget.limits.places import Places

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
