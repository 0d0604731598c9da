"""Tells the failures of search services apart, by what all of them have in common.

What passes by itself is a `TemporaryError`, a question that is not taken a
`PermanentError`, and a service that takes none of our questions a `RefusedError`.
"""

from http import HTTPStatus

from bot.search.services.asking import Answer, RefusedError
from handlers.ports import PermanentError, TemporaryError

BUSY_S = 60.0
DAY_S = 86_400.0
_OUR_FAULT = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})
_PASSING = frozenset(
    {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.LOCKED}
)

Failure = PermanentError | TemporaryError


def failure_of(
    name: str, answer: Answer, *, remedy: str, pause_s: float = BUSY_S
) -> Failure | None:
    """Return what an answer's status tells of failure, `None` for a success.

    Args:
        name: of the service.
        answer: with any status.
        remedy: what a person does where we are refused.
        pause_s: how long to wait where it asks too much, and does not say how long.
    """
    status = answer.status
    if status == HTTPStatus.OK:
        return None
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return too_often(name, answer, pause_s)
    if status in _OUR_FAULT:
        return RefusedError(f"{name} refuses us ({_told(answer)}); {remedy}")
    if status in _PASSING or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        wait_s = answer.wait_s if answer.wait_s is not None else BUSY_S
        return TemporaryError(
            f"{name} is out of order or busy ({_told(answer)})", retry_in_s=wait_s
        )
    if status == HTTPStatus.PAYMENT_REQUIRED:
        return spent(name, answer, DAY_S)
    return PermanentError(f"{name} does not take our question ({_told(answer)})")


def too_often(name: str, answer: Answer, pause_s: float) -> TemporaryError:
    """Return the failure where a service wants to be asked less often."""
    wait_s = answer.wait_s if answer.wait_s is not None else pause_s
    return TemporaryError(
        f"{name} says that we ask too often ({_told(answer)})", retry_in_s=wait_s
    )


def spent(name: str, answer: Answer, wait_s: float) -> TemporaryError:
    """Return the failure where the plan at a service allows no more for now."""
    return TemporaryError(
        f"{name} says that our quota there is spent ({_told(answer)}); wait, or buy more",
        retry_in_s=wait_s,
    )


def strange(name: str, answer: Answer) -> TemporaryError:
    """Return the failure where an answer is none of this service."""
    told = f": {answer.told}" if answer.told else ""
    return TemporaryError(
        f"{name} did not answer in its own form{told}; if that lasts, check its address"
        " in SIDENOTE_SEARCH_ADDRESSES",
        retry_in_s=BUSY_S,
    )


def _told(answer: Answer) -> str:
    return f"{answer.status}: {answer.told}" if answer.told else str(answer.status)
