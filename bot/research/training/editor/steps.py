"""An edit as steps, as the editor of updates wants them, and steps as an edit.

The steps are those of `handlers.updates.editing.by_model`: put words behind words, in
their place, or take them away. Words that a step names stand in the paragraph once.
"""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from handlers.page.sentences import split
from handlers.updates.editing.by_model import Step, Steps
from handlers.updates.editing.operations import Deed

_PIECE = re.compile(r"\S+")
_MOST_STEPS = 6  # more of them say the sentence anew


def steps_of(before: str, after: str) -> Steps | None:
    """Return the steps from one paragraph to the other.

    `None` where they are no edit for the editor of updates: it brings one new sentence
    behind another, or changes one.
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
        steps = [Step(do=Deed.INSERT.value, words=words, new=new[j])] if words else []
    elif (i_end - i, j_end - j) == (1, 1):
        steps = list(_within(before, _start(before, old, i), old[i], new[j]))
    else:
        return None
    made = Steps(steps=steps[: _MOST_STEPS + 1])
    is_whole = 0 < len(steps) <= _MOST_STEPS and _same(applied(before, made), after)
    return made if is_whole else None


def applied(before: str, steps: Steps) -> str | None:
    """Return the paragraph after `steps`; `None` where one of them cannot be done."""
    text = before
    for one in steps.steps:
        if not one.words or text.count(one.words) != 1:
            return None
        head, _, tail = text.partition(one.words)
        if one.do == Deed.INSERT.value:
            text = _spaced(head + one.words, one.new, tail)
        elif one.do == Deed.REPLACE.value:
            text = head + one.new + tail
        elif one.do == Deed.DELETE.value:
            text = head + tail
        else:
            return None
    return " ".join(text.split())


def _within(before: str, start: int, old: str, new: str) -> Iterator[Step]:
    """Yield what changes one sentence into another, word by word."""
    mine = [(one.start() + start, one.end() + start) for one in _PIECE.finditer(old)]
    said, meant = old.split(), new.split()
    matched = SequenceMatcher(None, said, meant, autojunk=False)
    for tag, i, i_end, j, j_end in matched.get_opcodes():
        if tag == "equal":
            continue
        come = " ".join(meant[j:j_end])
        if tag == "insert":
            at = mine[i - 1] if i else mine[0]
            words = _unique(before, *at)
            is_first = i == 0
            yield Step(
                do=Deed.REPLACE.value if is_first else Deed.INSERT.value,
                words=words,
                new=f"{come} {words}" if is_first else come,
            )
            continue
        from_, to = mine[i][0], mine[i_end - 1][1]
        words = _unique(before, from_, to)
        kept = words[: words.rindex(before[from_:to])]  # words taken along to be unique
        is_gone = tag == "delete" and not kept
        yield Step(
            do=Deed.DELETE.value if is_gone else Deed.REPLACE.value,
            words=words,
            new=(kept + come).strip(),
        )


def _unique(text: str, start: int, end: int) -> str:
    """Return the words from `start` to `end`, with as many before as make them unique."""
    while start > 0 and (
        text.count(text[start:end]) > 1 or not text[start - 1].isspace()
    ):
        start -= 1
        while start > 0 and not text[start - 1].isspace():
            start -= 1
    found = text[start:end]
    return found if text.count(found) == 1 else ""


def _spaced(head: str, new: str, tail: str) -> str:
    return f"{head} {new}{tail}" if new[:1].isalnum() else f"{head}{new}{tail}"


def _sentences(text: str) -> list[str]:
    return [span.of(text).strip() for span in split(text)]


def _start(text: str, sentences: Sequence[str], which: int) -> int:
    at = 0
    for one in sentences[:which]:
        at = text.index(one, at) + len(one)
    return text.index(sentences[which], at)


def _same(one: str | None, other: str) -> bool:
    return one is not None and one.split() == other.split()
