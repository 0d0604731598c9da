"""Makes the set that an editor of updates learns from: how people edited (WiNELL §3.3).

Examples come from revision histories, page by page, and are saved for each page. Each
gets the source that may have led to the edit (appendix B.2). With a language model: it
names the words of the cited page that led to the edit, if the page could be read, and
writes three or four sentences of news with the edit's facts and some comment, which the
editor should learn to leave out. Its answer is checked word by word. Without a model:
the passage of the cited page that is nearest to the edit, in which no comment is
marked.

A folder holds `pages/` with two files for each page (its examples, and what was left
out), and at the end `train.jsonl` and `test.jsonl` with the examples and
`train.chat.jsonl` and `test.chat.jsonl` with the conversations.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict

from bot.research.evaluation.checkpoints import short_name, write
from bot.research.evaluation.report import Progress
from bot.research.evaluation.updates.human_edits import (
    EditHistory,
    Histories,
    read_edits,
    why_no_example,
)
from bot.research.training.writers.chat import to_lines, write_sets
from bot.research.training.writers.edit_records import (
    EditRecord,
    Target,
    conversation,
    from_lines,
)
from bot.wiki.human_edits import (
    HumanEdit,
    ParagraphChange,
    paragraphs_of,
)
from handlers.citations.comparison import nearest
from handlers.citations.passages import cut
from handlers.citations.quotes import find_quote
from handlers.model import ModelFailure, ModelUse, PageId, Source, SourceForm
from handlers.page import parse
from handlers.page.prose import normalised
from handlers.page.sentences import split
from handlers.ports import (
    Excerpt,
    LanguageModel,
    ModelRequest,
    ModelUnusableError,
    PermanentError,
    SourceReader,
)
from handlers.text.analysis import TextAnalysis, analyse
from handlers.updates.entailment import claim_of
from handlers.updates.questions import ask


@dataclass(slots=True)
class Collected:
    """The examples of one page, and how many changes were left out for which reason."""

    records: list[EditRecord] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    revisions: int = 0


def collected(wiki: str, title: str, history: EditHistory) -> Collected:
    """Return the examples from people's edits of a page (appendices A and B.1)."""
    found = Collected(revisions=history.revisions)
    for edit in history.edits():
        for change in edit.changes:
            unwanted = why_no_example(edit, change)
            if unwanted is not None:
                found.left_out[unwanted.value] += 1
            else:
                found.records.append(_record(wiki, title, edit, change))
    return found


def _record(
    wiki: str, title: str, edit: HumanEdit, change: ParagraphChange
) -> EditRecord:
    page = PageId(wiki, title)
    number = edit.note.revision_id
    addresses = (source.url for source in change.sources)
    return EditRecord(
        id=short_name(wiki, title, str(number), change.before),
        wiki=wiki,
        title=title,
        section=edit.section,
        revision_id=number,
        before=plain(page, change.before),
        after=plain(page, change.after),
        address=next((one for one in addresses if one), ""),
    )


def plain(page: PageId, wikitext: str) -> str:
    """Return a paragraph's sentences as a reader sees them, separated by a space."""
    paragraphs = paragraphs_of(parse(wikitext, page))
    return " ".join(one for paragraph in paragraphs for one in paragraph.sentences)


@dataclass(frozen=True, slots=True)
class EditedPages:
    """Which pages of which wiki, and between which times they were edited."""

    wiki: str
    titles: Sequence[str]
    since: datetime
    until: datetime


@dataclass(frozen=True, slots=True)
class Makers:
    """What reads histories and sources, and what writes news."""

    histories: Histories
    sources: SourceReader
    model: LanguageModel | None


async def prepare(
    pages: EditedPages, makers: Makers, folder: Path, target: Target, progress: Progress
) -> dict[str, Any]:
    """Make the set in `folder`, and return counts of the result.

    Pages that an earlier run with the same questions has done are taken from their
    files.
    """
    (folder / "pages").mkdir(parents=True, exist_ok=True)
    progress.started(len(pages.titles))
    notes, records = [], []
    for title in pages.titles:
        note = await _page(pages, makers, folder, title)
        notes.append(note)
        records += list(from_lines(_file(folder, pages, makers, title)))
        progress.advance()
    summary = _summary(notes, records)
    if not records:
        raise PermanentError(
            f"no edit makes an example: {json.dumps(summary['left_out'])}; name more pages,"
            " or a longer time"
        )
    sets = {
        name: [
            (one, conversation(one, target))
            for one in records
            if one.is_for_test is is_test
        ]
        for name, is_test in (("train", False), ("test", True))
    }
    return {**summary, "conversations": write_sets(sets, folder)}


async def _page(
    pages: EditedPages, makers: Makers, folder: Path, title: str
) -> dict[str, Any]:
    file = _file(folder, pages, makers, title)
    done = file.with_suffix(".json")
    if done.exists() and file.exists():
        stored = json.loads(done.read_text("utf-8"))
        if isinstance(stored, dict):
            return stored
    history = await read_edits(
        makers.histories, pages.wiki, title, pages.since, pages.until
    )
    found = collected(pages.wiki, title, history)
    records, use = [], ModelUse()
    for record in found.records:
        made: Sourced = await sourced(record, makers.sources, makers.model)
        use += made.use
        if made.why_not:
            found.left_out[made.why_not if made.record is None else _NOT_NEWS] += 1
        if made.record is not None:
            records.append(made.record)
    note = {
        "title": title,
        "revisions": found.revisions,
        "examples": len(records),
        "left_out": dict(found.left_out),
        "calls": use.calls,
        "cost": str(use.cost),
    }
    write(file, to_lines(records))
    write(done, json.dumps(note))
    return note


_NOT_NEWS = "(kept with the cited page alone: the model gave no usable news)"


def _summary(
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


def _file(folder: Path, pages: EditedPages, makers: Makers, title: str) -> Path:
    times = (pages.since.isoformat(), pages.until.isoformat())
    by = makers.model.engine.version if makers.model else ""
    name = short_name(pages.wiki, title, *times, by)
    return folder / "pages" / f"{name}.jsonl"


INSTRUCTIONS = """
You make examples for training an editor of an encyclopaedia. You are shown a paragraph \
before and after a person edited it and, where it could be read, a part of the page that \
the person cited. Do three things:

1. Copy into "motive" the run of words of the cited page, character for character, that \
most likely led to the edit. Leave it empty where there is no page or none of it fits.
2. Write into "news" a paragraph of three or four sentences as a newspaper would have \
printed it. It states every fact that the edit brought in, in other words than the \
edited paragraph, but with the same names, numbers and dates. It also holds some \
comment, such as praise, an opinion or a reporter's impression, that an encyclopaedia \
would leave out. It contradicts nothing on the cited page.
3. List in "key_facts" the words and short phrases of your news that carry the facts and \
stand in the edited paragraph, too, but not in the old one: names, numbers, dates, \
events. List in "commentary" the words and short phrases of your news that carry comment \
and stand in neither paragraph. Copy each from your news, character for character.
"""
_MOST_PAGE = 6_000  # characters of the cited page that are shown
_FEWEST_SENTENCES, _MOST_SENTENCES = 2, 6
_LONGEST_NEWS = 1_500
_LONGEST_PHRASE = 120
_MOST_PHRASES = 20


def _few(items: list[str]) -> list[str]:
    return [one.strip() for one in items[:_MOST_PHRASES] if one.strip()]


Phrases = Annotated[list[str], AfterValidator(_few)]


class NewsAnswer(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    motive: str
    news: str
    key_facts: Phrases
    commentary: Phrases


@dataclass(frozen=True, slots=True)
class Sourced:
    """The example with its source, or why it has none, and what asking for it took."""

    record: EditRecord | None
    use: ModelUse = field(default_factory=ModelUse)
    why_not: str = ""


async def sourced(
    record: EditRecord, sources: SourceReader, model: LanguageModel | None
) -> Sourced:
    """Return the example with a source: a model's, else what the cited page says."""
    passage = await _passage(record, sources)
    if model is None:
        return _as_read(record, passage)
    reply = await ask(model, _request(record, passage))
    if reply.failure is ModelFailure.UNUSABLE:  # what is kept is not asked for again
        raise ModelUnusableError(reply.detail, use=reply.use)
    if reply.value is None:
        made: EditRecord | str = reply.detail
    else:
        made = generated(record, reply.value, passage)
    if isinstance(made, str):
        return Sourced(_as_read(record, passage).record, reply.use, made)
    return Sourced(made, reply.use)


def generated(record: EditRecord, answer: NewsAnswer, passage: str) -> EditRecord | str:
    """Return the example with the model's news, or what is wrong with the news."""
    news = " ".join(answer.news.split())
    count = len(split(news))
    if not _FEWEST_SENTENCES <= count <= _MOST_SENTENCES or len(news) > _LONGEST_NEWS:
        return "the model's news are too short or too long"
    missing = [one for one in details(record) if not _holds(news, one)]
    if missing:
        return "the model's news lack facts of the edit"
    if answer.motive.strip() and find_quote(answer.motive, passage) is None:
        return "the words that the model copied do not stand on the cited page"
    facts = _phrases(answer.key_facts, news, [record.after], [record.before])
    comment = _phrases(answer.commentary, news, [], [record.before, record.after])
    if not facts:
        return "the model named no fact that is in its news and in the edit"
    return record.model_copy(
        update={
            "source": news,
            "is_generated": True,
            "key_facts": facts,
            "commentary": comment,
        }
    )


def details(record: EditRecord) -> tuple[str, ...]:
    """Return the names, numbers and dates that the edit added, as it writes them."""
    found = dict.fromkeys(_details(analyse(record.after)))
    return tuple(one for one in found if not _holds(record.before, one))


def _details(text: TextAnalysis) -> Iterator[str]:
    dated = [(one.first_word, one.last_word) for one in text.dates]
    counted = [(one.first_word, one.last_word) for one in text.quantities]
    named = [(one.first_word, one.last_word) for one in text.names]
    in_dates = {at for first, last in dated for at in range(first, last + 1)}
    others = [
        (first, last)
        for first, last in (*counted, *named)
        if not (first in in_dates and last in in_dates)
    ]
    for first, last in (*dated, *others):
        yield text.text[text.words[first].start : text.words[last].end]


def _as_read(record: EditRecord, passage: str) -> Sourced:
    """Return the example with what the cited page says, if that is about the edit."""
    if not passage:
        return Sourced(None, why_not="the cited page could not be read")
    facts = tuple(one for one in details(record) if _holds(passage, one))
    if not facts:
        why_not = "the cited page says nothing of the edit"
        return Sourced(None, why_not=why_not)
    made = record.model_copy(
        update={
            "source": passage,
            "key_facts": facts[:_MOST_PHRASES],
        }
    )
    return Sourced(made)


async def _passage(record: EditRecord, sources: SourceReader) -> str:
    """Return the passage of the cited page that is nearest to what the edit says."""
    if not record.address:
        return ""
    source = Source(SourceForm.URL, raw=record.address, url=record.address)
    document = (await sources.read(source)).document
    if document is None:
        return ""
    passages = cut(document, source.key)
    if not passages:
        return ""
    claim = claim_of(_came(record) or record.after, section=record.section)
    return " ".join(nearest(record.title, claim, passages)[0].passage.text.split())


def _came(record: EditRecord) -> str:
    """Return the sentences that the edit added or changed."""
    known = {span.of(record.before).strip() for span in split(record.before)}
    sentences = (span.of(record.after).strip() for span in split(record.after))
    return " ".join(one for one in sentences if one not in known)


def _request(record: EditRecord, passage: str) -> ModelRequest[NewsAnswer]:
    content = (
        Excerpt("title of the article", record.title[:300]),
        Excerpt("paragraph before", record.before),
        Excerpt("paragraph after", record.after),
        Excerpt("cited page", passage[:_MOST_PAGE] or "(it could not be read)"),
    )
    return ModelRequest(INSTRUCTIONS, content, NewsAnswer)


def _phrases(
    named: Iterable[str], news: str, within: Sequence[str], outside: Sequence[str]
) -> tuple[str, ...]:
    """Return the phrases that occur where they must, and nowhere that they must not."""
    return tuple(
        dict.fromkeys(
            one
            for one in named
            if len(one) <= _LONGEST_PHRASE
            and _holds(news, one)
            and all(_holds(text, one) for text in within)
            and not any(_holds(text, one) for text in outside)
        )
    )


def _holds(text: str, phrase: str) -> bool:
    """Return whether a phrase occurs in a text, ignoring punctuation and case."""
    wanted = normalised(phrase)
    return bool(wanted) and f" {wanted} " in f" {normalised(text)} "
