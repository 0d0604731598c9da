"""Reads what was sent: each name once, a body of bounded size, nothing but JSON."""

import asyncio
import re
from collections.abc import Mapping
from typing import Any, TypeVar, get_origin

from aiohttp import web
from multidict import MultiMapping
from pydantic import BaseModel, ValidationError

from gadget.api.problems import Refusal, malformed

_Model = TypeVar("_Model", bound=BaseModel)
_JSON = "application/json"
_KEY = re.compile(r"[A-Za-z0-9._~-]{8,128}", re.ASCII)
_TOKEN = re.compile(r"bearer +([A-Za-z0-9._~+/=-]{8,512})", re.ASCII | re.IGNORECASE)
KEY_HEADER = "Idempotency-Key"
KEY_PATTERN = r"^[A-Za-z0-9._~-]{8,128}$"


def query_of(kind: type[_Model], given: MultiMapping[str]) -> _Model:
    """Return the query as a model; a name counts once, unless it is of a list.

    Raises:
        Refusal: a name is there twice or is not known, or a value is not of its kind.
    """
    values: dict[str, Any] = {}
    for name in dict.fromkeys(given):
        found = given.getall(name)
        field = kind.model_fields.get(name)
        if field is not None and get_origin(field.annotation) is list:
            values[name] = found
        elif len(found) > 1:
            raise Refusal(400, "A name stands in the query twice; send each once.")
        else:
            values[name] = found[0]
    return _checked(kind, values)


def names_of(kind: type[_Model], given: Mapping[str, str]) -> _Model:
    """Return the names of a path as a model.

    Raises:
        Refusal: there can be nothing by such a name.
    """
    try:
        return kind.model_validate(dict(given))
    except ValidationError:
        raise Refusal(404, "There can be nothing by this name.") from None


def body_of(kind: type[_Model], body: bytes) -> _Model:
    """Return a body as a model.

    Raises:
        Refusal: it is not JSON, or not of this form.
    """
    try:
        return kind.model_validate_json(body, strict=True)
    except ValidationError as error:
        raise malformed(error) from None


def _checked(kind: type[_Model], values: dict[str, Any]) -> _Model:
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        raise malformed(error) from None


async def read_body(
    request: web.Request, *, most_bytes: int, longest_s: float
) -> bytes:
    """Return the body of a request.

    The size is that of what arrives, whatever the headers say of it.

    Raises:
        Refusal: it is too large, too slow, or not said to be JSON.
    """
    if request.content_type != _JSON or (request.charset or "utf-8").lower() != "utf-8":
        raise Refusal(415, f"Send JSON, with the header Content-Type: {_JSON}.")
    if request.headers.get("Content-Encoding", "identity") != "identity":
        raise Refusal(415, "Send the body as it is, without compressing it.")
    if (request.content_length or 0) > most_bytes:
        raise _too_large(most_bytes)
    try:
        async with asyncio.timeout(longest_s):
            return await _bounded(request, most_bytes)
    except TimeoutError:
        raise Refusal(408, "The body did not arrive in time. Send it again.") from None


async def _bounded(request: web.Request, most_bytes: int) -> bytes:
    read = bytearray()
    while piece := await request.content.readany():
        read += piece
        if len(read) > most_bytes:
            raise _too_large(most_bytes)
    return bytes(read)


def _too_large(most_bytes: int) -> Refusal:
    return Refusal(413, f"Send at most {most_bytes:,} bytes.")


def key_of(request: web.Request) -> str:
    """Return the key under which a request is done once.

    Raises:
        Refusal: there is none, or it cannot be one.
    """
    found = request.headers.getall(KEY_HEADER, [])
    if len(found) != 1 or not _KEY.fullmatch(found[0]):
        raise Refusal(
            400,
            f"Send the header {KEY_HEADER}: 8 to 128 letters, digits or `._~-`, new for"
            " each thing you do and the same when you send it again.",
        )
    return found[0]


def token_of(request: web.Request) -> str | None:
    """Return the token of who asks; None if there is none, or it cannot be one."""
    found = request.headers.getall("Authorization", [])
    match = _TOKEN.fullmatch(found[0].strip()) if len(found) == 1 else None
    return match[1] if match else None
