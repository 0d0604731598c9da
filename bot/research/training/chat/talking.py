"""Writes examples in the usual chat format: one conversation a line.

The question is what the program asks, in the very words and the form in which its
requests are sent. Only the mark around untrusted text is not drawn but made from the
example, so that the same examples give the same file.
"""

import json
import re
from collections.abc import Sequence

from bot.models.language_model.prompt import Message, messages
from handlers.ports import ModelRequest, T

_MARK = re.compile(r"data-[0-9a-f]{12}")


def asked(request: ModelRequest[T], example: str) -> list[Message]:
    """Return a request as it is sent, with a mark made from the name of the example."""
    mark = f"data-{example[:12]}"
    return [
        {**one, "content": _MARK.sub(mark, one["content"])} for one in messages(request)
    ]


def said(text: str) -> Message:
    """Return an answer."""
    return {"role": "assistant", "content": text}


def chat_line(example: str, talk: Sequence[Message]) -> str:
    """Return a conversation as a line of a file."""
    return json.dumps({"id": example, "messages": list(talk)}, ensure_ascii=False)


def json_in(answer: str) -> str:
    """Return the JSON object in an answer, whatever stands around it."""
    start, end = answer.find("{"), answer.rfind("}")
    return answer[start : end + 1]
