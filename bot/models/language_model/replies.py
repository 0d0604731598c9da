"""The border: what a server answers, checked before anything is done with it.

Servers differ in what they wrap an answer in, so some wrapping is taken off:
reasoning between `<think>` tags, a code fence, words before and after. The JSON
itself is read strictly: exactly one object, no name in it twice, no NaN, nothing
left out and nothing more than was asked for.
"""

import json
import re
from collections.abc import Iterator
from typing import Any, NoReturn

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from bot.models.language_model.ledger import Tokens
from handlers.ports import T

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
