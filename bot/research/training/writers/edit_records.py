"""Examples of how a person added a fact to a paragraph, as files and conversations.

The question is what the editor of updates asks, and the answer an edit in steps, as
`handlers.updates.editor` wants them: insert words after words, replace words, or
remove them. Words that a step names occur once in the paragraph.
"""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from enum import Enum
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from bot.models.language_model.prompt import Message
from bot.research.training.writers import chat
from bot.research.training.writers.chat import answer_message, request_messages
from handlers.page.sentences import split
from handlers.ports import Excerpt, ModelRequest
from handlers.updates.editor import INSTRUCTIONS, Edit, Edits, Step, Steps
from handlers.updates.operations import OperationKind

_PARAGRAPH = """
You edit one paragraph of an encyclopaedia article so that it tells what a source newly \
reports. You are given the paragraph and the source. Answer with the whole paragraph \
after the edit and nothing else. Change as few words as carry the facts of the source, \
keep all others as they are, leave out comment, praise and opinion, and say nothing that \
the source does not.
"""
_UPDATE = "u1"  # an example has only one


class Target(Enum):
    STEPS = "steps"  # what the editor of updates asks for
    PARAGRAPH = "paragraph"  # the whole paragraph, as in the paper


_LONGEST_TEXT = 20_000
Text = Annotated[str, Field(max_length=_LONGEST_TEXT)]
_MOST_ITEMS = 40
Items = Annotated[tuple[Text, ...], Field(max_length=_MOST_ITEMS)]


class EditRecord(BaseModel):
    """An edit that the editor should make (appendix B). All texts are plain.

    `source` is what the editor reads: three or four sentences that a model wrote after
    the edit (`is_generated`), or the passage of the cited page that is nearest to it.
    `key_facts` are in `source` and in `after`, not in `before`; `commentary` is in
    `source` and in neither paragraph.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    wiki: str
    title: str
    section: tuple[str, ...]
    revision_id: int
    before: Text
    after: Text
    address: str = ""
    source: Text = ""
    is_generated: bool = False
    key_facts: Items = ()
    commentary: Items = ()

    @property
    def is_for_test(self) -> bool:
        return chat.is_held_out(f"{self.wiki}\n{self.title}")


def conversation(record: EditRecord, target: Target) -> list[Message] | None:
    """Return question and answer; `None` if the edit cannot be given in that form."""
    if target is Target.PARAGRAPH:
        return [*question(record, target), answer_message(record.after)]
    steps = steps_of(record.before, record.after)
    if steps is None:
        return None
    edits = Edits(edits=[Edit(update=_UPDATE, steps=steps.steps)])
    return [*question(record, target), answer_message(edits.model_dump_json())]


def question(record: EditRecord, target: Target) -> list[Message]:
    if target is Target.PARAGRAPH:
        text = f"Paragraph:\n{record.before}\n\nSource:\n{record.source}"
        return [
            {"role": "system", "content": _PARAGRAPH.strip()},
            {"role": "user", "content": text},
        ]
    return request_messages(request_of(record), record.id)


def request_of(record: EditRecord) -> ModelRequest[Edits]:
    content = (
        Excerpt("title of the article", record.title),
        Excerpt("section", " > ".join(record.section)),
        Excerpt("paragraph", record.before),
        Excerpt(f"fact of {_UPDATE}", _fact(record)),
        Excerpt(f"quote 1 of {_UPDATE}", record.source),
    )
    return ModelRequest(INSTRUCTIONS, content, Edits)


def _fact(record: EditRecord) -> str:
    """Return the sentence of the source that shares most words with what was added."""
    came = set(record.after.casefold().split()) - set(record.before.casefold().split())
    sentences = [span.of(record.source).strip() for span in split(record.source)]
    return max(
        sentences,
        key=lambda one: len(came & set(one.casefold().split())),
        default=record.source,
    )


_PIECE = re.compile(r"\S+")
_MOST_STEPS = 6  # with more, the steps would repeat the sentence


def steps_of(before: str, after: str) -> Steps | None:
    """Return the steps from one paragraph to the other.

    `None` if they are no edit for the editor of updates, which adds one new sentence
    after another, or changes one.
    """
    old, new = _sentences(before), _sentences(after)
    changed = [
        one
        for one in SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        if one[0] != "equal"
    ]
    if len(changed) != 1:
        return None
    _, i, i_end, j, j_end = changed[0]
    if (i_end - i, j_end - j) == (0, 1) and i > 0:
        end = before.index(old[i - 1], _start(before, old, i - 1)) + len(old[i - 1])
        words = _unique(before, end - 1, end)
        steps = (
            [Step(do=OperationKind.INSERT.value, words=words, new=new[j])]
            if words
            else []
        )
    elif (i_end - i, j_end - j) == (1, 1):
        steps = list(_within(before, _start(before, old, i), old[i], new[j]))
    else:
        return None
    made = Steps(steps=steps[: _MOST_STEPS + 1])
    is_whole = (
        0 < len(steps) <= _MOST_STEPS
        and (applied(before, made) or "").split() == after.split()
    )
    return made if is_whole else None


def applied(before: str, steps: Steps) -> str | None:
    """Return the paragraph after `steps`; `None` if one of them cannot be done."""
    text = before
    for one in steps.steps:
        if not one.words or text.count(one.words) != 1:
            return None
        head, _, tail = text.partition(one.words)
        if one.do == OperationKind.INSERT.value:
            space = " " if one.new[:1].isalnum() else ""
            text = f"{head}{one.words}{space}{one.new}{tail}"
        elif one.do == OperationKind.REPLACE.value:
            text = head + one.new + tail
        elif one.do == OperationKind.DELETE.value:
            text = head + tail
        else:
            return None
    return " ".join(text.split())


def _within(before: str, start: int, old: str, new: str) -> Iterator[Step]:
    """Yield the steps that change one sentence into another, word by word."""
    mine = [(one.start() + start, one.end() + start) for one in _PIECE.finditer(old)]
    old_words, new_words = old.split(), new.split()
    matched = SequenceMatcher(None, old_words, new_words, autojunk=False)
    for tag, i, i_end, j, j_end in matched.get_opcodes():
        if tag == "equal":
            continue
        come = " ".join(new_words[j:j_end])
        if tag == "insert":
            at = mine[i - 1] if i else mine[0]
            words = _unique(before, *at)
            is_first = i == 0
            yield Step(
                do=OperationKind.REPLACE.value
                if is_first
                else OperationKind.INSERT.value,
                words=words,
                new=f"{come} {words}" if is_first else come,
            )
            continue
        from_, to = mine[i][0], mine[i_end - 1][1]
        words = _unique(before, from_, to)
        context = words[: words.rindex(before[from_:to])]  # added to be unique
        is_gone = tag == "delete" and not context
        yield Step(
            do=OperationKind.DELETE.value if is_gone else OperationKind.REPLACE.value,
            words=words,
            new=(context + come).strip(),
        )


def _unique(text: str, start: int, end: int) -> str:
    """Return the words from `start` to `end`, with enough before to be unique."""
    while start > 0 and (
        text.count(text[start:end]) > 1 or not text[start - 1].isspace()
    ):
        start -= 1
        while start > 0 and not text[start - 1].isspace():
            start -= 1
    found = text[start:end]
    return found if text.count(found) == 1 else ""


def _sentences(text: str) -> list[str]:
    return [span.of(text).strip() for span in split(text)]


def _start(text: str, sentences: Sequence[str], which: int) -> int:
    at = 0
    for one in sentences[:which]:
        at = text.index(one, at) + len(one)
    return text.index(sentences[which], at)


def from_lines(path: Path) -> Iterator[EditRecord]:
    """Yield the records of a file."""
    return chat.from_lines(path, EditRecord, "sidenote train editor collect")
