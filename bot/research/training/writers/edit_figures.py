"""How editors edit: token change, key facts, commentary (WiNELL §5.1, table 1).

Editors edit our own examples and are compared as in the paper's table.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Protocol

from pydantic import AfterValidator, BaseModel, ConfigDict

from bot.research.evaluation.metrics import token_change
from bot.research.evaluation.report import Progress
from bot.research.training.writers.edit_records import (
    EditRecord,
    applied,
    request_of,
)
from handlers.ports import Excerpt, LanguageModel
from handlers.text.analysis import analyse
from handlers.updates.editor import Steps
from handlers.updates.questions import ask, ask_model

# Table 1 of the paper: tokens changed, key facts and commentary in per cent. Its test
# set is not published, so these are only for orientation: our figures are of other
# examples.
PAPER: Mapping[str, tuple[float, float, float]] = {
    "Qwen2.5-7B-Instruct": (110.1, 95.1, 86.0),
    "Llama-3.1-8B-Instruct": (59.1, 80.0, 32.5),
    "GPT-4o": (73.4, 91.3, 53.1),
    "GPT-4o-mini": (69.5, 88.2, 46.0),
    "Qwen2.5-7B-Editor": (52.8, 90.7, 20.1),
    "Llama-3.1-8B-Editor": (49.8, 91.7, 18.7),
    "Human": (62.9, 100.0, 0.0),
}
_STATED = 0.75  # of a phrase's words that a paragraph must have
_HELD = 0.6  # how well a word must match: the same word, or a related one
INSTRUCTIONS = """
You compare a paragraph of an encyclopaedia with numbered phrases. A phrase is conveyed \
if a reader of the paragraph learns what it says, in any words; a phrase of comment is \
conveyed if the paragraph passes on its judgement or mood. Answer with the numbers of \
all phrases that are conveyed, and with no others.
"""


class Judge(Protocol):
    """Decides which phrases a paragraph conveys."""

    @property
    def name(self) -> str: ...

    async def conveyed(
        self, paragraph: str, phrases: Sequence[str]
    ) -> Sequence[bool] | None:
        """Return an answer for each phrase; `None` if there is no judgement."""
        ...


class WordJudge:
    """Compares words, numbers and dates. Implements `Judge`; needs no model."""

    name = "words in common"

    async def conveyed(
        self, paragraph: str, phrases: Sequence[str]
    ) -> Sequence[bool] | None:
        index = analyse(paragraph).index
        return [_is_stated(one, index.support) for one in phrases]


class ConveyedAnswer(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    conveyed: Annotated[list[int], AfterValidator(lambda found: found[:100])]


class ModelJudge:
    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        engine = self._model.engine
        return f"{engine.name} {engine.version}"

    async def conveyed(
        self, paragraph: str, phrases: Sequence[str]
    ) -> Sequence[bool] | None:
        """Return an answer for each phrase; `None` if a number is out of range."""
        listed = "\n".join(
            f"{number}: {' '.join(one.split())}"
            for number, one in enumerate(phrases, 1)
        )
        content = (Excerpt("paragraph", paragraph), Excerpt("phrases", listed))
        reply = await ask_model(self._model, INSTRUCTIONS, content, ConveyedAnswer)
        numbers = range(1, len(phrases) + 1)
        if reply.value is None or not set(reply.value.conveyed) <= set(numbers):
            return None
        return [number in reply.value.conveyed for number in numbers]


@dataclass(frozen=True, slots=True)
class Written:
    record: EditRecord
    paragraph: str | None


async def measured(
    editor: str, written: Iterable[Written], judge: Judge
) -> dict[str, Any]:
    """Return the figures of an editor, each with the number of examples it covers.

    `token_change` is the mean number of words that an edit changes; the coverages are
    shares of all phrases in per cent. An example whose edit failed counts as one that
    changed nothing, and is counted in `failed`.
    """
    changes, facts, comment = [], _Share(), _Share()
    failed = 0
    for one in written:
        paragraph = one.paragraph
        if paragraph is None:
            failed += 1
            paragraph = one.record.before
        changes.append(token_change(one.record.before, paragraph))
        await facts.add(judge, paragraph, one.record.key_facts)
        await comment.add(judge, paragraph, one.record.commentary)
    return {
        "editor": editor,
        "judge": judge.name,
        "examples": len(changes),
        "failed": failed,
        "token_change": round(sum(changes) / len(changes), 2) if changes else None,
        "key_facts": facts.lines(),
        "commentary": comment.lines(),
    }


@dataclass(slots=True)
class _Share:
    """A share of phrases, and how many could not be judged."""

    conveyed: int = 0
    phrases: int = 0
    unjudged: int = 0

    async def add(self, judge: Judge, paragraph: str, phrases: Sequence[str]) -> None:
        if not phrases:
            return
        found = await judge.conveyed(paragraph, phrases)
        if found is None:
            self.unjudged += len(phrases)
            return
        self.phrases += len(phrases)
        self.conveyed += sum(found)

    def lines(self) -> dict[str, float | int | None]:
        share = 100 * self.conveyed / self.phrases if self.phrases else None
        return {
            "covered_percent": round(share, 1) if share is not None else None,
            "phrases": self.phrases,
            "unjudged": self.unjudged,
        }


def _is_stated(phrase: str, support: Any) -> bool:
    analysed = analyse(phrase)
    stems = analysed.stems
    if not stems:
        return False
    if any(word.is_number and not support(word.stem) for word in analysed.content):
        return False
    held = sum(support(stem) >= _HELD for stem in stems)
    return bool(held >= _STATED * len(stems))


@dataclass(frozen=True, slots=True)
class Writer:
    name: str
    write: Callable[[EditRecord], Awaitable[str | None]]


def human() -> Writer:
    """Return the person who made the edit, the ideal of table 1."""

    async def write(record: EditRecord) -> str | None:
        return record.after

    return Writer("human", write)


def pasting() -> Writer:
    """Return an editor that appends the whole source to the paragraph."""

    async def write(record: EditRecord) -> str | None:
        return f"{record.before} {record.source}"

    return Writer("source pasted whole", write)


def remote(model: LanguageModel) -> Writer:
    async def write(record: EditRecord) -> str | None:
        reply = await ask(model, request_of(record))
        if reply.value is None:
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
    """Return a row for each writer, and the paper's rows."""
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
