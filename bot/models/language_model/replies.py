"""Checks what a model's server answers before anything is done with it.

Servers wrap answers in different ways, so some wrapping is removed: reasoning between
`<think>` tags, a code fence, words before and after. The JSON itself is read strictly:
exactly one object, no duplicate name, no NaN, no field missing and none that was not
asked for. Failures are also sorted here: those worth retrying, and those that are
final.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any, NoReturn

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from bot.models.language_model.budget import Tokens
from bot.sources.manners import retry_after_s
from handlers.ports import ModelUnusableError, T

_MOST_TRIES = 200  # opening braces that are tried as the start of an object
_MAX_PASSES = 8  # of one answer to its end, where nested objects are cut off
_THINKING = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_THINKING_END = re.compile(r"</think(?:ing)?>")
_THINKING_START = re.compile(r"<think(?:ing)?>")
_MOST_TOKENS = 10**9


class NotTheFormError(ValueError):
    """The answer is not what was asked for; the message says why, in our words."""


class _Border(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)


class _Usage(_Border):
    prompt_tokens: int = Field(ge=0)
    completion_tokens: int = Field(ge=0)


class _Message(_Border):
    content: str | None = None
    refusal: str | None = None


class _Choice(_Border):
    message: _Message
    finish_reason: str | None = None


class Completion(_Border):
    """The part of a chat completion that is read; the rest is ignored."""

    choices: list[_Choice] = Field(min_length=1)

    @property
    def text(self) -> str:
        """What the model said; empty if it said nothing."""
        return self.choices[0].message.content or ""

    @property
    def is_refused(self) -> bool:
        """Whether the model, or a filter of its server, refused to answer."""
        one = self.choices[0]
        return bool(one.message.refusal) or one.finish_reason == "content_filter"

    @property
    def is_cut_off(self) -> bool:
        """Whether the answer was cut off at its length limit."""
        return self.choices[0].finish_reason == "length"


class _Counted(_Border):
    usage: _Usage


class _ErrorBody(_Border):
    code: str | int | None = None
    type: str | None = None
    param: str | None = None
    message: str | None = None


class _Error(_Border):
    error: _ErrorBody


def read_completion(body: bytes) -> Completion:
    """Return the completion in `body`, or raise `NotTheFormError`."""
    try:
        return Completion.model_validate(_json(body))
    except (ValueError, RecursionError) as error:
        raise NotTheFormError("it is not a chat completion") from error


def tokens_counted(body: bytes) -> Tokens | None:
    """Return the server's own count, if it gives a plausible one."""
    try:
        usage = _Counted.model_validate(_json(body)).usage
    except (ValueError, RecursionError):
        return None
    return Tokens(
        min(usage.prompt_tokens, _MOST_TOKENS),
        min(usage.completion_tokens, _MOST_TOKENS),
    )


def words_of_error(body: bytes) -> str:
    """Return code, type, parameter and message of an error, only to be matched.

    Never shown: an error may repeat what was sent, even the key.
    """
    try:
        error = _Error.model_validate(_json(body)).error
    except (ValueError, RecursionError):
        return body[:2000].decode("utf-8", "replace").lower()
    parts = (error.code, error.type, error.param, error.message)
    return " ".join(str(part) for part in parts if part is not None)[:2000].lower()


def read_answer(text: str, form: type[T]) -> T:
    """Return the one JSON object in `text`, in its form, or raise `NotTheFormError`."""
    found = list(_objects(_without_thinking(text)))
    if not found:
        raise NotTheFormError("it contains no complete JSON object")
    if len(found) > 1:
        raise NotTheFormError("it contains more than one JSON object")
    try:
        json.dumps(found[0], ensure_ascii=False).encode()  # a lone surrogate
        return form.model_validate(found[0])
    except ValidationError as error:
        raise NotTheFormError(_faults(error)) from error
    except UnicodeEncodeError as error:
        raise NotTheFormError("it contains half a character") from error


def _without_thinking(text: str) -> str:
    # Before the last end tag, every opened thought is closed. Without that limit, each
    # of a hundred thousand unclosed ones would be searched to the end of the answer.
    closed = max((found.end() for found in _THINKING_END.finditer(text)), default=0)
    spoken = _THINKING.sub("", text[:closed]) + text[closed:]
    # If a server opens the thought itself, only its end tag is in the answer.
    spoken = _THINKING_END.split(spoken)[-1]
    return _THINKING_START.split(spoken)[0]


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the outermost JSON objects in `text`."""
    decoder = json.JSONDecoder(
        object_pairs_hook=_unique, parse_constant=_refuse_constant
    )
    at = text.find("{")
    left = _MAX_PASSES * len(text)
    for _ in range(_MOST_TRIES):
        if at < 0 or left < 0:
            return
        try:
            value, at = decoder.raw_decode(text, at)
            yield value
        except (ValueError, RecursionError) as error:
            left -= getattr(error, "pos", len(text)) - at
            at += 1
        at = text.find("{", at)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name occurs twice")
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _json(body: bytes) -> Any:
    return json.loads(body)


def _faults(error: ValidationError) -> str:
    """Say which fields are wrong, by our own names and never with values."""
    first = error.errors(include_input=False, include_url=False)[:3]
    return "; ".join(
        f"{fault['type']} at {'.'.join(str(part)[:20] for part in _place(fault))}"
        for fault in first
    )


def _place(fault: ErrorDetails) -> tuple[int | str, ...]:
    """Return where a fault is, but not the name of a field that the model made up."""
    is_unknown = fault["type"] == "extra_forbidden"
    return (fault["loc"][:-1] if is_unknown else fault["loc"])[:4]


_TURNED_AWAY = frozenset({429, 503, 529})
_WORTH_ANOTHER_TRY = frozenset({408, 409, 425, 429})
_CONTENT = frozenset({400, 413, 422})
# A server's error message is never shown, because it may repeat what was sent,
# including the key. It is only searched for the few words that distinguish failures.
_NO_CREDIT = ("insufficient_quota", "billing", "credit balance")
_TOO_LONG = ("context_length", "context length", "too long", "maximum context")
_REFUSED = ("content_filter", "content_policy", "content management policy")


class OutOfBudgetError(Exception):
    """Not sent, because it could exceed the budget; the message says why."""


class TooLongError(Exception):
    """The question is too long for the model."""


class NotAnsweredError(Exception):
    """The server refused this one question, and would refuse it again."""


class RefusedError(Exception):
    """The server's filter refused this content."""


class FailedTryError(Exception):
    """One try failed in a way that another may not.

    `wait_s` is how long the server asks us to wait; `may_be_billed` says that it may
    have done the work.
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
    """The server's answer. Header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def is_fine(self) -> bool:
        """Whether the server says that it did what it was asked."""
        return self.status == HTTPStatus.OK

    @property
    def may_be_billed(self) -> bool:
        """Whether the model may have done the work although there is no answer."""
        failed_inside = self.status >= HTTPStatus.INTERNAL_SERVER_ERROR
        return failed_inside and self.status not in _TURNED_AWAY

    @property
    def words(self) -> str:
        """The text of its error, only to be matched."""
        return words_of_error(self.body)


def failure(answer: HttpAnswer, *, model: str, address: str) -> Exception:
    """Return the failure that an unsuccessful answer of the server means."""
    status, words = answer.status, answer.words
    if status in _CONTENT:
        return _about_content(status, words)
    if status == HTTPStatus.TOO_MANY_REQUESTS and _any(_NO_CREDIT, words):
        return _no_credit(address)
    if status in _WORTH_ANOTHER_TRY or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return FailedTryError(
            _why(status),
            may_be_billed=answer.may_be_billed,
            wait_s=retry_after_s(answer.headers, datetime.now(UTC)),
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
            f"{address} redirects elsewhere ({status}), where the key must not be sent;"
            " set"
            " SIDENOTE_LANGUAGE_MODEL_ADDRESS to the final address"
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
