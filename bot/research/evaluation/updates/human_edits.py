"""Reads what people added to a page, as facts with sources and dates (WiNELL §4.1).

The revisions of a period are read one after the other. Only the paragraphs of one
revision are kept, so that a year of a busy page fits into memory. Revisions of one
person in quick succession count as one, because people save a sentence first and its
source a minute later. Whether an edit survived is known at the end: from texts that
return to an earlier state, and from the last text.

Appendix A lists what is not an edit of content; B.1 lists four filters for the examples
that an editor is trained on: noise, semantic integrity, simplification of the history,
pruning of sections.
"""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from difflib import SequenceMatcher
from enum import Enum
from functools import cached_property
from typing import Protocol

from bot.research.evaluation.atomic_facts import facts_of
from bot.wiki.changes import REVERTED
from bot.wiki.human_edits import (
    Fate,
    HumanEdit,
    Layout,
    Paragraph,
    ParagraphChange,
    Revision,
    edits_between,
    latency_days,
    paragraphs_of,
    published_in,
    published_on,
)
from handlers.model import PageId, Source, Window
from handlers.page import parse
from handlers.page.prose import normalised
from handlers.ports import PermanentError, SourceReader
from handlers.sources.addresses import address_of
from handlers.text.words import negations, words
from handlers.updates.criteria import is_apparatus


@dataclass(frozen=True, slots=True)
class FactualEdit:
    """An edit that added facts with a new source. `latencies` are days, one per source.

    `is_of_its_year` is whether a source is from the year of the edit, `None` if no
    source names a year.
    """

    revision_id: int
    saved_at: datetime
    section: tuple[str, ...]
    sentences: tuple[str, ...]
    facts: tuple[str, ...]
    addresses: tuple[str, ...]
    latencies: tuple[int, ...]
    is_of_its_year: bool | None


@dataclass(frozen=True, slots=True)
class Period:
    since: date
    until: date

    @property
    def window(self) -> Window:
        return Window(self.since, self.until)

    @property
    def begins_at(self) -> datetime:
        return datetime.combine(self.since, time(), UTC)

    @property
    def ends_at(self) -> datetime:
        return datetime.combine(self.until, time(23, 59, 59), UTC)

    def holds(self, at: datetime) -> bool:
        return self.begins_at <= at <= self.ends_at


@dataclass(frozen=True, slots=True)
class PageHistory:
    """What people did to a page in a period.

    `edits_of_sections` counts one for each section that a revision changed;
    `left_out` counts those without facts, by reason.
    """

    title: str
    category: str
    revisions: int
    edits_of_sections: int
    left_out: Mapping[str, int]
    edits: tuple[FactualEdit, ...]

    def in_period(self, period: Period) -> tuple[FactualEdit, ...]:
        return tuple(one for one in self.edits if period.holds(one.saved_at))


class Histories(Protocol):
    """Reads the revisions of a page; implemented by `bot.wiki.history`."""

    def revisions(
        self, title: str, since: datetime, until: datetime
    ) -> AsyncGenerator[Revision, None]:
        """Yield the revision current at `since`, then all saved up to `until`."""
        ...


async def read_edits(
    histories: Histories, wiki: str, title: str, since: datetime, until: datetime
) -> "EditHistory":
    edit_history = EditHistory(wiki, title)
    async with aclosing(histories.revisions(title, since, until)) as revisions:
        async for revision in revisions:
            edit_history.add(revision)
    return edit_history


class FactFinder(Protocol):
    """Splits sentences into facts."""

    @property
    def name(self) -> str:
        """What does the splitting, for the report."""
        ...

    async def facts(self, sentence: str) -> tuple[str, ...]:
        """Return the facts of a sentence, each as a sentence."""
        ...


class RuleFacts:
    name = "by rules"

    async def facts(self, sentence: str) -> tuple[str, ...]:
        return facts_of(sentence)


@dataclass(frozen=True, slots=True)
class StudiedPage:
    """A page; its category is only needed for figures by category."""

    title: str
    category: str = ""


class HistoryReader:
    """Reads histories of one wiki's pages."""

    def __init__(
        self,
        wiki: str,
        histories: Histories,
        finder: FactFinder,
        sources: SourceReader | None = None,
    ) -> None:
        self._wiki = wiki
        self._histories = histories
        self._finder = finder
        self._sources = sources

    @property
    def facts_by(self) -> str:
        return self._finder.name

    @property
    def reads_dates(self) -> bool:
        return self._sources is not None

    async def history(self, page: StudiedPage, time: Period) -> PageHistory:
        edit_history = await read_edits(
            self._histories, self._wiki, page.title, time.begins_at, time.ends_at
        )
        edits = edit_history.edits()
        reasons = [why_not_factual(one) for one in edits]
        read = [
            await self._read(edit)
            for edit, reason in zip(edits, reasons, strict=True)
            if reason is None
        ]
        return PageHistory(
            title=page.title,
            category=page.category,
            revisions=max(0, edit_history.revisions - 1),
            edits_of_sections=len(edits),
            left_out=Counter(reason.value for reason in reasons if reason),
            edits=tuple(one for one in read if one.facts),
        )

    async def _read(self, edit: HumanEdit) -> FactualEdit:
        known = {
            normalised(fact)
            for sentence in edit.removals
            for fact in await self._finder.facts(sentence)
        }
        facts = [
            fact
            for sentence in edit.insertions
            for fact in await self._finder.facts(sentence)
            if normalised(fact) not in known
        ]
        saved = edit.note.saved_at.date()
        days = [await self._day(source) for source in edit.sources]
        years = [
            year
            for source, day in zip(edit.sources, days, strict=True)
            if (year := published_in(source) or (day.year if day else None))
        ]
        return FactualEdit(
            revision_id=edit.note.revision_id,
            saved_at=edit.note.saved_at,
            section=edit.section,
            sentences=edit.insertions,
            facts=tuple(dict.fromkeys(facts)),
            addresses=tuple(filter(None, map(address_of, edit.sources))),
            latencies=latency_days(saved, days),
            is_of_its_year=saved.year in years if years else None,
        )

    async def _day(self, source: Source) -> date | None:
        """Return when a source was published, by the citation or else the page."""
        day = published_on(source)
        if day is not None or self._sources is None or not source.url:
            return day
        document = (await self._sources.read(source)).document
        try:
            return date.fromisoformat((document.published or "") if document else "")
        except ValueError:
            return None


_MOST_PERIODS = 400


@dataclass(frozen=True)
class Study:
    """Pages of one wiki over a time, in periods of `days` days; the last may be shorter."""

    wiki: str
    pages: tuple[StudiedPage, ...]
    since: date
    until: date
    days: int = 14

    @property
    def whole(self) -> Period:
        return Period(self.since, self.until)

    @cached_property
    def periods(self) -> tuple[Period, ...]:
        step = timedelta(days=self.days)
        count = -(-((self.until - self.since).days + 1) // self.days)
        if count > _MOST_PERIODS:
            raise PermanentError(
                f"{count:,} periods are too many; name longer ones, or a shorter time"
            )
        firsts = [self.since + number * step for number in range(count)]
        return tuple(
            Period(first, min(first + step - timedelta(days=1), self.until))
            for first in firsts
        )


_SITTING = timedelta(minutes=30)
_STILL_ALIKE = 0.6  # of its words that a reworded sentence keeps
_COMMON = 200  # words in more sentences than this are not used to look up sentences


class EditHistory:
    """Takes the revisions of one page, oldest first, and returns the edits."""

    def __init__(self, wiki: str, title: str, *, sitting: timedelta = _SITTING) -> None:
        self._page = PageId(wiki, title)
        self._sitting = sitting
        self._seen: dict[
            bytes, int
        ] = {}  # texts, and the number of their first revision
        self._count = 0
        self._base: tuple[Paragraph, ...] = ()
        self._waiting: Revision | None = (
            None  # may belong to a sitting that is not over
        )
        self._edits: list[tuple[int, HumanEdit]] = []  # with the number of the revision
        self._returns: list[tuple[int, int]] = []

    @property
    def revisions(self) -> int:
        """How many revisions with text were read, including the first."""
        return self._count

    def add(self, revision: Revision) -> None:
        """Read the next revision; the first is what the edits start from.

        A revision without text is skipped.
        """
        if revision.text is None:
            return
        if self._waiting and not self._continues(self._waiting, revision):
            self._settle()
        if self._count:
            self._waiting = revision
        else:
            self._base = self._read(revision)
        digest = hashlib.sha256(revision.text.encode()).digest()
        earlier = self._seen.setdefault(digest, self._count)
        if earlier < self._count:
            self._returns.append((earlier, self._count))
        self._count += 1

    def edits(self) -> tuple[HumanEdit, ...]:
        """Return the edits in order of time, each with its fate."""
        self._settle()
        last = _LastText(self._base)

        def is_undone(at: int) -> bool:
            """Return whether this edit restored an earlier text, or a later one did."""
            return any(earlier < at <= later for earlier, later in self._returns)

        return tuple(
            replace(edit, fate=Fate.UNDONE if is_undone(at) else last.fate(edit))
            for at, edit in self._edits
        )

    def _continues(self, one: Revision, other: Revision) -> bool:
        """Return whether `other` belongs to the sitting in which `one` was saved."""
        is_same = bool(one.note.user) and one.note.user == other.note.user
        return is_same and other.note.saved_at - one.note.saved_at < self._sitting

    def _settle(self) -> None:
        """Compare the waiting revision with the last one before its sitting."""
        if self._waiting is None:
            return
        after = self._read(self._waiting)
        edits = edits_between(self._base, after, self._waiting.note)
        self._edits.extend((self._count - 1, edit) for edit in edits)
        self._base, self._waiting = after, None

    def _read(self, revision: Revision) -> tuple[Paragraph, ...]:
        return paragraphs_of(parse(revision.text or "", self._page))


class _LastText:
    """Decides the fate of sentences by the last revision that was read."""

    def __init__(self, paragraphs: Sequence[Paragraph]) -> None:
        self._keys = list({key: None for one in paragraphs for key in one.keys})
        self._places = dict.fromkeys(self._keys)
        self._by_word: dict[str, list[int]] = defaultdict(list)
        for at, key in enumerate(self._keys):
            for word in set(key.split()):
                self._by_word[word].append(at)

    def fate(self, edit: HumanEdit) -> Fate:
        came = [normalised(text) for text in edit.insertions]
        if not came:
            is_back = any(normalised(text) in self._places for text in edit.removals)
            return Fate.UNDONE if is_back else Fate.KEPT
        if any(key in self._places for key in came):
            return Fate.KEPT
        return Fate.REWORDED if any(map(self._is_like_one, came)) else Fate.UNDONE

    def _is_like_one(self, key: str) -> bool:
        wanted = set(key.split())
        shared: Counter[int] = Counter()
        for word in wanted:
            places = self._by_word.get(word, ())
            if len(places) <= _COMMON:
                shared.update(places)
        return any(
            2 * len(wanted & other) / (len(wanted) + len(other)) >= _STILL_ALIKE
            for at, _ in shared.most_common(5)
            for other in [set(self._keys[at].split())]
        )


_BOT = re.compile(r"bot(?:[ _-]?[0-9ivx]{1,3})?$|^bot[ _]", re.IGNORECASE)
_REVERTS = frozenset({"mw-undo", "mw-rollback", "mw-manual-revert"})
_UNREADABLE = re.compile(
    "[\ufffd\ufeff\u200b\x00-\x08\x0b-\x1f\x7f]"
    r"|Ã[\x80-\xbf©¤¶¼¨]|â€|(\S)\1{9,}"  # wrong encoding; a key held down
)
_PAIRS = (("{{", "}}"), ("[[", "]]"), ("<ref", "</ref>"))
_CLOSED_REF = re.compile(r"<ref[^<>]*/>")
_PLAIN = re.compile(
    # An unclosed one ends where the next begins, so that nothing is read twice.
    r"<ref[^<>]*/>|<ref[^<>]*>(?:(?!</?ref).)*+</ref>|<!--(?:(?!<!--|-->).)*+-->"
    r"|\{\{[^{}]*\}\}|\[\[(?:[^\[\]|]*\|)?|\]\]|<[^<>]*>|'{2,}",
    re.DOTALL | re.IGNORECASE,
)
_MOST_CHARACTERS = 20_000  # of a paragraph that is compared word by word
_SAME_WORD = 0.8  # of its letters, if its spelling was corrected


class Unwanted(Enum):
    """Why an edit is left out."""

    PROGRAM = "a program made it"
    UNDONE = "it was undone, or undoes another"
    NO_NEW_SOURCE = "it brings no new source"
    NO_WORDS = "it brings no words"
    SUPERFICIAL = "only spelling or small words changed"
    APPARATUS = "its section is for references or links"
    NOISE = "it has unreadable characters or broken markup"
    NO_PARAGRAPH = "there was no paragraph before, or none is left"
    TOO_SHORT = "too few words changed"
    TOO_LONG = "too many words changed"
    REPHRASED = "it rewrites the whole paragraph"
    NOT_PROSE = "it is not running text"


# Limits for an example for the editor, in words and shares of words.
_LEAST_CHANGED, _MOST_CHANGED = 4, 150
_LONGEST_PARAGRAPH = 400
_LEAST_KEPT = 0.5  # of the old paragraph's words


def why_not_factual(edit: HumanEdit) -> Unwanted | None:
    """Return why an edit adds no facts with a source (§4.1); `None` if it does."""
    tests = (
        # A bot's name must start or end with "bot".
        (Unwanted.PROGRAM, _BOT.search(edit.note.user)),
        (Unwanted.UNDONE, _is_reverting(edit)),
        (Unwanted.APPARATUS, is_apparatus(edit.section)),
        (Unwanted.NO_WORDS, not edit.insertions),
        (Unwanted.NO_NEW_SOURCE, not edit.sources),
        (Unwanted.SUPERFICIAL, all(map(is_superficial, edit.changes))),
        (Unwanted.NOISE, any(map(_UNREADABLE.search, edit.insertions))),
    )
    return next((why for why, holds in tests if holds), None)


def why_no_example(edit: HumanEdit, change: ParagraphChange) -> Unwanted | None:
    """Return why a change teaches the editor nothing (B.1); `None` if it does."""
    unwanted = why_not_factual(edit)
    if unwanted is not None:
        return unwanted
    if edit.fate is not Fate.KEPT:
        return Unwanted.UNDONE
    return _why_no_pair(change)


def is_superficial(change: ParagraphChange) -> bool:
    """Return whether only spelling, small words or the order of words changed."""
    if _negations(change.removals) != _negations(change.insertions):
        return False
    old = _weighty(change.removals)
    new = _weighty(change.insertions)
    came, went = new - old, old - new
    return len(came) == len(went) and all(
        any(_is_same_word(word, other) for other in went) for word in came
    )


def _why_no_pair(change: ParagraphChange) -> Unwanted | None:
    if change.layout not in {Layout.PARAGRAPH, Layout.ITEM}:
        return Unwanted.NOT_PROSE
    if not change.before or not change.after:
        return Unwanted.NO_PARAGRAPH
    if not change.insertions:
        return Unwanted.NO_WORDS
    if not change.sources:
        return Unwanted.NO_NEW_SOURCE
    if _is_noise(change.before) or _is_noise(change.after):
        return Unwanted.NOISE
    return _why_no_size(change)


def _why_no_size(change: ParagraphChange) -> Unwanted | None:
    if max(len(change.before), len(change.after)) > _MOST_CHARACTERS:
        return Unwanted.TOO_LONG
    old, new = _words_of(change.before), _words_of(change.after)
    if max(len(old), len(new)) > _LONGEST_PARAGRAPH:
        return Unwanted.TOO_LONG
    matched = SequenceMatcher(None, old, new, autojunk=False)
    changed = sum(
        max(i_end - i, j_end - j)
        for tag, i, i_end, j, j_end in matched.get_opcodes()
        if tag != "equal"
    )
    if changed < _LEAST_CHANGED:
        return Unwanted.TOO_SHORT
    if changed > _MOST_CHANGED:
        return Unwanted.TOO_LONG
    unchanged = sum(block.size for block in matched.get_matching_blocks())
    return Unwanted.REPHRASED if unchanged < _LEAST_KEPT * len(old) else None


def _is_reverting(edit: HumanEdit) -> bool:
    return (
        edit.fate is Fate.UNDONE
        or REVERTED in edit.note.tags
        or not _REVERTS.isdisjoint(edit.note.tags)
    )


def _is_noise(wikitext: str) -> bool:
    if _UNREADABLE.search(wikitext):
        return True
    text = _CLOSED_REF.sub("", wikitext)
    return any(text.count(opens) != text.count(closes) for opens, closes in _PAIRS)


def _weighty(sentences: tuple[str, ...]) -> set[str]:
    """Return the words of sentences that carry meaning, with numbers and negations."""
    return {
        word.text.casefold()
        for sentence in sentences
        for word in words(sentence)
        if word.is_content
    }


def _negations(sentences: tuple[str, ...]) -> int:
    return sum(negations(words(sentence)) for sentence in sentences)


def _is_same_word(one: str, other: str) -> bool:
    if any(map(str.isdigit, one + other)):
        return one == other
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= _SAME_WORD


def _words_of(wikitext: str) -> list[str]:
    return normalised(_PLAIN.sub(" ", wikitext)).split()
