"""Which failures of a server can be tried again, and which are final.

Nothing that a server says in an error is ever shown: it may repeat what was sent,
key and all. It is only searched for the few words that tell failures apart.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus

from bot.models.language_model.replies import words_of_error
from bot.sources.waiting import asked_wait_s
from handlers.ports import ModelUnusableError

_TURNED_AWAY = frozenset({429, 503, 529})
_WORTH_ANOTHER_TRY = frozenset({408, 409, 425, 429})
_CONTENT = frozenset({400, 413, 422})
_NO_CREDIT = ("insufficient_quota", "billing", "credit balance")
_TOO_LONG = ("context_length", "context length", "too long", "maximum context")
_REFUSED = ("content_filter", "content_policy", "content management policy")


class OutOfBudgetError(Exception):
    """The request was not sent, for it could pass the budget; the message says why."""


class TooLongError(Exception):
    """The model cannot read so much at once."""


class NotAnsweredError(Exception):
    """The server turned this one question down, and would again."""


class RefusedError(Exception):
    """The server's filter would not have this content."""


class FailedTryError(Exception):
    """One try failed in a way that another may not.

    `wait_s` is what the server asks for; `may_be_billed` where it may have worked.
    """

    def __init__(
        self, why: str, *, may_be_billed: bool, wait_s: float | None = None
    ) -> None:
        super().__init__(why)
        self.why = why
        self.may_be_billed = may_be_billed
        self.wait_s = wait_s


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """What came back. Names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def is_fine(self) -> bool:
        """Whether the server says that it did what it was asked."""
        return self.status == HTTPStatus.OK

    @property
    def may_be_billed(self) -> bool:
        """Whether the model may have worked although there is no answer."""
        failed_inside = self.status >= HTTPStatus.INTERNAL_SERVER_ERROR
        return failed_inside and self.status not in _TURNED_AWAY

    @property
    def words(self) -> str:
        """What its error says, for matching alone."""
        return words_of_error(self.body)


def failure(answer: HttpAnswer, *, model: str, address: str) -> Exception:
    """Return what the answer of a server that did not do as asked amounts to."""
    status, words = answer.status, answer.words
    if status in _CONTENT:
        return _about_content(status, words)
    if status == HTTPStatus.TOO_MANY_REQUESTS and _any(_NO_CREDIT, words):
        return _no_credit(address)
    if status in _WORTH_ANOTHER_TRY or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return FailedTryError(
            _why(status),
            may_be_billed=answer.may_be_billed,
            wait_s=asked_wait_s(answer.headers, datetime.now(UTC)),
        )
    return _final(status, model, address)


def _why(status: int) -> str:
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return "asks for fewer requests (429)"
    return f"is out of order ({status})"


def _about_content(status: int, words: str) -> Exception:
    if _any(_TOO_LONG, words):
        return TooLongError()
    if _any(_REFUSED, words):
        return RefusedError()
    return NotAnsweredError(f"the server answered {status}")


def _final(status: int, model: str, address: str) -> ModelUnusableError:
    match status:
        case HTTPStatus.UNAUTHORIZED | HTTPStatus.FORBIDDEN:
            return ModelUnusableError(
                f"{address} does not accept the key for its language model ({status});"
                " check SIDENOTE_LANGUAGE_MODEL_KEY"
            )
        case HTTPStatus.PAYMENT_REQUIRED:
            return _no_credit(address)
        case HTTPStatus.NOT_FOUND:
            return ModelUnusableError(
                f"there is no language model {model!r} at {address} (404); check"
                " SIDENOTE_LANGUAGE_MODEL_NAME and the address, which often ends in /v1"
            )
    if HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST:
        return ModelUnusableError(
            f"{address} sends us elsewhere ({status}), where the key must not go; set"
            " SIDENOTE_LANGUAGE_MODEL_ADDRESS to the address itself"
        )
    return ModelUnusableError(
        f"{address} did not answer as a language model's server does ({status}); check"
        " SIDENOTE_LANGUAGE_MODEL_ADDRESS"
    )


def _no_credit(address: str) -> ModelUnusableError:
    return ModelUnusableError(
        f"the account at {address} has no credit left; check it with the provider"
    )


def _any(wanted: tuple[str, ...], words: str) -> bool:
    return any(word in words for word in wanted)
