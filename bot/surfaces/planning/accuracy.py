"""Stores each wiki's open figures by day, and plans the page on wikis that want one."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from functools import partial
from itertools import groupby, pairwise

import structlog

from bot.records.accounts import ReportAnswer
from bot.records.accuracy import (
    AccuracyDay,
    EditsOfKind,
    KindAccuracy,
    NotedEditsOfKind,
    Pause,
    PauseReason,
    Reports,
)
from bot.store.accuracy import Facts
from bot.store.spending import day_of
from bot.surfaces.feedback import FeedbackRules, feedback
from bot.surfaces.messages import SOURCE, Words, language_of
from bot.surfaces.opt_in.community import in_force
from bot.surfaces.planning.own_pages import OwnPage
from bot.surfaces.planning.posts import PlanningTools
from bot.surfaces.post_summaries import Task, stop_page
from bot.wiki import blocks
from bot.wiki.escaping import WikiSafe, external_link, page_link, text
from bot.wiki.keys import Keys
from handlers.edits.finding import headline
from handlers.model import CheckKind, EditKind
from handlers.ports import PermanentError, TemporaryError

BLOCK = "accuracy"
_MONTHS = 3
_CHANGES = 20
_NAME = WikiSafe("'''Sidenote'''")
_KINDS = {
    CheckKind.CONTRADICTED: "kind-contradicted",
    CheckKind.NOT_SUPPORTED: "kind-not-supported",
    CheckKind.NOT_FULLY_SUPPORTED: "kind-partially-supported",
    CheckKind.OUTDATED: "kind-update",
    CheckKind.NEW_FACT: "kind-new-fact",
    CheckKind.WRITING: "kind-writing",
}


def accuracy_page(bot: str) -> str:
    """Return the title of the page."""
    return f"User:{bot}/Accuracy"


def accuracy_text(
    days: Sequence[AccuracyDay], data: str = "", language: str = SOURCE
) -> WikiSafe:
    """Return the text of the page.

    Args:
        days: of one wiki, the newest first, at least one.
        data: the address of the same figures by day; empty if there is none.
        language: of the wiki.
    """
    words, today = Words(language), days[0]
    return words.fill(
        "accuracy.wiki",
        name=_NAME,
        link=external_link(data, WikiSafe("JSON")),
        day=today,
        kind_name=lambda name: _kind_name(name, words),
        edit_name=lambda name: _edit_name(name, words),
        cut=partial(text, most=100),
        percent=_percent,
        pauses=_pauses(today, words),
        costs=_costs(days[1:], words),
        changes=list(_changes(days, words))[:_CHANGES],
    )


def accuracy_shown(
    page: str,
    days: Sequence[AccuracyDay],
    keys: Keys,
    *,
    own: str | None = None,
    data: str = "",
    language: str = SOURCE,
) -> blocks.Rewritten:
    """Return the page with the figures in its block, and nothing else changed.

    Args:
        page: its wikitext, empty if there is no page yet.
        days: as for `accuracy_text`.
        keys: sign the block.
        own: `Rewritten.content` of the last time, if known.
        data: as for `accuracy_text`.
        language: of the wiki.
    """
    body, advice = (
        accuracy_text(days, data, language),
        Words(language).say("block-advice"),
    )
    return blocks.rewritten(page, BLOCK, body, keys, own=own, advice=advice)


def _percent(share: float) -> WikiSafe:
    return WikiSafe(f"{share:.0%}")


def _kind_name(name: str, words: Words) -> WikiSafe:
    known = CheckKind.__members__.get(name)
    return words.say(_KINDS[known]) if known else text(name)


def _edit_name(name: str, words: Words) -> WikiSafe:
    known = EditKind.__members__.get(name)
    return words.of(headline(known)) if known else text(name)


def _pauses(day: AccuracyDay, words: Words) -> list[WikiSafe]:
    if not day.pauses:
        return [words.say("accuracy-nothing-paused")]
    return [_pause(one, day, words) for one in day.pauses]


def _pause(pause: Pause, day: AccuracyDay, words: Words) -> WikiSafe:
    if pause.why is PauseReason.BUDGET:
        return words.say("accuracy-paused-budget")
    if pause.why is PauseReason.STOP_PAGE:
        return words.say("accuracy-paused-stop", page_link(pause.what))
    found = [one for one in day.kinds if one.is_paused and one.kind == pause.what]
    right, decided = (
        sum(getattr(one, name) for one in found) for name in ("right", "decided")
    )
    name, bar = _kind_name(pause.what, words), _percent(day.bar)
    return words.say("accuracy-paused-precision", name, right, decided, bar)


def _costs(days: Sequence[AccuracyDay], words: Words) -> list[WikiSafe]:
    """Return a line for each of the last months, counting only days that are over."""
    lines = []
    for month, some in groupby(days, lambda day: f"{day.day:%Y-%m}"):
        costs = [day.costs for day in some]
        money = sum((Decimal(one.money) for one in costs), Decimal(0))
        names = ("checks", "claims", "model_calls", "model_tokens")
        counts = [sum(getattr(one, name) for one in costs) for name in names]
        if not any(counts):
            continue
        spent = WikiSafe(f"{money:.2f}")
        lines.append(words.say("accuracy-month", WikiSafe(month), *counts, spent))
    return lines[:_MONTHS]


def _changes(days: Sequence[AccuracyDay], words: Words) -> Iterator[WikiSafe]:
    """Yield what differs from the day before, the newest first."""
    for new, old in pairwise(days):
        lines: list[WikiSafe] = []
        if new.version != old.version:
            lines.append(words.say("accuracy-changed-version", text(new.version)))
        fresh = {one.engine for one in new.kinds} - {one.engine for one in old.kinds}
        if fresh and old.kinds:
            named = text(", ".join(sorted(fresh)), most=200)
            lines.append(words.say("accuracy-changed-engine", named))
        if new.configuration != old.configuration:
            at = new.configuration
            link = WikiSafe(f"[[Special:PermanentLink/{at}|{at}]]")
            lines.append(words.say("accuracy-changed-configuration", link))
        for key, some, others in (
            ("accuracy-changed-paused", new, old),
            ("accuracy-changed-resumed", old, new),
        ):
            for pause in some.pauses:
                if pause not in others.pauses:
                    what = _paused_name(pause, words)
                    lines.append(words.say(key, what))
        day = WikiSafe(new.day.isoformat())
        yield from (WikiSafe(f"{day}: {line}") for line in lines)


def _paused_name(pause: Pause, words: Words) -> WikiSafe:
    if pause.why is PauseReason.PRECISION:
        return _kind_name(pause.what, words)
    if pause.why is PauseReason.STOP_PAGE:
        return page_link(pause.what)
    return words.say("accuracy-language-model")


_EDIT_DAYS = 90
_NOTED = tuple(name for name in NotedEditsOfKind.model_fields if name != "kind")
_SHOWN_DAYS = 100  # whole months of costs
_GO = "run"
_OPERATORS = {Task.DRY_RUN, Task.STATUS}  # not of interest to a community


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
        community = await asyncio.to_thread(store.communities.get, wiki)
        today = day_of(now)
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
        texts = await self.tools.reader(wiki).texts_of(titles)
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
            noted=tuple(
                NotedEditsOfKind(
                    kind=one.kind.name,
                    **{name: getattr(one, name) for name in _NOTED},
                )
                for one in facts.noted
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
        title = (await self.tools.reader(wiki).namespaces()).title(
            accuracy_page(self.tools.bot)
        )
        if title is None:
            raise PermanentError(f"{wiki} has no page {accuracy_page(self.tools.bot)}")
        kind = UrgentAccuracyPage if is_urgent else AccuracyPage
        await kind(self.tools, wiki, title.text, days, self.data(wiki)).refresh()
