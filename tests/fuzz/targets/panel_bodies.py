"""What anybody can send to the panel's API: a model, or a refusal in words of ours."""

import json
from contextlib import suppress
from typing import Any, get_origin
from urllib.parse import parse_qsl

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, TypeAdapter, ValidationError

from gadget.api.problems import MEANINGS, malformed
from gadget.payloads import fields, requests
from tests.fuzz.target import Target, require, storable

_BODIES: tuple[type[BaseModel], ...] = (
    requests.DecisionAsked,
    requests.Preference,
    requests.Review,
    requests.SignInAsked,
    requests.Finish,
)
_QUERIES: tuple[type[BaseModel], ...] = (
    requests.PageQuery,
    requests.CountsQuery,
    requests.EventsQuery,
    requests.QueueQuery,
)
_PATHS: tuple[Any, ...] = (fields.Identity, fields.Number, fields.Token)
_CLIENT = range(400, 500)
_LONGEST = 1_000


def check(data: bytes) -> None:
    """A model that can be stored, or a refusal that tells nothing of the inside."""
    with suppress(ValueError, RecursionError):  # these the framework answers
        body = json.loads(data)
        for kind in _BODIES:
            _tried(kind, body, "body")
    text = data.decode("utf-8", "replace")
    given = parse_qsl(text[:2_000], keep_blank_values=True, max_num_fields=None)
    names = {name: [value for key, value in given if key == name] for name, _ in given}
    for kind in _QUERIES:
        lists = {
            name
            for name, field in kind.model_fields.items()
            if get_origin(field.annotation) is list
        }
        query = {
            name: values if name in lists else values[-1]
            for name, values in names.items()
        }
        _tried(kind, query, "query")
    for path in _PATHS:
        _tried(path, text, "path")


def _tried(kind: Any, value: object, place: str) -> None:
    try:
        storable(TypeAdapter(kind).validate_python(value), "a value")
    except ValidationError as error:
        found = [one | {"loc": (place, *one["loc"])} for one in error.errors()]
        refusal = malformed(RequestValidationError(found))
        require(
            refusal.status_code in _CLIENT and refusal.status_code in MEANINGS,
            "not theirs to mend",
        )
        detail = refusal.detail
        require(detail.isprintable() and len(detail) < _LONGEST, "no words of ours")
        storable(detail)


TARGET = Target(
    name="panel_bodies",
    promises="a value that can be stored, or a refusal that tells nothing of the inside",
    check=check,
    words=(
        b"{", b"}", b"[", b"]", b'"', b":", b",", b"&", b"=", b"%", b"+", b"title=", b"wiki=",
        b"revision=", b"since=2026-10-01T12:00:00Z", b"after=", b"limit=50", b'"kind":"accept"',
        b'"kind":"dismiss"', b'"kind":"wrong verdict"', b'"wiki":"en.wikipedia.org"',
        b'"identity":"0f0f"', b'"reason":', b'"revision":9', b'"right_verdict":', b'"preferred":',
        b'"outcome":', b'"errors":[', b'"way":"oauth"', b'"user":', b'"secret_sha256":',
        b'"secret":', b"0f" * 32, b"\\ud800", b"\\u0000", b"%00", b"%ED%A0%80", b"\xff", b"1e3",
        b"true", b"null", b"99999999999999999999", b"-1", b"1" * 17, b"[" * 60, b"0001-01-01",
        b"\xd9\xa1", b"\xef\xbc\x91", b"\n",
    ),
    seeds=(
        b'{"kind":"accept","wiki":"en.wikipedia.org","identity":"0f0f","revision":9}',
        b'{"kind":"dismiss","wiki":"a.b:80","identity":"x","reason":"other"}',
        b'{"kind":"wrong verdict","wiki":"a","identity":"x","right_verdict":"supported"}',
        b'{"preferred":"first"}', b'{"secret":"abcdefgh"}',
        b'{"wiki":"a","identity":"b","outcome":"fine","errors":[]}',
        b'{"wiki":"a","way":"proof","user":"A","secret_sha256":"' + b"0f" * 32 + b'"}',
        b"wiki=en.wikipedia.org&title=Oslo&revision=7", b"wiki=a&title=b&title=c",
        b"wiki=a&title=b&since=2026-10-01T12%3A00%3A00Z", b"after=x&limit=5", b"12", b"abcdefgh",
    ),
)  # fmt: skip
