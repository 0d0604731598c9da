"""One process of the program, as `sidenote work` and `sidenote read` start it.

Only the wiki is of the torture: its pages cite the site of the torture, one of them
kills whoever looks at it, and it notes when a page is taken up.
"""

import asyncio
import logging
import os
import signal
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import structlog

from bot.app.wiring.daemon import Part, open_daemon
from bot.app.wiring.wiki import World
from bot.daemon.roles import run_roles, stopped_by_signals
from bot.daemon.threads import PassingThreads
from bot.records.fetches import FetchRules
from bot.records.jobs import JobReason, PageJob
from bot.records.tasks import Lease, TaskKind
from bot.report import PageReport
from bot.settings import Settings
from bot.store import Tasks, check_policy, open_store
from bot.wiki.pages import WikiPage
from handlers.model import PageId
from tests.torture.sharing.site import Site

POISON = "Poison"
SOURCES = 2  # of each page


@dataclass(frozen=True, slots=True)
class Plan:
    """What all processes are given. Leases are short, so that what dies is missed soon."""

    url: str
    folder: Path
    site: Site
    delay_s: float = 0.15
    lease_s: float = 5.0
    attempts: int = 3
    idle_s: float = 0.1

    def job(self, number: int, now: Any) -> PageJob:
        """Return the page of this number, that waits."""
        wiki, title = f"{'abc'[number % 3]}.example.org", f"Page {number}"
        return PageJob(wiki, title, JobReason.CHANGE, now, now, revision_id=10)


@dataclass(frozen=True, slots=True)
class Look:
    """A page that was taken up by a process, or (`is_done`) done with.

    `leased_s` is when its lease counts from, which may be long before the look on a busy
    machine: the worker asks for it, and then waits for the lock of the queue.
    """

    at_s: float
    leased_s: float
    pid: int
    title: str
    is_done: bool


def checks(folder: Path) -> list[Look]:
    """Return what processes noted, in order."""
    found = []
    for file in folder.glob("looks.*.tsv"):
        for line in file.read_text("utf-8").splitlines():
            at, leased, pid, title, is_done = line.split("\t")
            done = is_done == "True"
            found.append(Look(float(at), float(leased), int(pid), title, done))
    return sorted(found, key=lambda one: one.at_s)


def live(part: Part, plan: Plan) -> None:
    """Be one process until it is told to stop."""
    logging.disable()
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    structlog.configure(processors=[_drop])
    asyncio.run(_live(part, plan))


def _drop(_logger: object, _name: str, _event: Mapping[str, Any]) -> Any:
    raise structlog.DropEvent


async def _live(part: Part, plan: Plan) -> None:
    loop, stop = asyncio.get_running_loop(), asyncio.Event()
    loop.set_default_executor(PassingThreads())
    notes = _Notes(plan.folder / f"looks.{os.getpid()}.tsv")
    world = World(
        wikis=("a.example.org",),
        bot="Bot",
        keys=_nothing,
        stream="",
        is_dry=True,
        pages=lambda wiki: _Wiki(wiki, plan.site, notes),
        lists=_nothing,
        publisher=_nothing,
        services="",
        idle_s=plan.idle_s,
    )
    checks = check_policy(lease_s=plan.lease_s, attempts=plan.attempts)
    reading = FetchRules(lease_s=plan.lease_s)
    with open_store(
        plan.url, policies={TaskKind.CHECK: checks}, fetch_rules=reading
    ) as store:
        store.tasks = _NotedTasks(store._database, store.tasks.policies)
        store.tasks.notes = notes
        async with open_daemon(
            _settings(plan), store, world, frozenset({part}), shown=notes.done
        ) as daemon:
            with stopped_by_signals(stop):
                await run_roles(daemon.roles, stop)


def _settings(plan: Plan) -> Settings:
    port = plan.site.port
    given: dict[str, Any] = {
        "data_dir": plan.folder / f"data.{os.getpid()}",
        "sources_read": "elsewhere",
        "verifier": "lexical",
        "internal_addresses": tuple(f"{host}:{port}" for host in plan.site.hosts),
        "archive_service": f"http://{plan.site.hosts[0]}:{port}/available",
        "host_delay_s": plan.delay_s,
        "source_timeout_s": 3.0,
        "workers": 1,
        "contact": "test@example.org",
    }
    return Settings(**given)


def _nothing(*_: Any) -> Any:
    raise AssertionError("neither workers nor readers ask for it")


@dataclass(slots=True)
class _Notes:
    """Of a process that has one page in hand at a time."""

    file: Path
    leased_s: float = 0.0

    def begun(self, title: str) -> None:
        self._note(title, is_done=False)

    def done(self, report: PageReport) -> None:
        self._note(report.page.id.title, is_done=True)

    def _note(self, title: str, *, is_done: bool) -> None:
        with self.file.open("a", encoding="utf-8") as lines:
            at = f"{time.monotonic()}\t{self.leased_s}"
            lines.write(f"{at}\t{os.getpid()}\t{title}\t{is_done}\n")


class _NotedTasks(Tasks):
    """Notes when a lease counts from, by a clock that all processes share."""

    notes: _Notes

    def lease(
        self,
        kinds: Sequence[TaskKind],
        worker: str,
        now: datetime,
        *,
        wiki: str | None = None,
        without: Collection[str] = (),
    ) -> Lease[Any] | None:
        leased_s = time.monotonic() - (datetime.now(UTC) - now).total_seconds()
        lease = super().lease(kinds, worker, now, wiki=wiki, without=without)
        if lease:
            self.notes.leased_s = leased_s
        return lease


@dataclass(frozen=True, slots=True)
class _Wiki:
    wiki: str
    site: Site
    notes: _Notes

    async def page(self, title: str, revision_id: int | None = None) -> WikiPage:
        """Return a page whose sentences cite sources of their own."""
        self.notes.begun(title)
        if title == POISON:
            os.kill(os.getpid(), signal.SIGKILL)
        number = int(title.rpartition(" ")[2])
        text = "\n\n".join(
            f"The town of number {source} has a harbour and a bridge."
            f"<ref>{{{{cite web |url={self.site.address(source)} |title=R}}}}</ref>"
            for source in range(SOURCES * number, SOURCES * (number + 1))
        )
        await asyncio.sleep(0)
        return WikiPage(PageId(self.wiki, title, revision_id=revision_id or 10), text)
