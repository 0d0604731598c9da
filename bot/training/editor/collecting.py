"""Takes examples from the history of a page (appendices A and B.1)."""

from collections import Counter
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from bot.training.editor.records import EditRecord, record_id
from handlers.model import PageId
from handlers.updates.human_edits import (
    HistoryReading,
    HumanEdit,
    ParagraphChange,
    Revision,
    paragraphs_of,
    why_no_example,
)
from handlers.wikitext import parse


class Histories(Protocol):
    """Reads the revisions of a page; `bot.adapters.wiki_history` fulfils it."""

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
