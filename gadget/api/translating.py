"""What an error is for the public. What its message says is for the log alone."""

from collections.abc import Callable, Mapping
from typing import Any

from aiohttp import web

from bot.readers import RefusedError
from gadget.api.problems import Refusal, out_of_reach
from handlers.ports import PermanentError, TemporaryError

_LATE_S = 5.0


def refusal_of(error: Exception) -> Refusal | None:
    """Return how an error is answered; None if it is a fault of ours."""
    for kind, told in _TOLD.items():
        if isinstance(error, kind):
            return told(error)
    return None


def _refused(error: Any) -> Refusal:
    why = str(error)  # made for the reader
    return Refusal(403, f"{why[:1].upper()}{why[1:].rstrip('.')}.")


def _away(error: Any) -> Refusal:
    return out_of_reach(error.retry_in_s)


def _no_method(error: Any) -> Refusal:
    allowed = {"Allow": ", ".join(sorted(error.allowed_methods))}
    return Refusal(405, "This cannot be done with that method.", None, allowed)


# The first that fits, so the special before the general.
_TOLD: Mapping[type[Exception], Callable[[Any], Refusal]] = {
    Refusal: lambda error: error,
    RefusedError: _refused,
    TemporaryError: _away,
    PermanentError: lambda _: Refusal(404, "There is nothing to show of this here."),
    TimeoutError: lambda _: out_of_reach(_LATE_S),
    web.HTTPMethodNotAllowed: _no_method,
    web.HTTPNotFound: lambda _: Refusal(404, "There is nothing at this address."),
    web.HTTPException: lambda _: Refusal(400, "This cannot be answered."),
}
