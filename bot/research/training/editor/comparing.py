"""Lets editors write and compares them: the paper's table 1 on examples of our own."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from bot.models.language_model.prompt import Message
from bot.research.evaluation.report import Progress
from bot.research.training.editor.chatting import (
    Target,
    question,
    request_of,
    understood,
)
from bot.research.training.editor.measuring import PAPER, Judge, Written, measured
from bot.research.training.editor.records import EditRecord
from bot.research.training.editor.steps import applied
from handlers.ports import LanguageModel, ModelAnswer, ModelOutOfReachError
from handlers.updates.editing.by_model import Steps


class Answering(Protocol):
    """A chat model on this machine; `bot.research.training.chat.fitting.ChatModel` fulfils it."""

    def answer(self, talk: Sequence[Message], most_tokens: int = 800) -> str:
        """Return what the model answers."""
        ...


@dataclass(frozen=True, slots=True)
class Writer:
    """An editor by its name, and what it makes of an example."""

    name: str
    write: Callable[[EditRecord], Awaitable[str | None]]


def human() -> Writer:
    """Return the person who made the edit, the ideal of table 1."""

    async def write(record: EditRecord) -> str | None:
        return record.after

    return Writer("human", write)


def pasting() -> Writer:
    """Return an editor that puts the whole source behind the paragraph."""

    async def write(record: EditRecord) -> str | None:
        return f"{record.before} {record.source}"

    return Writer("source pasted whole", write)


def local(name: str, editor: Answering, target: Target) -> Writer:
    """Return a chat model on this machine as an editor."""

    async def write(record: EditRecord) -> str | None:
        return understood(editor.answer(question(record, target)), record, target)

    return Writer(name, write)


def remote(model: LanguageModel) -> Writer:
    """Return a language model behind an address as an editor, in steps."""

    async def write(record: EditRecord) -> str | None:
        try:
            reply = await model.ask(request_of(record))
        except ModelOutOfReachError:
            return None
        if not isinstance(reply, ModelAnswer):
            return None
        steps = [step for one in reply.value.edits for step in one.steps]
        return applied(record.before, Steps(steps=steps))

    return Writer(f"{model.engine.name} {model.engine.version}", write)


async def compare(
    records: Sequence[EditRecord],
    writers: Sequence[Writer],
    judge: Judge,
    progress: Progress,
) -> dict[str, Any]:
    """Return a row for each writer, and the paper's beside them."""
    progress.started(len(records) * len(writers))
    rows = []
    for writer in writers:
        written = []
        for record in records:
            written.append(Written(record, await writer.write(record)))
            progress.advance()
        rows.append(await measured(writer.name, written, judge))
    return {
        "examples": len(records),
        "with_generated_source": sum(one.is_generated for one in records),
        "rows": rows,
        "paper": {
            name: {"token_change": change, "key_facts": facts, "commentary": comment}
            for name, (change, facts, comment) in PAPER.items()
        },
        "note": "the paper's rows are of its own test set, judged by GPT-4o",
    }
