"""Kills workers and readers that share one MariaDB, and counts what is lost or doubled.

Each page has to be looked at and its sources read, none by two at once, the page that
kills whoever looks at it has to be given up, and no host may be asked by two at once or
without a pause, whoever of them asks.
"""

import multiprocessing
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import inf
from multiprocessing.process import BaseProcess
from pathlib import Path

import pymysql

from bot.app.wiring.daemon import Part
from bot.records.jobs import JobReason, PageJob
from bot.records.tasks import TaskState
from bot.store import Store, open_store
from handlers.model import SourceOutcome
from tests.rig.mariadb import serve_mariadb
from tests.torture.sharing.life import POISON, SOURCES, Look, Plan, checks, live
from tests.torture.sharing.site import RequestOutcome, impolite, serving
from tests.torture.tally import Tally

HOSTS = tuple(f"127.0.0.{number}" for number in range(2, 7))
_SLACK_S = 0.01  # between two clocks that tell the same time
_POLL_S = 0.1
# A source whose readers are killed again and again is given up, and that is reported.
_FAIR = (SourceOutcome.READ, SourceOutcome.INCOMPLETE)
_forked = multiprocessing.get_context("fork")


@dataclass(frozen=True, slots=True)
class Wishes:
    """How many processes, pages and kills; `longest_s` for all of it."""

    workers: int = 4
    readers: int = 2
    pages: int = 16
    kills: int = 4
    every_s: float = 0.8
    attempts: int = 3
    seed: int = 1
    longest_s: float = 60.0


def run(wishes: Wishes) -> Tally:
    """Let processes work on all pages, and kill some of them meanwhile."""
    began_s = time.monotonic()
    with _stage(wishes.attempts) as plan, open_store(plan.url) as store:
        _put(store, plan, wishes.pages)
        crowd = _Crowd(plan, random.Random(wishes.seed))
        with crowd.of(wishes):
            crowd.torture(wishes, lambda: _is_done(store))
        counts = store.jobs.state().counts
        noted, requests = checks(plan.folder), plan.site.asked()
        faults = [
            *_unlooked(store, plan, wishes.pages),
            *_doubled(noted, crowd.deaths, plan.lease_s),
            *impolite(requests, plan.delay_s - _SLACK_S),
        ]
        parked = [one.title for one in store.jobs.parked()]
        faults += [] if parked == [POISON] else [f"given up were {parked}"]
    figures = {
        "workers": wishes.workers,
        "readers": wishes.readers,
        "pages looked at": counts[TaskState.IDLE],
        "looks begun": sum(not one.is_done for one in noted),
        "pages given up": counts[TaskState.PARKED],
        "processes that died": len(crowd.deaths),
        "requests to hosts": len(requests),
        "sources asked twice": _asked_twice(requests),
    }
    took_s = time.monotonic() - began_s
    what = "kills of workers and readers"
    return Tally(what, wishes.kills, wishes.seed, took_s, figures, tuple(faults))


def idle_queries_per_s(processes: int, span_s: float) -> float:
    """Return what a crowd with nothing to do asks of the database in a second."""
    with _stage(idle_s=1.0) as plan, open_store(plan.url):
        crowd = _Crowd(plan, random.Random(0))
        with crowd.of(Wishes(processes - processes // 3, processes // 3)):
            time.sleep(5.0)  # until all have begun
            before, began_s = _questions(plan.url), time.monotonic()
            time.sleep(span_s)
            queries = _questions(plan.url) - before
            return queries / (time.monotonic() - began_s)


@contextmanager
def _stage(attempts: int = 3, idle_s: float = 0.1) -> Iterator[Plan]:
    with (
        tempfile.TemporaryDirectory(prefix="sidenote-torture-") as name,
        serve_mariadb() as socket,
        serving(HOSTS, Path(name)) as site,
    ):
        database = "s1__sidenote"
        with closing(pymysql.connect(user="root", unix_socket=socket)) as client:
            client.cursor().execute(f"CREATE DATABASE {database}")
        url = f"mysql+pymysql://root@localhost/{database}?unix_socket={socket}"
        yield Plan(url, Path(name), site, attempts=attempts, idle_s=idle_s)


def _put(store: Store, plan: Plan, pages: int) -> None:
    now = datetime.now(UTC)
    poison = PageJob("a.example.org", POISON, JobReason.ASKED, now, now, 10)
    store.jobs.put([poison, *(plan.job(number, now) for number in range(pages))])


def _is_done(store: Store) -> bool:
    counts = store.jobs.state().counts
    return not counts[TaskState.WAITING] and not counts[TaskState.LEASED]


@dataclass
class _Crowd:
    """Processes that are begun anew when they end. `deaths` tells when each ended."""

    plan: Plan
    chance: random.Random
    living: dict[int, tuple[Part, BaseProcess]] = field(default_factory=dict)
    deaths: dict[int, float] = field(default_factory=dict)

    @contextmanager
    def of(self, wishes: Wishes) -> Iterator[None]:
        """Let processes live for the block."""
        for part in [Part.WORK] * wishes.workers + [Part.READ] * wishes.readers:
            self._begin(part)
        try:
            yield
        finally:
            for _, process in self.living.values():
                process.kill()
                process.join()

    def torture(self, wishes: Wishes, is_done: Callable[[], bool]) -> None:
        """Kill one after the other, and wait until all work is done."""
        began_s = killed_s = time.monotonic()
        kills = 0
        while not is_done() or kills < wishes.kills:
            now_s = time.monotonic()
            if now_s - began_s > wishes.longest_s:
                return
            if kills < wishes.kills and now_s - killed_s > wishes.every_s:
                _, process = self.living[self.chance.choice(sorted(self.living))]
                process.kill()
                kills, killed_s = kills + 1, now_s
            self._revive()
            time.sleep(_POLL_S)

    def _begin(self, part: Part) -> None:
        process = _forked.Process(target=live, args=(part, self.plan), daemon=True)
        process.start()
        self.living[process.pid or 0] = (part, process)

    def _revive(self) -> None:
        for pid, (part, process) in list(self.living.items()):
            if not process.is_alive():
                process.join()
                self.deaths[pid] = time.monotonic()
                del self.living[pid]
                self._begin(part)


def _unlooked(store: Store, plan: Plan, pages: int) -> Iterator[str]:
    for number in range(pages):
        job = plan.job(number, datetime.now(UTC))
        last = store.last_check(job.wiki, job.title)
        if last is None or last.page.revision_id != job.revision_id:
            yield f"{job.title} was not looked at"
            continue
        sources = [one for claim in last.claims for one in claim.fetches]
        if len(sources) != SOURCES:
            yield f"{job.title} has {len(sources)} sources"
        for one in sources:
            if one.outcome not in _FAIR:
                yield f"a source of {job.title} was lost: {one.detail}"


def _doubled(
    noted: list[Look], deaths: dict[int, float], lease_s: float
) -> Iterator[str]:
    """Yield what two had leased at once, before the first can have been taken for dead."""
    under_way: dict[str, Look] = {}
    for check in noted:
        first = under_way.get(check.title)
        if check.is_done:
            under_way.pop(check.title, None)
            continue
        died_s = deaths.get(first.pid, inf) if first else 0.0
        until_s = min(first.leased_s + lease_s - _SLACK_S, died_s) if first else 0.0
        if check.leased_s < until_s:
            yield f"{check.title} was looked at by two at once"
        under_way[check.title] = check


def _asked_twice(requests: list[RequestOutcome]) -> int:
    paths = [one.path for one in requests if one.path.startswith("/source/")]
    return len(paths) - len(set(paths))


def _questions(url: str) -> int:
    place = url.rpartition("=")[2]
    with closing(pymysql.connect(user="root", unix_socket=place)) as client:
        cursor = client.cursor()
        cursor.execute("SHOW GLOBAL STATUS LIKE 'Questions'")
        row = cursor.fetchone()
        return int(row[1]) if row else 0
