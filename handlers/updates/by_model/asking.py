"""Puts one question to a language model so that nothing it does is a failure. Pure.

What comes from outside goes in as excerpts, each cut to a bound and, where it is one
line of a list, folded to one line, so that it cannot pretend to be the next. What
comes back is cut to bounds, too, before anybody looks at it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Generic

from pydantic import AfterValidator, BaseModel, ConfigDict

from handlers.model import ModelUse, Setback
from handlers.ports import (
    Excerpt,
    LanguageModel,
    ModelAnswer,
    ModelOutOfReachError,
    ModelRequest,
    ModelUnusableError,
    T,
)

_LONGEST_LINE = 300
_LONGEST_QUOTE = 800  # characters; what is longer is not looked for in a source anyway
_MOST_ITEMS = 100


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large a question may be, and how much room a draft has in its answer."""

    input_bytes: int = 24_000  # some 6,000 tokens of English, instructions excluded
    output_tokens: int = 2_000


@dataclass(frozen=True, slots=True)
class Heard(Generic[T]):
    """A model's answer in its form, or why there is none; never both."""

    value: T | None
    use: ModelUse
    setback: Setback | None = None
    detail: str = ""


async def hear(
    model: LanguageModel,
    instructions: str,
    content: Iterable[Excerpt],
    form: type[T],
) -> Heard[T]:
    """Return what `model` answers; all that can go wrong is a setback."""
    request = ModelRequest(instructions, tuple(content), form)
    return await put(model, request)


async def put(model: LanguageModel, request: ModelRequest[T]) -> Heard[T]:
    """Return what `model` answers to a whole request; see `hear`."""
    try:
        reply = await model.ask(request)
    except ModelOutOfReachError as error:
        return Heard(None, error.use, Setback.OUT_OF_REACH, str(error))
    except ModelUnusableError as error:
        return Heard(None, error.use, Setback.UNUSABLE, str(error))
    if isinstance(reply, ModelAnswer):
        return Heard(reply.value, reply.use)
    return Heard(None, reply.use, reply.why, reply.detail)


def line(text: str, most: int = _LONGEST_LINE) -> str:
    """Return `text` on one line, of at most `most` characters."""
    folded = " ".join(text.split())
    return folded if len(folded) <= most else folded[: most - 1].rstrip() + "…"


def within(texts: Sequence[str], max_bytes: int) -> list[str]:
    """Return the first of `texts` that together stay below `max_bytes` in UTF-8."""
    kept = []
    for text in texts:
        max_bytes -= len(text.encode("utf-8", "replace")) + 1
        if max_bytes < 0:
            break
        kept.append(text)
    return kept


class Form(BaseModel):
    """The form of an answer: every field is there, and no other."""

    model_config = ConfigDict(extra="forbid", strict=True)


def _quote(text: str) -> str:
    return text.strip()[:_LONGEST_QUOTE]


def _few(items: list[T]) -> list[T]:
    return items[:_MOST_ITEMS]


# Cut, not refused: a talkative model is right in its first words as often as another.
Line = Annotated[str, AfterValidator(line)]
Quote = Annotated[str, AfterValidator(_quote)]
Few = AfterValidator(_few)  # of a list
