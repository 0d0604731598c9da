"""How every payload behaves: closed, frozen, and strict about JSON types.

Everything that people send is of one of the kinds below, for both document and
validation: no text without a maximum length, no control character in a name.
"""

import re
from datetime import datetime
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
)


class Payload(BaseModel):
    """A JSON object with exactly these fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)


_NUMBER = re.compile(r"(?a:\d{1,16})")
_MOST_REVISION = 10**12

Wiki = Annotated[
    str,
    StringConstraints(
        min_length=1,
        max_length=255,
        pattern=r"^[a-z0-9]([a-z0-9.-]{0,240}[a-z0-9])?(:[0-9]{1,5})?$",
    ),
    Field(description="Host of a wiki.", examples=["en.wikipedia.org"]),
]
"""The host by which the settings name a wiki, with its port unless that is the usual one."""


Title = Annotated[
    str,
    StringConstraints(
        min_length=1,
        max_length=255,
        pattern=r"^[^\x00-\x1f\x7f-\x9f#<>\[\]{|}]+$",
    ),
    Field(description="Title of a page.", examples=["Lighthouse"]),
]

Identity = Annotated[
    str,
    StringConstraints(pattern=r"^[0-9A-Za-z_-]{1,64}$"),
    Field(description="The `id` of a card.", examples=["0f" * 32]),
]

Token = Annotated[
    str,
    StringConstraints(pattern=r"^[0-9A-Za-z._~-]{8,512}$"),
]
"""A name that was handed out here before, or a secret made by a script."""

HexHash = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


def whole(value: Any) -> Any:
    """Read a number from a query, where it is text; only digits are allowed."""
    if isinstance(value, str):
        return int(value) if _NUMBER.fullmatch(value) else value
    return value


def plain(value: Any) -> Any:
    """Read a whole number written as 5.0, which JSON Schema takes for an integer."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


Revision = Annotated[
    int,
    Field(
        ge=1,
        le=_MOST_REVISION,
        strict=True,
        description="Id of a page's revision.",
        examples=[1234567890],
    ),
    BeforeValidator(plain),
]
Number = Annotated[int, Field(ge=1, le=10**15, strict=True), BeforeValidator(whole)]
"""The name that a decision was given when it was kept, as part of an address."""

RequestedRevision = Annotated[Revision, BeforeValidator(whole)]
Limit = Annotated[int, Field(ge=1, le=50, strict=True), BeforeValidator(whole)]


def _aware(value: datetime) -> datetime:
    if value.tzinfo is None:
        raise ValueError("give a time with its time zone, such as 2026-10-01T12:00:00Z")
    return value


def _dated(value: Any) -> Any:
    """Reject a number of seconds as a time."""
    if isinstance(value, str) and not value[4:5] == "-":
        raise ValueError("give a time such as 2026-10-01T12:00:00Z")
    return value


Moment = Annotated[
    datetime,
    BeforeValidator(_dated),
    AfterValidator(_aware),
    Field(examples=["2026-10-01T12:00:00Z"]),
]
