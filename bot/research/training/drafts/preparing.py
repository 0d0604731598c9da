"""Makes the training set event by event; what was paid for is kept, and not asked again.

A folder holds `events/` with a file for each event (its example, or why there is none,
and what it cost), `README.txt` on whose texts these are, and `train.jsonl` and
`test.jsonl` with the examples and `train.chat.jsonl` and `test.chat.jsonl` with the
conversations.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from bot.research.evaluation.events import Event
from bot.research.evaluation.report import Progress
from bot.research.training.chat.files import to_lines
from bot.research.training.chat.talking import chat_line
from bot.research.training.drafts.collecting import Made, Stronger, Wanted, example_of
from bot.research.training.drafts.records import DraftExample, conversation
from handlers.ports import PermanentError

Write = Callable[[Path, str], None]

LICENCE = """\
Examples for training a model that writes drafts (sidenote train draft).

Whose texts these are: the passages are parts of web pages of other people, from the
events of WikiGenBench, which are for research. The drafts were written by {writer};
the terms of whoever runs that model say whether a model may be trained on its answers,
and what for. Do not publish this folder. Before you publish a model that was trained on
it, see that both allow it.

What was kept: sentences that {verifier} finds borne out by the passages they cite.
"""


class Note(BaseModel):
    """What an event gave, and what that cost."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str
    example: DraftExample | None
    why_not: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost: Decimal


@dataclass(frozen=True, slots=True)
class Keeping:
    """Where the set goes; `write` keeps a file whole."""

    folder: Path
    write: Write


async def prepare(
    events: Sequence[Event],
    stronger: Stronger,
    wanted: Wanted,
    keeping: Keeping,
    progress: Progress,
) -> dict[str, Any]:
    """Make the set, and return what came of it in numbers.

    Events that an earlier run of the same asking has done are taken from their files.
    Where the budget ends or the model goes away, the set is made of what there is, and
    `stopped` says so.

    Args:
        events: to ask for.
        stronger: who is asked.
        wanted: what for.
        keeping: where the set goes.
        progress: counts events.

    Raises:
        PermanentError: the model's server refuses us, or there is no example.
    """
    folder, write = keeping.folder, keeping.write
    (folder / "events").mkdir(parents=True, exist_ok=True)
    progress.started(len(events))
    notes: list[Note] = []
    stopped = ""
    for event in events:
        file = _file(folder, event, stronger, wanted)
        note = _kept(file)
        if note is None:
            made = await example_of(event, stronger, wanted)
            if made.stopped:
                stopped = made.stopped
                break
            note = _note(event, made)
            write(file, note.model_dump_json())
        notes.append(note)
        progress.advance()
    told = _told(notes, stopped)
    examples = [one.example for one in notes if one.example is not None]
    if not examples:
        raise PermanentError(f"no draft gives an example: {_why(told)}")
    first = examples[0]
    licence = LICENCE.format(writer=first.writer, verifier=first.verifier)
    write(folder / "README.txt", licence)
    return {**told, "conversations": _write_sets(examples, folder, write)}


def _note(event: Event, made: Made) -> Note:
    use = made.use
    return Note(
        title=event.title,
        example=made.example,
        why_not=made.why_not,
        calls=use.calls,
        input_tokens=use.input_tokens,
        output_tokens=use.output_tokens,
        cost=use.cost,
    )


def _kept(file: Path) -> Note | None:
    """Return what an earlier run found out; a broken file is as good as none."""
    with suppress(OSError, UnicodeDecodeError, ValidationError):
        return Note.model_validate_json(file.read_text("utf-8"))
    return None


def _told(notes: Sequence[Note], stopped: str) -> dict[str, Any]:
    found = [one.example for one in notes if one.example is not None]
    left_out = Counter(one.why_not for one in notes if one.example is None)
    return {
        "events": len(notes),
        "examples": len(found),
        "left_out": dict(left_out.most_common()),
        "sentences": {
            "written": sum(one.written for one in found),
            "kept": sum(one.kept for one in found),
        },
        "calls": sum(one.calls for one in notes),
        "input_tokens": sum(one.input_tokens for one in notes),
        "output_tokens": sum(one.output_tokens for one in notes),
        "cost": str(sum((one.cost for one in notes), Decimal(0))),
        **({"stopped": f"{stopped}; run it again to go on"} if stopped else {}),
    }


def _why(told: dict[str, Any]) -> str:
    reasons = [f"{why} ({count})" for why, count in told["left_out"].items()]
    return told.get("stopped") or "; ".join(reasons) or "there are no events"


def _write_sets(
    examples: Sequence[DraftExample], folder: Path, write: Write
) -> dict[str, int]:
    """Write both sets; a topic is wholly in one of them, whatever else is in the set."""
    counts = {}
    for name, is_test in (("train", False), ("test", True)):
        part = [one for one in examples if one.is_for_test is is_test]
        talks = [chat_line(one.id, conversation(one)) for one in part]
        write(folder / f"{name}.jsonl", to_lines(part))
        write(folder / f"{name}.chat.jsonl", "".join(f"{one}\n" for one in talks))
        counts[name] = len(talks)
    return counts


def _file(folder: Path, event: Event, stronger: Stronger, wanted: Wanted) -> Path:
    """Return the file of an event; another model or question has another."""
    parts = (
        event.id,
        event.title,
        stronger.model.engine.version,
        stronger.cast.reranker.name,
        stronger.cast.verifier.engine.version,
        repr(wanted),
    )
    name = sha256("\n".join(parts).encode("utf-8", "replace")).hexdigest()[:16]
    return folder / "events" / f"{name}.json"
