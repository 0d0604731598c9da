"""What the stand-ins have in common: the parts of a request, and the refusals."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from enum import Enum, auto
from typing import Any

from aiohttp import web

from tests.rig.search.shelf import Shelf

PAGE_OF_HTML = "<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head></html>"


class Fault(Enum):
    """How a service fails next."""

    TOO_OFTEN = auto()  # in the service's own words, without a time to wait
    COME_LATER = auto()  # the same with Retry-After: 120
    SPENT = auto()  # the day's or the month's quota
    HTML = auto()  # a page of the load balancer, with status 200
    DOWN = auto()  # 503
    NOTHING = auto()  # success, but nothing found
    STRANGE = auto()  # JSON, but of another form
    BROKEN = auto()  # invalid JSON: cut off, or with wrong escapes
    MOVED = auto()  # a redirect to another host


@dataclass(frozen=True, slots=True)
class Asked:
    """One request, as a stand-in sees it."""

    service: str
    parameters: Mapping[str, str]
    headers: Mapping[str, str]
    body: Mapping[str, Any] = field(default_factory=dict)


class RefusedRequest(Exception):  # noqa: N818 - it carries the answer
    """The request is refused with this answer."""

    def __init__(self, answer: web.Response) -> None:
        super().__init__(answer.status)
        self.answer = answer


@dataclass(frozen=True, slots=True)
class Stand:
    """The data behind a service. `key` is the only key that it accepts."""

    shelf: Shelf
    key: str
    today: date


def as_json(
    content: object, status: int = 200, headers: Mapping[str, str] | None = None
) -> web.Response:
    """Return an answer in JSON."""
    return web.Response(
        text=json.dumps(content),
        status=status,
        content_type="application/json",
        headers=headers,
    )


def as_text(
    text: str, status: int = 200, headers: Mapping[str, str] | None = None
) -> web.Response:
    """Return an answer in plain text."""
    return web.Response(text=text, status=status, headers=headers)


def day(text: str, form: str) -> date:
    """Return a day written in a form of `strptime`.

    Raises:
        ValueError: it is written otherwise.
    """
    return datetime.strptime(text, form).date()  # noqa: DTZ007 - only the day counts


def range_of(text: str, sign: str, form: str) -> tuple[date, date]:
    """Return the two days on both sides of `sign`."""
    first, found, last = text.partition(sign)
    if not found:
        raise ValueError(text)
    return day(first, form), day(last, form)
