"""Makes the training set page by page; what a page gave is kept, and not made again.

A folder holds `pages/` with two files for each page (its examples, and what was left
out), and at the end `train.jsonl` and `test.jsonl` with the examples and
`train.chat.jsonl` and `test.chat.jsonl` with the conversations.
"""

import json
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

from bot.research.evaluation.report import Progress
from bot.research.training.chat.files import to_lines
from bot.research.training.editor.chatting import Target, to_chat
from bot.research.training.editor.records import EditRecord, from_lines, record_id
from bot.research.training.editor.sourcing import Sourced, sourced
from handlers.model import ModelUse, PageId
from handlers.page import parse
from handlers.ports import LanguageModel, PermanentError, SourceReader
from handlers.updates.human_edits import (
    HistoryReading,
    HumanEdit,
    ParagraphChange,
    Revision,
    paragraphs_of,
    why_no_example,
)

# Takes examples from the history of a page (appendices A and B.1).


class Histories(Protocol):
    """Reads the revisions of a page; `bot.wiki.history` fulfils it."""

    def revisions(
        self, title: str, since: datetime, until: datetime
    ) -> AsyncGenerator[Revision, None]:
        """Yield what stood at `since`, then all that was saved up to `until`."""
        ...


@dataclass(slots=True)
class Collected:
    """The examples of one page, and how many changes were left out for what."""

    records: list[EditRecord] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    revisions: int = 0


async def collect(
    histories: Histories, wiki: str, title: str, since: datetime, until: datetime
) -> Collected:
    """Return the examples that people gave on a page between two times.

    Raises:
        PermanentError: there is no such page, or the wiki refuses us.
        TemporaryError: the wiki cannot be reached.
    """
    reading = HistoryReading(wiki, title)
    async with aclosing(histories.revisions(title, since, until)) as revisions:
        async for revision in revisions:
            reading.add(revision)
    return collected(wiki, title, reading.edits(), reading.revisions)


def collected(
    wiki: str, title: str, edits: Sequence[HumanEdit], revisions: int = 0
) -> Collected:
    """Return the examples among the edits of a page."""
    found = Collected(revisions=revisions)
    for edit in edits:
        for change in edit.changes:
            unwanted = why_no_example(edit, change)
            if unwanted is not None:
                found.left_out[unwanted.value] += 1
                continue
            found.records.append(_record(wiki, title, edit, change))
    return found


def _record(
    wiki: str, title: str, edit: HumanEdit, change: ParagraphChange
) -> EditRecord:
    page = PageId(wiki, title)
    number = edit.note.revision_id
    addresses = (source.url for source in change.sources)
    return EditRecord(
        id=record_id(wiki, title, number, change.before),
        wiki=wiki,
        title=title,
        section=edit.section,
        revision_id=number,
        before=plain(page, change.before),
        after=plain(page, change.after),
        address=next((one for one in addresses if one), ""),
    )


def plain(page: PageId, wikitext: str) -> str:
    """Return the sentences of a paragraph as a reader sees them, one space between."""
    return " ".join(_sentences(page, wikitext))


def _sentences(page: PageId, wikitext: str) -> Iterator[str]:
    for paragraph in paragraphs_of(parse(wikitext, page)):
        yield from paragraph.sentences


Write = Callable[[Path, str], None]


@dataclass(frozen=True, slots=True)
class Asked:
    """Which pages of which wiki, and the times between which they were edited."""

    wiki: str
    titles: Sequence[str]
    since: datetime
    until: datetime


@dataclass(frozen=True, slots=True)
class Makers:
    """Who reads histories and sources, who writes news; `write` keeps a file whole."""

    histories: Histories
    sources: SourceReader
    model: LanguageModel | None
    write: Write


async def prepare(
    asked: Asked, makers: Makers, folder: Path, target: Target, progress: Progress
) -> dict[str, Any]:
    """Make the set in `folder`, and return what came of it in numbers.

    Pages that an earlier run of the same asking has done are taken from their files.

    Raises:
        PermanentError: the wiki refuses us, or none of the pages gave an example.
        TemporaryError: the wiki is out of reach; another run goes on from here.
    """
    (folder / "pages").mkdir(parents=True, exist_ok=True)
    progress.started(len(asked.titles))
    notes, records = [], []
    for title in asked.titles:
        note = await _page(asked, makers, folder, title)
        notes.append(note)
        records += list(from_lines(_file(folder, asked, makers, title)))
        progress.advance()
    told = _told(notes, records)
    if not records:
        raise PermanentError(
            f"no edit makes an example: {json.dumps(told['left_out'])}; name more pages,"
            " or a longer time"
        )
    return {**told, "conversations": _write_sets(records, folder, target, makers.write)}


async def _page(
    asked: Asked, makers: Makers, folder: Path, title: str
) -> dict[str, Any]:
    file = _file(folder, asked, makers, title)
    done = file.with_suffix(".json")
    if done.exists() and file.exists():
        kept = json.loads(done.read_text("utf-8"))
        if isinstance(kept, dict):
            return kept
    found = await collect(makers.histories, asked.wiki, title, asked.since, asked.until)
    records, use = await _with_sources(found, makers)
    note = {
        "title": title,
        "revisions": found.revisions,
        "examples": len(records),
        "left_out": dict(found.left_out),
        "calls": use.calls,
        "cost": str(use.cost),
    }
    makers.write(file, to_lines(records))
    makers.write(done, json.dumps(note))
    return note


async def _with_sources(
    found: Collected, makers: Makers
) -> tuple[list[EditRecord], ModelUse]:
    records, use = [], ModelUse()
    for record in found.records:
        made: Sourced = await sourced(record, makers.sources, makers.model)
        use += made.use
        if made.why_not:
            found.left_out[made.why_not if made.record is None else _NOT_NEWS] += 1
        if made.record is not None:
            records.append(made.record)
    return records, use


_NOT_NEWS = "(kept with the cited page alone: the model gave no usable news)"


def _told(
    notes: Sequence[dict[str, Any]], records: Sequence[EditRecord]
) -> dict[str, Any]:
    left_out: Counter[str] = Counter()
    for note in notes:
        left_out.update(note["left_out"])
    return {
        "pages": len(notes),
        "revisions": sum(note["revisions"] for note in notes),
        "examples": len(records),
        "generated_sources": sum(one.is_generated for one in records),
        "left_out": dict(left_out.most_common()),
        "calls": sum(note["calls"] for note in notes),
    }


def _write_sets(
    records: Sequence[EditRecord], folder: Path, target: Target, write: Write
) -> dict[str, int]:
    """Write both sets; a page is wholly in one of them, whatever else is in the set."""
    counts = {}
    for name, is_test in (("train", False), ("test", True)):
        part = [one for one in records if one.is_for_test is is_test]
        talks = list(to_chat(part, target))
        write(folder / f"{name}.jsonl", to_lines(part))
        write(folder / f"{name}.chat.jsonl", "".join(f"{one}\n" for one in talks))
        counts[name] = len(talks)
    return counts


def _file(folder: Path, asked: Asked, makers: Makers, title: str) -> Path:
    times = (asked.since.isoformat(), asked.until.isoformat())
    by = makers.model.engine.version if makers.model else ""
    parts = (asked.wiki, title, *times, by)
    name = sha256("\n".join(parts).encode("utf-8", "replace")).hexdigest()[:16]
    return folder / "pages" / f"{name}.jsonl"
