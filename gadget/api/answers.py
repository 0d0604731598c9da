"""Answers that need not be made again: in the browser, shared, or given before.

A browser that has the current answer is told so (RFC 9110, section 13). What many
people read is cached briefly. A request sent twice with one key is carried out once,
and answered the same both times.
"""

import asyncio
import gzip
import hashlib
import re
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Annotated, Any
from weakref import WeakValueDictionary

from fastapi import Header
from pydantic import BaseModel, StringConstraints
from starlette.requests import Request
from starlette.responses import Response

from bot.records.accounts import StoredAnswer
from bot.store import Store
from gadget.api.problems import Refusal

_TAG = re.compile(r'(?:W/)?"([^"]*)"')
_TAG_CHARS = 32
_MOST_CHARS = 4000
_JSON = "application/json"
_LEVEL = 5
_FINAL = 404  # a refusal stored under a key, like a success

IdempotencyKey = Annotated[
    Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._~-]{8,128}$")],
    Header(
        alias="Idempotency-Key",
        description=(
            "A new key for each action; the same key for a retry, which is then done"
            " only once and gets the same answer."
        ),
        examples=["3f1c0b9e5d7a4c2e8b6f"],
    ),
]

WITH_TAG: dict[int | str, dict[str, Any]] = {
    status: {
        "description": description,
        "headers": {
            "ETag": {
                "description": "Send it back in `If-None-Match`.",
                "schema": {"type": "string"},
            }
        },
    }
    for status, description in (
        (200, "What was asked for."),
        (304, "The browser has it already."),
    )
}
"""How OpenAPI describes an answer that a browser may cache."""


def answer(payload: BaseModel, status: int = 200) -> Response:
    """Return a payload as a response."""
    return Response(payload.model_dump_json(), status, media_type=_JSON)


def tag_of(*parts: str | bytes) -> str:
    """Return the ETag for these parts.

    The tags are weak: the same answer is sent with and without compression.
    """
    made = hashlib.sha256()
    for part in parts:
        raw = part.encode("utf-8", "replace") if isinstance(part, str) else part
        made.update(len(raw).to_bytes(8, "big") + raw)
    return f'W/"{made.hexdigest()[:_TAG_CHARS]}"'


def is_known(tag: str, if_none_match: str | None) -> bool:
    """Return whether the browser has `tag`; it may send a list."""
    if not if_none_match:
        return False
    if if_none_match.strip() == "*":
        return True
    bare = tag.removeprefix("W/").strip('"')
    return bare in _TAG.findall(if_none_match[:_MOST_CHARS])


async def tagged(
    request: Request,
    tag: str,
    make: Callable[[], Awaitable[Response]],
    *,
    is_private: bool,
    max_age_s: int = 0,
) -> Response:
    """Return the answer with this tag, or 304 if the browser has it.

    Args:
        request: from the browser.
        tag: of the answer.
        make: makes the answer if the browser does not have it.
        is_private: whether it is for this reader only.
        max_age_s: for how long the browser need not ask again.
    """
    who = "private" if is_private else "public"
    fresh = f"max-age={max_age_s}" if max_age_s else "no-cache"
    known = is_known(tag, request.headers.get("If-None-Match"))
    made = Response(status_code=304) if known else await make()
    made.headers["ETag"] = tag
    made.headers["Cache-Control"] = f"{who}, {fresh}"
    return made


def unpacked(packed: bytes, request: Request) -> Response:
    """Return an already compressed answer in a form the browser accepts."""
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        return Response(packed, 200, {"Content-Encoding": "gzip"}, _JSON)
    return Response(gzip.decompress(packed), media_type=_JSON)


def packed(payload: BaseModel) -> bytes:
    """Return a payload as compressed JSON; a long one takes some milliseconds."""
    return gzip.compress(payload.model_dump_json().encode(), _LEVEL, mtime=0)


class Remembered:
    """The latest answers, compressed, by their tags: many people read the same pages.

    A tag changes whenever its answer may change, and differs between readers, so the
    remembered answer is the one that would be made again.

    Args:
        most: the maximum number of answers.
        most_bytes: the maximum total size.
    """

    def __init__(self, most: int = 64, most_bytes: int = 16 * 1024 * 1024) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._bodies: OrderedDict[str, bytes] = OrderedDict()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._bodies)

    def get(self, tag: str) -> bytes | None:
        """Return the answer with this tag; None if it is not remembered."""
        body = self._bodies.get(tag)
        if body is not None:
            self._bodies.move_to_end(tag)
        return body

    def keep(self, tag: str, body: bytes) -> None:
        """Remember an answer, and forget the least recently used ones."""
        self._bytes += len(body) - len(self._bodies.pop(tag, b""))
        self._bodies[tag] = body
        while len(self._bodies) > self._most or self._bytes > self._most_bytes:
            self._bytes -= len(self._bodies.popitem(last=False)[1])


class Repeats:
    """Repeats earlier answers.

    Within a process, simultaneous requests wait for each other; between processes the
    first stored answer counts, and both did the same.
    """

    def __init__(self, store: Store) -> None:
        self._answers = store.answers
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def once(
        self,
        request: Request,
        who: tuple[str, IdempotencyKey],
        body: BaseModel,
        now: datetime,
        act: Callable[[], Awaitable[BaseModel]],
    ) -> Response:
        """Return what `act` returns, or returned the first time; status 201.

        Args:
            request: the request.
            who: the reader, and their key.
            body: what they sent.
            now: the time of the answer.
            act: carries it out.

        Raises:
            Refusal: the key was used for something else, or it cannot be done.
        """
        name = _hash(*who)
        body_sha256 = _hash(
            f"{request.method} {request.url.path}\n{body.model_dump_json()}"
        )
        lock = self._locks.setdefault(name, asyncio.Lock())
        async with lock:
            stored = await asyncio.to_thread(self._answers.get, name)
            if stored is None:
                status, text = await _done(act)
                fresh = StoredAnswer(name, body_sha256, status, text, now)
                stored = await asyncio.to_thread(self._answers.keep, fresh)
        if stored.body_sha256 != body_sha256:
            raise Refusal(409, "This key was used for another request. Make a new one.")
        return Response(stored.answer, stored.status, media_type=_JSON)


async def _done(act: Callable[[], Awaitable[BaseModel]]) -> tuple[int, str]:
    try:
        return 201, (await act()).model_dump_json()
    except Refusal as refusal:
        if refusal.status_code == _FINAL:
            return _FINAL, refusal.text
        raise


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
