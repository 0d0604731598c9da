"""Stores each wiki's open figures by day, and plans the page on wikis that want one."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

import structlog

from bot.records.accounts import ReportAnswer
from bot.records.accuracy import (
    AccuracyDay,
    EditsOfKind,
    KindAccuracy,
    Pause,
    PauseReason,
    Reports,
)
from bot.store.accuracy import Facts
from bot.store.spending import day_of
from bot.surfaces.accuracy_page import BLOCK, accuracy_page, accuracy_shown
from bot.surfaces.feedback import FeedbackRules, feedback
from bot.surfaces.messages import language_of
from bot.surfaces.planning.communities import in_force
from bot.surfaces.planning.current_page import names_of
from bot.surfaces.planning.intended_post import PlanningTools
from bot.surfaces.planning.own_pages import OwnPage
from bot.surfaces.post_summaries import Task, stop_page
from bot.wiki import blocks
from bot.wiki.pages import PageText
from handlers.ports import PermanentError, TemporaryError

_EDIT_DAYS = 90
_SHOWN_DAYS = 100  # whole months of costs
_GO = "run"
_OPERATORS = {Task.DRY_RUN, Task.STATUS}  # not of interest to a community


class Reader(Protocol):
    """Reads one wiki, as `bot.wiki.lists.WikiLists` does."""

    async def texts_of(self, titles: Iterable[str]) -> Mapping[str, PageText]:
        """Return current texts by the titles that were asked for."""
        ...


@dataclass(frozen=True, slots=True)
class AccuracyPage(OwnPage):
    """The page; `days` are newest first, `data` is the address that serves them."""

    days: tuple[AccuracyDay, ...]
    data: str

    task = Task.ACCURACY
    block = BLOCK
    setting = "bot_account"
    pause_s = 72_000.0  # a little less than a day: written at about the same time

    def written(self, page: str, own: str | None) -> blocks.Rewritten:
        """Show the figures; see `OwnPage`."""
        keys, language = self.tools.keys, language_of(self.wiki)
        return accuracy_shown(
            page, self.days, keys, own=own, data=self.data, language=language
        )

    def summary(self, post: str) -> str:
        """Return the summary of the edit."""
        return self.tools.summaries(self.wiki).accuracy(post)


class UrgentAccuracyPage(AccuracyPage):
    """The same page, when something was paused or resumed."""

    pause_s = 0.0


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Collects the figures of wikis.

    `data` is the address of the open figures of a wiki; empty if they are not served.
    """

    tools: PlanningTools
    reader: Callable[[str], Reader]
    rules: FeedbackRules
    version: str
    data: Callable[[str], str]

    async def run(self, wikis: Iterable[str]) -> None:
        """Store today's figures, and have the wanted pages written."""
        for wiki in wikis:
            try:
                await self._run(wiki)
            except (TemporaryError, PermanentError) as error:
                why = str(error)
                structlog.get_logger().warning("no accuracy", wiki=wiki, why=why)

    async def _run(self, wiki: str) -> None:
        store, now = self.tools.store, self.tools.now()
        today, kept = day_of(now), store.communities.get
        community = await asyncio.to_thread(kept, wiki)
        since = today - timedelta(days=_SHOWN_DAYS)
        known = await asyncio.to_thread(store.accuracy.since, wiki, since)
        facts = await asyncio.to_thread(
            store.accuracy.facts,
            wiki,
            now,
            decided_since=now - timedelta(days=self.rules.days),
            saved_since=now - timedelta(days=_EDIT_DAYS),
        )
        stopped = await self._stopped(wiki)
        revision = community.revision_id if community else 0
        day = self._day(wiki, facts, stopped, revision)
        await asyncio.to_thread(store.accuracy.keep, day, now)
        before = [each for each in known if each.day < today]
        if before and len(before) == len(
            known
        ):  # the first run of today: yesterday is complete
            costs = await asyncio.to_thread(store.accuracy.costs, wiki, before[0].day)
            before[0] = before[0].model_copy(update={"costs": costs})
            await asyncio.to_thread(store.accuracy.keep, before[0], now)
        if in_force(community).accuracy:
            is_urgent = not known or known[0].pauses != day.pauses
            await self._write(wiki, (day, *before), is_urgent=is_urgent)

    async def _stopped(self, wiki: str) -> list[str]:
        """Return the stop pages that stop a task; without one, a task never started."""
        tasks = [each for each in Task if each not in _OPERATORS]
        titles = [stop_page(self.tools.bot, each) for each in tasks]
        texts = await self.reader(wiki).texts_of(titles)
        return [
            one for one in titles if one in texts and texts[one].text.strip() != _GO
        ]

    def _day(
        self, wiki: str, facts: Facts, stopped: Iterable[str], configuration: int
    ) -> AccuracyDay:
        made = feedback(facts.tallies, self.rules)
        held = dict.fromkeys(row.kind.name for row in made.held)
        pauses = [Pause(what=one, why=PauseReason.PRECISION) for one in held]
        pauses += [Pause(what=one, why=PauseReason.STOP_PAGE) for one in stopped]
        if facts.is_spent:
            pauses.append(Pause(what="language model", why=PauseReason.BUDGET))
        return AccuracyDay(
            day=day_of(self.tools.now()),
            wiki=wiki,
            version=self.version,
            configuration=configuration,
            bar=self.rules.bar,
            decision_days=round(self.rules.days),
            edit_days=_EDIT_DAYS,
            kinds=tuple(
                KindAccuracy(
                    kind=row.kind.name,
                    engine=f"{row.engine.name} {row.engine.version}".strip(),
                    right=row.right,
                    wrong=row.wrong,
                    low=round(row.interval[0], 4),
                    high=round(row.interval[1], 4),
                    is_paused=row.is_held,
                )
                for row in made.rows
            ),
            edits=tuple(
                EditsOfKind(
                    kind=one.kind.value,
                    saved=one.saved,
                    stayed=one.stayed,
                    reverted=one.reverted,
                    gone=one.gone,
                )
                for one in facts.edits
            ),
            reports=Reports(
                right=facts.reports.get(ReportAnswer.RIGHT, 0),
                wrong=facts.reports.get(ReportAnswer.WRONG, 0),
                fixed=facts.reports.get(ReportAnswer.FIXED, 0),
                open=facts.reports.get(None, 0),
            ),
            pauses=tuple(pauses),
            costs=facts.costs,
        )

    async def _write(
        self, wiki: str, days: tuple[AccuracyDay, ...], *, is_urgent: bool
    ) -> None:
        title = (await names_of(self.tools, wiki)).title(accuracy_page(self.tools.bot))
        if title is None:
            raise PermanentError(f"{wiki} has no page {accuracy_page(self.tools.bot)}")
        kind = UrgentAccuracyPage if is_urgent else AccuracyPage
        await kind(self.tools, wiki, title.text, days, self.data(wiki)).refresh()
