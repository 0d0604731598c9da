"""What it costs to look at all edits of a wiki: requests, processor time, sources.

Recorded events are heard again, each with a revision made from a real article. What
share of edits is of which kind is a guess (`_KINDS`), and so is the share that is worth
reading a source for; what each of them costs is measured. Two processes share the
first look; the way through the database is taken by one.
"""

import asyncio
import multiprocessing
import os
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import structlog

from bot.app.wiring.checks import open_checker
from bot.daemon.check import Checker
from bot.daemon.intake.change_events import Decoder
from bot.daemon.intake.queue import QueueSink
from bot.daemon.patrol import Patrol, look
from bot.daemon.progress import LoggedProgress
from bot.records.changes import Batch, Change, ChangeKind
from bot.records.patrol import PatrolCounts
from bot.settings import load_settings
from bot.store import open_store
from bot.wiki.pages import WikiPage
from handlers.edits.alignment import Changes
from handlers.model import PageId, Source, SourceFetch, SourceOutcome
from handlers.ports import PermanentError, Tools
from tests import builders
from tests.fakes import FakeVerifier, Unheard

_SHARED = Path(__file__).parents[3] / "shared" / "data"
_ARTICLES, _EVENTS = "wikitext_articles/text", "recentchange/enwiki_2023-07-29.ndjson"
_DEMO = Path(__file__).parents[2] / "bot" / "demo"
_WIKI = "en.wikipedia.org"
_DAY = 170_000  # edits of articles on English Wikipedia
_LOOKS = 400  # of each process
_PROCESSES = 2
_ROUNDS = 5  # of the recorded events, each time of other pages
_SPAWN = multiprocessing.get_context("spawn")
_CITED = re.compile(r"(\d{2,4})([^.\n<{}\[\]|=]{0,200}\.)(?=<ref)")
_KINDS = {  # shares of edits, a guess
    "elsewhere": 50,  # words that no footnote stands behind, categories, templates
    "form": 20,  # bold, links, spaces in a cited sentence
    "new": 15,  # a sentence with a source of its own
    "undone": 10,  # before the page had rested
    "value": 5,  # another number in a cited sentence
}
_BAD = (
    ("on the ground for 16 minutes", "on the ground for 55 minutes"),
    ("The tornado injured 22 people", "The tornado injured 73 people"),
    ("approximately 140 miles per", "approximately 427 miles per"),
    ("monetary figures, 22 people were", "monetary figures, 73 people were"),
)


def _shared(name: str) -> Path:
    return Path(os.environ.get("SIDENOTE_SHARED_DATA", _SHARED)) / name


def _articles() -> list[str]:
    return [path.read_bytes().decode() for path in sorted(_shared(_ARTICLES).iterdir())]


def _edited(text: str, kind: str, chance: random.Random) -> str:
    """Return an article after an edit of a kind, or after none if it cannot be made."""
    somewhere = chance.randrange(max(len(text) // 2, 1))
    cited = _CITED.search(text, somewhere) or _CITED.search(text)
    match kind:
        case "undone":
            return text
        case "new":
            number = chance.randrange(10**6)
            return f"{text}\n\nIt has {number} rooms.<ref>https://n.example/{number}</ref>\n"
        case "value" if cited:
            at = cited.start(1)
            return f"{text[:at]}{chance.randrange(3000, 9000)}{text[cited.end(1) :]}"
        case "form" if cited:
            at = cited.start(1)
            return f"{text[:at]}'''{cited[1]}'''{text[cited.end(1) :]}"
    return f"{text}\nA few more words at the end.\n[[Category:Clocks]]\n"


def _made(seed: int, count: int) -> Iterator[tuple[str, WikiPage, WikiPage]]:
    """Yield edits: their kind, and both sides."""
    chance, articles = random.Random(seed), _articles()
    for number in range(count):
        [kind] = chance.choices(list(_KINDS), list(_KINDS.values()))
        text = chance.choice(articles)
        page = PageId(_WIKI, f"Page {number}", number, 1)
        after = _edited(text, kind, chance)
        yield kind, WikiPage(page, text), WikiPage(replace(page, revision_id=2), after)


@dataclass(frozen=True)
class _Looks:
    """What a process did: wall and CPU time, edits by kind, and those worth a source."""

    wall_s: float
    cpu_s: float
    kinds: Counter[str]
    worth: Counter[str]


def _look(seed: int, count: int) -> _Looks:
    kinds: Counter[str] = Counter()
    worth: Counter[str] = Counter()
    wall_s = cpu_s = 0.0
    for kind, before, after in _made(seed, count):
        began_s, began_cpu_s = time.perf_counter(), time.process_time()
        looked = look(before, after)
        wall_s += time.perf_counter() - began_s
        cpu_s += time.process_time() - began_cpu_s
        kinds[kind] += 1
        worth[kind] += bool(looked.candidates)
    return _Looks(wall_s, cpu_s, kinds, worth)


def _first_looks() -> float:
    """Print edits a second on two cores; return the CPU time of one."""
    with _SPAWN.Pool(_PROCESSES) as pool:
        done = pool.starmap(_look, [(seed, _LOOKS) for seed in range(_PROCESSES)])
    kinds = sum((one.kinds for one in done), Counter[str]())
    worth = sum((one.worth for one in done), Counter[str]())
    rate = sum(_LOOKS / one.wall_s for one in done)
    cpu_s = sum(one.cpu_s for one in done) / kinds.total()
    sys.stdout.write(
        f"first look at {kinds.total():,} edits in {_PROCESSES} processes:"
        f" {rate:.0f} edits/s, {cpu_s * 1000:.1f} ms of CPU each\n"
    )
    for kind, count in kinds.most_common():
        sys.stdout.write(f"  {kind:10}{count:6}  worth a source {worth[kind]:5}\n")
    return cpu_s


class _Sources:
    """Sources that nobody can read, so that none is judged."""

    async def read(self, source: Source) -> SourceFetch:
        return builders.unread(SourceOutcome.UNREACHABLE, of=source)


class _Revisions:
    """Both sides of each edit; counts requests."""

    def __init__(self) -> None:
        self.pages: dict[int, WikiPage] = {}
        self.requests = 0

    async def page(self, title: str, revision_id: int | None = None) -> WikiPage:
        raise PermanentError(f"nobody asks for {title} at {revision_id}")

    async def revisions(
        self, numbers: Collection[int]
    ) -> Mapping[int, WikiPage | PermanentError]:
        self.requests += 1
        await asyncio.sleep(0)
        return {number: self.pages[number] for number in numbers}


class _Nobody:
    def pause_s(self, _wiki: str, _title: str) -> float | None:
        return None


def _recorded() -> list[Change]:
    decoder = Decoder()
    lines = _shared(_EVENTS).read_text("utf-8").splitlines()
    found = (decoder.decode(line) for line in lines)
    edits = {
        one.title: one  # one for each page
        for one in found
        if isinstance(one, Change) and one.kind is ChangeKind.EDIT and not one.namespace
    }
    return list(edits.values())


async def _replay() -> None:
    """Print what the way through the database costs, from the event to the end."""
    recorded, wiki = _recorded(), _Revisions()
    edits = _made(7, len(recorded) * _ROUNDS)
    rounds: list[list[Change]] = []
    for at in range(_ROUNDS):
        rounds.append([])
        for change, (_, before, after) in zip(recorded, edits, strict=False):
            number = 2 * len(wiki.pages) + 2
            title = f"{change.title} {at}"
            ids = [
                replace(side.id, title=title, revision_id=number + later)
                for later, side in enumerate((before, after))
            ]
            wiki.pages[number] = replace(before, id=ids[0])
            wiki.pages[number + 1] = replace(after, id=ids[1])
            named = replace(
                change,
                title=title,
                event_id=f"{change.event_id}/{at}",
                revision_id=number + 1,
                parent_id=number,
            )
            rounds[-1].append(named)
    count = sum(map(len, rounds))
    with (
        TemporaryDirectory() as folder,
        open_store(f"sqlite:///{folder}/sidenote.sqlite") as store,
    ):
        now = datetime.now(UTC)
        watched: Any = _Nobody()
        wikis = frozenset({_WIKI})
        sink = QueueSink("bench", store, watched, 0.0, 0.0, patrolled=wikis)
        patrol = Patrol(
            name="bench",
            store=store,
            wiki=lambda _: wiki,
            lets_run=_always,
            checker=Checker(Tools(_Sources(), FakeVerifier({})), Unheard(), now=_time),
            now=_time,
            draw=random.random,
            sources_per_day=10**6,
        )
        began_s, began_cpu_s = time.perf_counter(), time.process_time()
        for at, changes in enumerate(rounds):
            received = now + timedelta(milliseconds=at)
            await sink.commit(Batch(received, None, changes=tuple(changes)))
        runner = patrol.runner
        await asyncio.sleep(0.05)
        while runner.busy or await runner.work_once():
            if not await runner.work_once():
                await asyncio.gather(*runner.busy)
                runner.busy.clear()
        wall_s = time.perf_counter() - began_s
        cpu_s = time.process_time() - began_cpu_s
        counts = store.patrols.counts(now).get(_WIKI, PatrolCounts())
    sys.stdout.write(
        f"{count:,} recorded edits with made revisions, from the event to the end, one"
        f" process, SQLite: {count / wall_s:.0f} edits/s, {cpu_s / count * 1000:.1f} ms"
        f" of CPU each; {wiki.requests} requests, {count / wiki.requests:.1f} edits in"
        f" each\n  {counts}\n"
    )


async def _always(_wiki: str) -> bool:
    return True


def _time() -> datetime:
    return datetime.now(UTC)


async def _judged() -> float:
    """Print what judging a candidate costs, sources on disk; return its CPU time."""
    text = (_DEMO / "articles/2020 Jonesboro tornado.wikitext").read_text("utf-8")
    page = WikiPage(PageId(_WIKI, "2020 Jonesboro tornado", 1, 1), text)
    took: list[float] = []
    noted = 0
    opened = open_checker(load_settings(None), _DEMO / "sources", LoggedProgress())
    async with opened as checker:
        for before, after in (*_BAD, *_BAD):  # the first round loads the networks
            other = replace(page, wikitext=text.replace(before, after))
            looked = look(page, other)
            if looked.earlier is None or looked.after is None:
                raise AssertionError(before)
            began_s = time.process_time()
            found = await checker.compared(
                looked.earlier, looked.after, Changes(looked.candidates)
            )
            took.append(time.process_time() - began_s)
            noted += any(one.flag for one in found.checks)
    mean_s = sum(took[len(_BAD) :]) / len(_BAD)
    sys.stdout.write(
        f"judging a candidate with the networks, source on disk: {mean_s:.2f} s of CPU;"
        f" {noted} of {len(took)} noted\n"
    )
    return mean_s


def _day(look_s: float, judge_s: float, shares: Sequence[float] = (0.01, 0.05)) -> None:
    sys.stdout.write(
        f"a day of English Wikipedia, {_DAY:,} edits of articles: at least"
        f" {_DAY / 25:,.0f} requests; first look {look_s * _DAY / 3600:.1f} h of CPU\n"
    )
    for share in shares:
        candidates = share * _DAY
        sys.stdout.write(
            f"  if {share:.0%} are worth a source: {candidates:,.0f} candidates,"
            f" {judge_s * candidates / 3600:.1f} h of CPU to judge all\n"
        )
    sys.stdout.write(
        f"  with 2,000 sources a day: {judge_s * 2_000 / 3600:.1f} h of CPU at most\n"
    )


def main() -> None:
    """Print rates, and what a day of English Wikipedia would cost."""
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    if not _shared(_ARTICLES).exists():
        sys.stdout.write("real articles: not here (set SIDENOTE_SHARED_DATA)\n")
        return
    load = " ".join(f"{one:.1f}" for one in os.getloadavg())
    sys.stdout.write(f"load average {load} on {os.cpu_count()} cores\n")
    look_s = _first_looks()
    asyncio.run(_replay())
    _day(look_s, asyncio.run(_judged()))
