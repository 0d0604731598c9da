"""A worker with all that it needs but a store: a wiki of one page, sources, a clock."""

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta

from bot.daemon.check import Checker
from bot.daemon.worker import Worker
from bot.records.jobs import JobReason, PageJob
from bot.records.tasks import TaskState
from bot.store import Store, check_policy
from bot.wiki.pages import WikiPage
from handlers.model import PageId, Verdict
from handlers.ports import Tools
from tests.bot.daemon.checks_world import Web
from tests.bot.store.runs import NOON, TITLE, WIKI
from tests.fakes import FakeVerifier, Unheard

RULES = check_policy(lease_s=0.4, attempts=3)
CLAIM = "The bridge opened in 1874."
_ADDRESS = "https://example.org/bridge"
_TEXT = f"{CLAIM}<ref>{{{{cite web|url={_ADDRESS}|title=Bridge}}}}</ref>"


class Clock:
    """Goes on only when told to."""

    def __init__(self) -> None:
        self.moment = NOON

    def __call__(self) -> datetime:
        return self.moment

    def wait(self, seconds: float) -> None:
        self.moment += timedelta(seconds=seconds)


class Wiki:
    """A wiki of one page; `before` runs whenever the page is read."""

    def __init__(self, before: Callable[[], None] = lambda: None) -> None:
        self.revision = 10
        self.redirected_from: str | None = None
        self.before = before

    async def page(self, title: str, revision_id: int | None = None) -> WikiPage:
        assert revision_id is None, "the newest revision is what counts"
        await asyncio.sleep(0)
        self.before()
        page_id = PageId(WIKI, title, revision_id=self.revision)
        return WikiPage(page_id, _TEXT, redirected_from=self.redirected_from)


def worker_for(store: Store, wiki: Wiki, clock: Clock) -> Worker:
    checker = Checker(
        Tools(Web(), FakeVerifier({CLAIM: Verdict.NOT_SUPPORTED})),
        Unheard(),
        now=clock,
    )
    return Worker(
        "worker 1",
        store,
        wiki=lambda _wiki: wiki,
        checker=checker,
        now=clock,
        draw=lambda: 0.0,
    )


def put(store: Store, revision: int | None = 10, at: datetime = NOON) -> None:
    store.jobs.put([PageJob(WIKI, TITLE, JobReason.CHANGE, at, at, revision)])


def count(store: Store, state: TaskState) -> int:
    return store.jobs.state().counts[state]


def fails_with(error: Exception) -> Callable[[], None]:
    def fail() -> None:
        raise error

    return fail
