"""Reads what people added to a page, as facts with sources and days."""

from collections import Counter
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass
from datetime import date, datetime
from typing import Protocol

from bot.research.evaluation.atomic_facts import facts_of
from bot.research.evaluation.history.periods import Period, StudiedPage
from bot.wiki.history import WikiHistory
from handlers.citations.addresses import address_of
from handlers.model import Source
from handlers.page.anchors import normalised
from handlers.ports import SourceReader
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
