"""What a language model's server sends: a value in its form, or a named failure."""

import json
import re

from pydantic import BaseModel

from bot.models.language_model.replies import (
    NotTheFormError,
    read_answer,
    read_completion,
    tokens_counted,
    words_of_error,
)
from handlers.citations.model_questions import Answers
from handlers.drafts.model import ArticleAnswer
from handlers.updates.extractor import FactsAnswer
from tests.fuzz.target import Target, require, storable

_FORMS: tuple[type[BaseModel], ...] = (Answers, FactsAnswer, ArticleAnswer)
_MOST_WORDS = 2_000
_MOST_TOKENS = 10**9


def check(data: bytes) -> None:
    """A value that can be stored, or `NotTheFormError` with words of our own."""
    require(
        len(words_of_error(data)) <= _MOST_WORDS, "an error's words are not bounded"
    )
    counted = tokens_counted(data)
    if counted is not None:
        require(0 <= counted.input <= _MOST_TOKENS, "a count that is none")
        require(0 <= counted.output <= _MOST_TOKENS, "a count that is none")
    _answers(data.decode("utf-8", "replace"))
    try:
        completion = read_completion(data)
    except NotTheFormError:
        return
    _ = completion.is_refused, completion.is_cut_off
    _answers(completion.text)


def _answers(text: str) -> None:
    for form in _FORMS:
        try:
            storable(read_answer(text, form), "an answer")
        except NotTheFormError as error:
            message = str(error)
            require(
                message and len(message) < 600 and message.isprintable(),
                "no words of ours",
            )
            require(not _foreign(message, form), f"a name of the model's: {message}")


def _foreign(message: str, form: type[BaseModel]) -> set[str]:
    """Return names of places in a refusal that are not of the form."""
    places = [
        fault.partition(" at ")[2] for fault in message.split("; ") if " at " in fault
    ]
    names = {part for place in places for part in place.split(".")}
    ours = set(re.findall(r'"([a-z_]+)"', json.dumps(form.model_json_schema())))
    return {name for name in names if name and not name.isdigit() and name not in ours}


_GOOD = '{"answers":[{"id":"c1","quotes":["exact words"],"reason":"r","verdict":"supported"}]}'
_FACTS = '{"facts":[{"quote":"q","fact":"f","section":"s"}]}'
_ARTICLE = '{"sections":[{"heading":"H","paragraphs":[{"sentences":[{"text":"It is so.","cites":[1]}]}]}]}'

TARGET = Target(
    name="model_replies",
    promises="a value in its form that can be stored, or a failure in words of our own",
    check=check,
    words=(
        b"{", b"}", b"[", b"]", b'"', b":", b",", b"<think>", b"</think>", b"<thinking>",
        b"```json\n", b"\n```", b'"answers":[', b'"id":"c1"', b'"verdict":"supported"',
        b'"quotes":["', b'"reason":"', b'"facts":[', b'"choices":[{"message":{"content":"', b'"}}]',
        b'"finish_reason":"length"', b'"refusal":"no"', b'"usage":{"prompt_tokens":1,'
        b'"completion_tokens":2}', b'"error":{"message":"', b"NaN", b"Infinity", b"-1", b"1e999",
        b"1" * 60, b"\\ud83d", b"\\udc00", b"\\u0000", b"\\n", b"\\\"", b"\xff", b"\0",
        b'{"a":' * 50, b"[" * 50, b'"sections":[', b'"heading":"', b'"paragraphs":[',
        b'"sentences":[', b'"text":"', b'"cites":[1]', b'"lead":[',
    ),
    seeds=(
        _GOOD.encode(), _FACTS.encode(), f"<think>{{x}}</think>```json\n{_GOOD}\n```".encode(),
        b'{"choices":[{"message":{"content":' + repr(_GOOD).replace('"', '\\"')
        .replace("'", '"').encode() + b'},"finish_reason":"stop"}],"usage":{"prompt_tokens":'
        b'3,"completion_tokens":4}}', b'{"error":{"message":"no such model","code":404}}',
        _ARTICLE.encode(), _GOOD.replace("{\"id", "{\"ignore_all\":1,\"id").encode(),
        _GOOD.replace("exact", "\\ud83d").encode(), b'{"a":' + b"[" * 3_000,
        (_GOOD * 2).encode(), _GOOD[:-2].encode(), b"I cannot help with that.",
    ),
)  # fmt: skip
