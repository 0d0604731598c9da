"""Writes edits as conversations: the question is what the editor of updates asks."""

from collections.abc import Iterable, Iterator
from enum import Enum

from bot.models.language_model.prompt import Message
from bot.research.training.chat.talking import asked, chat_line, json_in, said
from bot.research.training.editor.records import EditRecord
from bot.research.training.editor.steps import applied, steps_of
from handlers.page.sentences import split
from handlers.ports import Excerpt, ModelRequest
from handlers.updates.editing.by_model import INSTRUCTIONS, Edit, Edits, Steps

_PARAGRAPH = """
You edit one paragraph of an encyclopaedia article so that it tells what a source newly \
reports. You are given the paragraph and the source. Answer with the whole paragraph \
after the edit and nothing else. Change as few words as carry the facts of the source, \
keep all others as they are, leave out comment, praise and opinion, and say nothing that \
the source does not.
"""

_UPDATE = "u1"  # an example has one


class Target(Enum):
    """What a model learns to answer."""

    STEPS = "steps"  # what the editor of updates asks for
    PARAGRAPH = "paragraph"  # the whole paragraph, as in the paper


def conversation(record: EditRecord, target: Target) -> list[Message] | None:
    """Return question and answer; `None` where the edit cannot be told in that form."""
    if target is Target.PARAGRAPH:
        return [*question(record, target), said(record.after)]
    steps = steps_of(record.before, record.after)
    if steps is None:
        return None
    edits = Edits(edits=[Edit(update=_UPDATE, steps=steps.steps)])
    return [*question(record, target), said(edits.model_dump_json())]


def question(record: EditRecord, target: Target) -> list[Message]:
    """Return what a model is asked: the instructions, then the example."""
    if target is Target.PARAGRAPH:
        text = f"Paragraph:\n{record.before}\n\nSource:\n{record.source}"
        return [
            {"role": "system", "content": _PARAGRAPH.strip()},
            {"role": "user", "content": text},
        ]
    return asked(request_of(record), record.id)


def request_of(record: EditRecord) -> ModelRequest[Edits]:
    """Return the example as the request that the editor of updates makes of it."""
    content = (
        Excerpt("title of the article", record.title),
        Excerpt("section", " > ".join(record.section)),
        Excerpt("paragraph", record.before),
        Excerpt(f"fact of {_UPDATE}", _fact(record)),
        Excerpt(f"quote 1 of {_UPDATE}", record.source),
    )
    return ModelRequest(INSTRUCTIONS, content, Edits)


def understood(answer: str, record: EditRecord, target: Target) -> str | None:
    """Return the paragraph that an answer makes; `None` where it makes none."""
    if target is Target.PARAGRAPH:
        return " ".join(answer.split()) or None
    try:
        edits = Edits.model_validate_json(json_in(answer)).edits
    except ValueError:
        return None
    steps = [step for one in edits if one.update == _UPDATE for step in one.steps]
    return applied(record.before, Steps(steps=steps))


def to_chat(records: Iterable[EditRecord], target: Target) -> Iterator[str]:
    """Yield a line for each record that can be told in that form."""
    for one in records:
        told = conversation(one, target)
        if told is not None:
            yield chat_line(one.id, told)


def _fact(record: EditRecord) -> str:
    """Return the sentence of the source that shares most words with what came."""
    came = set(record.after.casefold().split()) - set(record.before.casefold().split())
    sentences = [span.of(record.source).strip() for span in split(record.source)]
    return max(
        sentences,
        key=lambda one: len(came & set(one.casefold().split())),
        default=record.source,
    )
