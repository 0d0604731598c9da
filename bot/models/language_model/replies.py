"""What a model's server answers, checked before anything is done with it.

Servers differ in what they wrap an answer in, so some wrapping is taken off:
reasoning between `<think>` tags, a code fence, words before and after. The JSON
itself is read strictly: exactly one object, no name in it twice, no NaN, nothing
left out and nothing more than was asked for. Failures are told apart here, too: those
that can be tried again, and those that are final.
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
from bot.sources.manners import asked_wait_s
from handlers.ports import ModelUnusableError, T

_MOST_TRIES = 200  # braces that may open an object
_MOST_READINGS = 8  # of one answer to its end, where objects in objects are broken off
_THOUGHT = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_TAIL_OF_THOUGHT = re.compile(r"</think(?:ing)?>")
_OPEN_THOUGHT = re.compile(r"<think(?:ing)?>")
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
        """What the model said; empty where it said nothing."""
        return self.choices[0].message.content or ""

    @property
    def is_refused(self) -> bool:
        """Whether the model or a filter of its server would not answer."""
        one = self.choices[0]
        return bool(one.message.refusal) or one.finish_reason == "content_filter"

    @property
    def is_cut_off(self) -> bool:
        """Whether it ran into the limit on its length."""
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
    """Return the completion that `body` holds, or raise `NotTheFormError`."""
    try:
        return Completion.model_validate(_json(body))
    except (ValueError, RecursionError) as error:
        raise NotTheFormError("it is not a chat completion") from error


def tokens_counted(body: bytes) -> Tokens | None:
    """Return the server's own count, where it gives one that is a count."""
    try:
        usage = _Counted.model_validate(_json(body)).usage
    except (ValueError, RecursionError):
        return None
    return Tokens(
        min(usage.prompt_tokens, _MOST_TOKENS),
        min(usage.completion_tokens, _MOST_TOKENS),
    )


def words_of_error(body: bytes) -> str:
    """Return code, type, parameter and message of an error, for matching alone.

    Never shown: an error may repeat what was sent, and even the key.
    """
    try:
        error = _Error.model_validate(_json(body)).error
    except (ValueError, RecursionError):
        return body[:2000].decode("utf-8", "replace").lower()
    parts = (error.code, error.type, error.param, error.message)
    return " ".join(str(part) for part in parts if part is not None)[:2000].lower()


def read_answer(text: str, form: type[T]) -> T:
    """Return the one JSON object in `text`, in its form, or raise `NotTheFormError`."""
    found = list(_objects(_without_thoughts(text)))
    if not found:
        raise NotTheFormError("it holds no whole JSON object")
    if len(found) > 1:
        raise NotTheFormError("it holds more than one JSON object")
    try:
        json.dumps(found[0], ensure_ascii=False).encode()  # half a character cannot be
        return form.model_validate(found[0])
    except ValidationError as error:
        raise NotTheFormError(_faults(error)) from error
    except UnicodeEncodeError as error:
        raise NotTheFormError("it holds half a character") from error


def _without_thoughts(text: str) -> str:
    # Up to the last end every thought that is opened is closed, too: where one is not,
    # each of a hundred thousand would be looked through to the end of the answer.
    closed = max((found.end() for found in _TAIL_OF_THOUGHT.finditer(text)), default=0)
    spoken = _THOUGHT.sub("", text[:closed]) + text[closed:]
    # A server that opens the thought itself sends only its end.
    spoken = _TAIL_OF_THOUGHT.split(spoken)[-1]
    return _OPEN_THOUGHT.split(spoken)[0]


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects that stand in `text`, outermost ones alone."""
    decoder = json.JSONDecoder(
        object_pairs_hook=_unique, parse_constant=_refuse_constant
    )
    at = text.find("{")
    left = _MOST_READINGS * len(text)
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
        raise ValueError("a name stands twice")
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _json(body: bytes) -> Any:
    return json.loads(body)


def _faults(error: ValidationError) -> str:
    """Say which fields are wrong, with names of our own and never with values."""
    first = error.errors(include_input=False, include_url=False)[:3]
    return "; ".join(
        f"{fault['type']} at {'.'.join(str(part)[:20] for part in _place(fault))}"
        for fault in first
    )


def _place(fault: ErrorDetails) -> tuple[int | str, ...]:
    """Return where a fault is; a field that we do not know is named by the model."""
    is_unknown = fault["type"] == "extra_forbidden"
    return (fault["loc"][:-1] if is_unknown else fault["loc"])[:4]


# Nothing that a server says in an error is ever shown: it may repeat what was sent,
# key and all. It is only searched for the few words that tell failures apart.

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
