"""What is not answered, and in which words. Nothing of the inside is ever told."""

from collections.abc import Iterable, Mapping
from math import ceil
from typing import Any

from pydantic import ValidationError

_MOST_TOLD = 3
_LONGEST_NAME = 60

CODES: Mapping[int, str] = {
    400: "bad-request",
    401: "signed-out",
    403: "refused",
    404: "unknown",
    405: "no-such-method",
    408: "too-slow",
    409: "key-reused",
    413: "too-large",
    415: "not-json",
    421: "not-here",
    429: "too-many",
    500: "fault",
    503: "out-of-reach",
}
"""The name of each status for programs."""

MEANINGS: Mapping[int, str] = {
    400: "Something in the request is missing, too much, or not of its kind.",
    401: "It takes a reader who is signed in.",
    403: "Not for a page of this origin, or not for this reader.",
    404: "There is no such thing.",
    405: "Not with this method; `Allow` names those that do.",
    408: "The body did not arrive in time.",
    409: "The key of the request was used for another one.",
    413: "The body is too large.",
    415: "The body is not JSON.",
    421: "The server does not go by this name.",
    429: "Too many requests; `Retry-After` says when there may be more.",
    500: "A fault of the server.",
    503: "The database or the wiki is away.",
}
"""What each status says, for the document."""


class Refusal(Exception):  # noqa: N818 - an answer, not an error of ours
    """An answer that is not what was asked for; `message` is for people."""

    def __init__(
        self,
        status: int,
        message: str,
        retry_in_s: float | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.retry_in_s = retry_in_s
        self.headers = dict(headers or {})

    @property
    def code(self) -> str:
        """Return its name for programs."""
        return CODES[self.status]

    @property
    def wait_s(self) -> int | None:
        """Return in how many whole seconds it makes sense to ask again."""
        return None if self.retry_in_s is None else max(1, ceil(self.retry_in_s))


def unknown(what: str) -> Refusal:
    """Return the answer to who asks for something that is not there."""
    return Refusal(404, f"There is no such {what} here.")


def signed_out() -> Refusal:
    """Return the answer to somebody whom we do not know, or no longer."""
    return Refusal(
        401,
        "You are not signed in, or no longer. Sign in and try again.",
        headers={"WWW-Authenticate": 'Bearer realm="sidenote"'},
    )


def too_many(wait_s: float) -> Refusal:
    """Return the answer to somebody who asks too often."""
    return Refusal(
        429, "That is too much at once. Wait a little, then try again.", wait_s
    )


def out_of_reach(retry_in_s: float) -> Refusal:
    """Return the answer while something that we need is away."""
    return Refusal(
        503, "The wiki or our database cannot be reached. Try again later.", retry_in_s
    )


def fault() -> Refusal:
    """Return the answer after a fault of ours."""
    return Refusal(500, "This is a fault of Sidenote; its operator's log says more.")


def malformed(error: ValidationError) -> Refusal:
    """Say which values are wrong, and how; the values themselves are not repeated."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    told = [f"`{_name(one['loc'])}`: {_cause(one)}" for one in found[:_MOST_TOLD]]
    more = len(found) - len(told)
    rest = f"; and {more} more" if more > 0 else ""
    return Refusal(400, f"Correct {'; '.join(told)}{rest}.")


def _name(places: Iterable[int | str]) -> str:
    name = ".".join(str(place) for place in places) or "body"
    return "".join(c if c.isprintable() and c != "`" else "?" for c in name)[
        :_LONGEST_NAME
    ]


def _cause(found: Any) -> str:
    kind = found["type"]
    if kind == "union_tag_invalid":
        return "not one of the kinds there are"
    return str(found["msg"]).rstrip(".")[:200]
