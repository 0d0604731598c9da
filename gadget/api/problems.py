"""Error answers and their wording. They never reveal anything internal."""

from collections.abc import Iterable, Mapping
from math import ceil
from typing import Any

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ExceptionHandler

from bot.records.accounts import RefusedError
from bot.surfaces.messages import message
from gadget.cards.builder import message_shown
from gadget.payloads.answers import Problem, ProblemAnswer
from gadget.payloads.cards import MessageShown
from handlers.model import Message
from handlers.ports import PermanentError, TemporaryError

_MOST_NAMED = 3
_LONGEST_NAME = 60
_LATE_S = 5.0
_CLOSING = frozenset({408, 413})  # nobody reads the rest of the body

MEANINGS: Mapping[int, tuple[str, str]] = {
    400: (
        "bad-request",
        "Something in the request is missing, superfluous, or of the wrong type.",
    ),
    401: ("signed-out", "The reader must be signed in."),
    403: ("refused", "Not allowed for a page of this origin, or for this reader."),
    404: ("unknown", "It does not exist."),
    405: ("no-such-method", "The method is not allowed; `Allow` names those that are."),
    408: ("too-slow", "The body did not arrive in time."),
    409: ("key-reused", "The key of the request was used for another request."),
    413: ("too-large", "The body is too large."),
    415: ("not-json", "The body is not JSON."),
    421: ("not-here", "The server is not known by this name."),
    429: ("too-many", "Too many requests; `Retry-After` says when to try again."),
    500: ("fault", "A fault of the server."),
    503: ("out-of-reach", "The database or the wiki cannot be reached."),
}
"""The code of each status for programs, and its description in OpenAPI."""


class Refusal(HTTPException):
    """An answer that is not what was asked for; `message` is for people.

    A message with a key is shown to readers in their language.
    """

    def __init__(
        self,
        status: int,
        message: str | Message,
        retry_in_s: float | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(status, str(message), dict(headers or {}))
        self.reason = message if isinstance(message, Message) else None
        self.wait_s = None if retry_in_s is None else max(1, ceil(retry_in_s))

    @property
    def text(self) -> str:
        """Return it as JSON."""
        code = MEANINGS[self.status_code][0]
        problem = Problem(
            code=code,
            message=self.detail,
            retry_in_s=self.wait_s,
            reason=reason_shown(self.reason),
        )
        return ProblemAnswer(error=problem).model_dump_json()


def reason_shown(reason: Message | None) -> MessageShown | None:
    """Return a reason for the script; None if it is only in English."""
    return message_shown(reason) if reason and reason.key else None


def response(refusal: Refusal) -> Response:
    """Return a refusal as a response, with its headers."""
    headers = dict(refusal.headers or {})
    if refusal.wait_s is not None:
        headers["Retry-After"] = str(refusal.wait_s)
    if refusal.status_code in _CLOSING:
        headers["Connection"] = "close"
    return Response(refusal.text, refusal.status_code, headers, "application/json")


def unknown(what: str) -> Refusal:
    """Return the answer for something that does not exist."""
    return Refusal(404, f"There is no such {what} here.")


def signed_out() -> Refusal:
    """Return the answer to somebody who is not signed in, or no longer."""
    return Refusal(
        401,
        "You are not signed in, or no longer. Sign in and try again.",
        headers={"WWW-Authenticate": 'Bearer realm="sidenote"'},
    )


def too_many(wait_s: float) -> Refusal:
    """Return the answer to somebody who asks too often."""
    return Refusal(429, "Too many requests. Wait a moment, then try again.", wait_s)


def fault() -> Refusal:
    """Return the answer after an internal error."""
    detail = "This is an error in Sidenote; its operator can see details in the log."
    return Refusal(500, Message("failure-fault", detail))


def _out_of_reach(retry_in_s: float) -> Refusal:
    return Refusal(503, message("refusal-out-of-reach"), retry_in_s)


def malformed(error: RequestValidationError) -> Refusal:
    """Say which values are wrong, and how; the values themselves are not repeated."""
    found = error.errors()
    if any(one["loc"][0] == "path" for one in found):
        return Refusal(404, "The name is not valid.")
    named = [f"`{_name(one['loc'])}`: {_cause(one)}" for one in found[:_MOST_NAMED]]
    more = len(found) - len(named)
    rest = f"; and {more} more" if more > 0 else ""
    return Refusal(400, f"Correct {'; '.join(named)}{rest}.")


def _name(places: Iterable[int | str]) -> str:
    name = ".".join(str(place) for place in places)
    shown = "".join(c if c.isprintable() and c != "`" else "?" for c in name)
    return shown[:_LONGEST_NAME]


def _cause(found: Any) -> str:
    if found["type"] == "union_tag_invalid":
        return "not one of the allowed values"
    return str(found["msg"]).rstrip(".")[:200]


def _of_http(error: Any) -> Refusal:
    if isinstance(error, Refusal):
        return error
    why = {
        404: "There is nothing at this address.",
        405: "This cannot be done with that method.",
    }
    if error.status_code in why:
        status = error.status_code
        return Refusal(status, why[status], None, error.headers)
    return Refusal(400, "Correct `body`: it is not JSON that can be read.")


def _of_reader(error: Any) -> Refusal:
    return Refusal(403, error.reason)


def handlers() -> Mapping[type[Exception], ExceptionHandler]:
    """Return how each error is answered, specific ones before general ones.

    Messages are for the log only, except those worded for readers.
    """

    def answered(refusal_of: Any) -> ExceptionHandler:
        async def answer(_: Request, error: Exception) -> Response:
            return response(refusal_of(error))

        return answer

    return {
        HTTPException: answered(_of_http),
        RequestValidationError: answered(malformed),
        RefusedError: answered(_of_reader),
        TemporaryError: answered(lambda error: _out_of_reach(error.retry_in_s)),
        PermanentError: answered(
            lambda _: Refusal(404, "There is nothing to show for this here.")
        ),
        TimeoutError: answered(lambda _: _out_of_reach(_LATE_S)),
    }


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return what the document says about these refusals."""
    return {status: _documented(status) for status in statuses}


def _documented(status: int) -> dict[str, Any]:
    code, meaning = MEANINGS[status]
    waits = status in {429, 503}
    problem = {"code": code, "message": meaning, "retry_in_s": 5 if waits else None}
    entry: dict[str, Any] = {
        "model": ProblemAnswer,
        "description": meaning,
        "content": {"application/json": {"example": {"error": problem}}},
    }
    if waits:
        entry["headers"] = {
            "Retry-After": {
                "description": "In how many seconds to ask again.",
                "schema": {"type": "integer", "minimum": 1},
            }
        }
    return entry
