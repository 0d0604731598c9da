"""Checks every minute that the program works, and tells the operator when that changes.

It asks the wikis what the database cannot know: whether somebody stopped a task, and
whether the account is blocked, even while there is nothing to post. Any running process
can do it, one at a time, so that one that died is noticed by the others.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import structlog

from bot.daemon.alerts import Alert, Channel
from bot.daemon.status.health import health_problems, last_of_wikis
from bot.daemon.status.situation import Situation
from bot.records.heartbeat import HealthProblem, HealthProblemKind
from bot.store import Store
from bot.surfaces.post_summaries import Task, stop_page
from bot.wiki.pages import ListedUser, PageText
from bot.writing.preflight import GO
from handlers.ports import PermanentError, TemporaryError

EVERY_S = 60.0
_STOPPABLE = [task for task in Task if task is not Task.DRY_RUN]


class Reader(Protocol):
    """Reads one wiki, as `bot.wiki.lists.WikiLists` does."""

    async def texts_of(self, titles: Iterable[str]) -> Mapping[str, PageText]:
        """Return pages by the titles asked for, without those missing or hidden."""
        ...

    async def user(self, name: str) -> ListedUser | None:
        """Return an account; `None` if there is none of that name."""
        ...


@dataclass(frozen=True, slots=True)
class HealthWatch:
    """Checks, stores what is wrong, and reports what changed.

    `read_situation` returns the situation, and blocks; `reader` gives the reader of a
    wiki by its host.
    """

    store: Store
    read_situation: Callable[[], Situation]
    wikis: Sequence[str]
    reader: Callable[[str], Reader]
    channels: Sequence[Channel]
    now: Callable[[], datetime]

    async def __call__(self) -> None:
        """Check once.

        Raises:
            TemporaryError: the store is unavailable, or nobody could be told; the next
                check tries again.
            PermanentError: the store cannot be used.
        """
        situation = await asyncio.to_thread(self.read_situation)
        wrong = health_problems(situation, await self._of_wikis(situation))
        change = await asyncio.to_thread(self.store.health.keep, wrong, self.now())
        if not change.begun and not change.ended:
            return
        log = structlog.get_logger()
        for one in change.begun:
            log.warning("unwell", kind=one.problem.kind.value, why=one.problem.what)
        for one in change.ended:
            log.info("well again", kind=one.problem.kind.value, why=one.problem.what)
        await self._tell(Alert(situation.configured.account, change))
        await asyncio.to_thread(self.store.health.notified, change, self.now())

    async def _tell(self, alert: Alert) -> None:
        """Send it on every channel; one that takes it is enough, or having none."""
        failed: list[TemporaryError] = []
        for channel in self.channels:
            try:
                await channel.send(alert)
            except TemporaryError as error:
                structlog.get_logger().warning("alert not sent", why=str(error))
                failed.append(error)
        if failed and len(failed) == len(self.channels):
            raise failed[0]

    async def _of_wikis(self, situation: Situation) -> tuple[HealthProblem, ...]:
        if not situation.configured.is_live:
            return ()
        found: list[HealthProblem] = []
        for wiki in self.wikis:
            try:
                found += await self._of_wiki(wiki, situation.configured.account)
            except (PermanentError, TemporaryError) as error:
                structlog.get_logger().info("wiki not asked", wiki=wiki, why=str(error))
                last = last_of_wikis(situation)
                found += [one for one in last if one.subject == wiki]
        return tuple(found)

    async def _of_wiki(self, wiki: str, bot: str) -> list[HealthProblem]:
        reader, found = self.reader(wiki), []
        texts = await reader.texts_of(stop_page(bot, task) for task in _STOPPABLE)
        # If the stop page was never created, the task was never allowed to run.
        stopped = [title for title, page in texts.items() if page.text != GO]
        if stopped:
            found.append(
                HealthProblem(
                    HealthProblemKind.STOPPED,
                    f"stopped on {wiki}: {', '.join(sorted(stopped))}",
                    "See on the page who stopped it and why. To let the task write"
                    " again, save the page with just the word “run”.",
                    wiki,
                )
            )
        account = await reader.user(bot)
        if account is not None and account.is_blocked:
            found.append(
                HealthProblem(
                    HealthProblemKind.BLOCKED,
                    f"the account {bot} is blocked on {wiki}",
                    "Read the reason on the wiki, and resolve it with the community.",
                    wiki,
                )
            )
        return found
