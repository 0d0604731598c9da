"""Reads what people added to a page, as facts with sources and days."""

from collections import Counter
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property
from typing import Protocol

from bot.research.evaluation.atomic_facts import facts_of
from bot.wiki.history import WikiHistory
from handlers.citations.addresses import address_of
from handlers.model import Source, Window
from handlers.page.anchors import normalised
from handlers.ports import PermanentError, SourceReader
from handlers.updates.human_edits import (
    HistoryReading,
    HumanEdit,
    latency_days,
    published_in,
    published_on,
    why_not_factual,
)


@dataclass(frozen=True, slots=True)
class FactualEdit:
    """An edit that brought facts with a new source. `latencies` are days, one a source.

    `is_of_its_year` tells whether a source is from the year of the edit, `None` where
    no source names a year.
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
    """Some days, both ends included."""

    since: date
    until: date

    @property
    def window(self) -> Window:
        """The days as discovery takes them."""
        return Window(self.since, self.until)

    @property
    def begins_at(self) -> datetime:
        """Its first moment."""
        return datetime.combine(self.since, time(), UTC)

    @property
    def ends_at(self) -> datetime:
        """Its last second."""
        return datetime.combine(self.until, time(23, 59, 59), UTC)

    def holds(self, at: datetime) -> bool:
        """Tell whether a moment lies in it."""
        return self.begins_at <= at <= self.ends_at


@dataclass(frozen=True, slots=True)
class PageHistory:
    """What people did to a page in a time.

    `edits_of_sections` counts one for each section that a revision changed;
    `left_out` those without facts, by the reason.
    """

    title: str
    category: str
    revisions: int
    edits_of_sections: int
    left_out: Mapping[str, int]
    edits: tuple[FactualEdit, ...]

    def in_period(self, period: Period) -> tuple[FactualEdit, ...]:
        """Return the edits of a period, in the order of time."""
        return tuple(one for one in self.edits if period.holds(one.saved_at))


class FactFinder(Protocol):
    """Takes sentences apart into facts."""

    @property
    def name(self) -> str:
        """Who does so, for the report."""
        ...

    async def facts(self, sentence: str) -> tuple[str, ...]:
        """Return the facts of a sentence, each a sentence of its own."""
        ...


class RuleFacts:
    """Fulfils `FactFinder` by the rules of `bot.research.evaluation.atomic_facts`."""

    name = "by rules"

    async def facts(self, sentence: str) -> tuple[str, ...]:
        """Return the facts of a sentence."""
        return facts_of(sentence)


@dataclass(frozen=True, slots=True)
class StudiedPage:
    """A page; its category only for figures by category."""

    title: str
    category: str = ""


class HistoryStudent:
    """Reads histories of one wiki's pages.

    Args:
        wiki: its host name.
        histories: reads revisions.
        finder: of facts.
        sources: reads cited pages for their day, where the citation has none.
    """

    def __init__(
        self,
        wiki: str,
        histories: WikiHistory,
        finder: FactFinder,
        sources: SourceReader | None = None,
    ) -> None:
        self._wiki = wiki
        self._histories = histories
        self._finder = finder
        self._sources = sources

    @property
    def facts_by(self) -> str:
        """Who takes sentences apart."""
        return self._finder.name

    async def history(self, page: StudiedPage, time: Period) -> PageHistory:
        """Return what people did to a page in a time.

        Raises:
            PermanentError: there is no such page, or the wiki will not answer.
            TemporaryError: it cannot be reached or is busy.
        """
        reading = HistoryReading(self._wiki, page.title)
        revisions = self._histories.revisions(page.title, time.begins_at, time.ends_at)
        async with aclosing(revisions):
            async for revision in revisions:
                reading.add(revision)
        edits = reading.edits()
        reasons = [why_not_factual(one) for one in edits]
        read = [
            await self._read(edit)
            for edit, reason in zip(edits, reasons, strict=True)
            if reason is None
        ]
        return PageHistory(
            title=page.title,
            category=page.category,
            revisions=max(0, reading.revisions - 1),
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
        """Return when a source was published, as the citation or the page itself says."""
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
        """All of the time."""
        return Period(self.since, self.until)

    @cached_property
    def periods(self) -> tuple[Period, ...]:
        """The periods in order.

        Raises:
            PermanentError: there are too many.
        """
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
