"""Writes examples as conversations, and keeps them in files that are checked when read.

The question is exactly what the program itself asks, in the form in which its requests
are sent. Only the mark around untrusted text is not random but made from the example,
so that the same examples give the same file.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from pydantic import BaseModel, ValidationError

from bot.models.language_model.prompt import Message, messages
from bot.research.evaluation.checkpoints import write
from handlers.ports import ModelRequest, PermanentError, T

_MARK = re.compile(r"data-[0-9a-f]{12}")


def request_messages(request: ModelRequest[T], example: str) -> list[Message]:
    """Return a request as it is sent, with a mark made from the name of the example."""
    mark = f"data-{example[:12]}"
    return [
        {**one, "content": _MARK.sub(mark, one["content"])} for one in messages(request)
    ]


def answer_message(text: str) -> Message:
    return {"role": "assistant", "content": text}


def chat_line(example: str, talk: Sequence[Message]) -> str:
    return json.dumps({"id": example, "messages": list(talk)}, ensure_ascii=False)


_TEST_SHARE = 0.1


def to_lines(records: Iterable[BaseModel]) -> str:
    return "".join(f"{one.model_dump_json()}\n" for one in records)


def from_lines(path: Path, form: type[T], made_by: str) -> Iterator[T]:
    """Yield the records of a file."""
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PermanentError(
            f"cannot read {path}; name a file that `{made_by}` wrote"
        ) from error
    # Not `splitlines`: texts from the web hold other characters that it takes for line
    # ends.
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            yield form.model_validate_json(line)
        except ValidationError as error:
            raise PermanentError(
                f"{path}, line {number}, is not an example; collect them again"
            ) from error


def write_sets(
    sets: Mapping[str, Sequence[tuple[BaseModel, Sequence[Message] | None]]],
    folder: Path,
) -> dict[str, int]:
    """Write the records of both sets, and a conversation for each that has one."""
    counts = {}
    for name, rows in sets.items():
        talks = [chat_line(one.model_dump()["id"], talk) for one, talk in rows if talk]
        write(folder / f"{name}.jsonl", to_lines(one for one, _ in rows))
        write(folder / f"{name}.chat.jsonl", "".join(f"{one}\n" for one in talks))
        counts[name] = len(talks)
    return counts


def is_held_out(name: str) -> bool:
    """Return whether a name is in the tenth that no model is trained on."""
    digest = sha256(name.encode("utf-8", "replace")).digest()
    return int.from_bytes(digest[:4], "big") < _TEST_SHARE * 2**32
