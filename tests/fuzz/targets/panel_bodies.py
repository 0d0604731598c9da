"""What anybody can send to the panel's API: a model, or a refusal in words of ours."""

from collections.abc import Callable
from functools import partial
from urllib.parse import parse_qsl

from multidict import MultiDict
from pydantic import BaseModel

from gadget.api.body import body_of, names_of, query_of
from gadget.api.problems import CODES, Refusal
from gadget.payloads import paths, requests
from tests.fuzz.target import Target, require, storable

_BODIES: tuple[type[BaseModel], ...] = (
    requests.DecisionAsked,
    requests.Preference,
    requests.Review,
    requests.SignInAsked,
    requests.Finish,
)
_QUERIES: tuple[type[BaseModel], ...] = (
    requests.Nothing,
    requests.PageQuery,
    requests.CountsQuery,
    requests.EventsQuery,
    requests.QueueQuery,
)
_PATHS: tuple[type[BaseModel], ...] = (
    paths.CardName,
    paths.DecisionName,
    paths.ComparisonName,
    paths.SignInName,
)
_CLIENT = range(400, 500)
_LONGEST = 1_000


def check(data: bytes) -> None:
    """A model that can be stored, or a refusal that tells nothing of the inside."""
    for body in _BODIES:
        _tried(partial(body_of, body, data))
    text = data.decode("utf-8", "replace")
    given = MultiDict(
        parse_qsl(text[:2_000], keep_blank_values=True, max_num_fields=None)
    )
    for query in _QUERIES:
        _tried(partial(query_of, query, given))
    for path in _PATHS:
        _tried(partial(names_of, path, dict.fromkeys(path.model_fields, text)))


def _tried(reading: Callable[[], BaseModel]) -> None:
    try:
        storable(reading(), "a model")
    except Refusal as refusal:
        require(
            refusal.status in _CLIENT and refusal.status in CODES, "not theirs to mend"
        )
        told = refusal.message
        require(told.isprintable() and len(told) < _LONGEST, "no words of ours")
        storable(told)


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
