"""What each stage between an event and its suggestion takes, on the articles that ship.

The stages are those of the daemon, called one after the other on the same input, each
with what the one before returned. Sources are read as web pages, as from the network;
fetching them and asking the wiki is waiting and stands nowhere here.
"""

import asyncio
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import random

import psutil

from bot.app.wiring.demo import embedded_settings
from bot.app.wiring.wiki import EMBEDDED_BOT, World, embedded_world
from bot.daemon.check import Checker, parse_page
from bot.daemon.intake.harvest import ConnectionReader
from bot.daemon.runner import Runner
from bot.models.neural import shipped_networks
from bot.records.watches import ActiveWatch, WatcherKind
from bot.report.to_html import render_html
from bot.settings import Settings
from bot.sources.extraction import Extraction, Extractor
from bot.sources.folder import SourceFolder
from bot.store import Store, open_store
from bot.surfaces.planning.planner import handlers, planning
from bot.surfaces.planning.posts import PlanningTools
from bot.wiki.folder import read_page_file
from bot.wiki.pages import WikiPage
from handlers.citations.network_input import CrossEncoder, PairAnswer, PairText
from handlers.citations.passages import cut
from handlers.citations.suggestions import suggestions_of
from handlers.model import (
    Claim,
    Engine,
    Page,
    Passage,
    Source,
    SourceFetch,
    Verification,
)
from handlers.ports import Tools, Verifier
from tests.benchmarks.published import contents
from tests.benchmarks.published.machine import apart, peak_mib
from tests.benchmarks.published.quiet import unlogged
from tests.benchmarks.published.sizes import Sizes
from tests.benchmarks.published.values import Bar, Comparison, Section
from tests.benchmarks.published.verifiers import lexical, neural
from tests.benchmarks.stream_clients import WANTED
from tests.benchmarks.stream_server import framed
from tests.fakes import Unheard

_EVENTS = 1_000
_PLACE = "User:Reader/Sidenote"
_COMPARED = "claims compared with passages"
_NETWORK = "network asked about claims"


def measured(sizes: Sizes) -> list[Section]:
    """Return CPU time and memory of each stage, from a process of its own."""
    return apart(_measured, sizes) if sizes.rounds > 1 else _measured(sizes)


@dataclass
class _Watch:
    """Adds up CPU time by stage; that of children counts, too."""

    took_s: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    peaks: dict[str, float] = field(default_factory=dict)
    has_peaks: bool = False

    @contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        before = _cpu_s()
        if self.has_peaks and name not in self.peaks:
            with peak_mib(self.peaks, name):
                yield
        else:
            yield
        self.took_s[name] += _cpu_s() - before


def _cpu_s() -> float:
    children = psutil.Process().children(recursive=True)
    times = [one.cpu_times() for one in children if one.is_running()]
    return time.process_time() + sum(each.user + each.system for each in times)


@dataclass
class _Timed:
    """The network, with the CPU time that it took."""

    network: CrossEncoder
    took_s: float = 0.0

    def __call__(self, pair: PairText) -> PairAnswer:
        began = time.thread_time()
        try:
            return self.network(pair)
        finally:
            self.took_s += time.thread_time() - began


def _measured(sizes: Sizes) -> list[Section]:
    kept: defaultdict[str, list[float]] = defaultdict(list)
    timed = _Timed(shipped_networks(threads=1)) if sizes.has_network else None
    first = _Watch(has_peaks=True)
    with unlogged():
        counted = asyncio.run(_round(sizes, first, timed))
        for _ in range(sizes.rounds):
            watch = _Watch()
            asyncio.run(_round(sizes, watch, timed))
            for name, took_s in watch.took_s.items():
                kept[name].append(took_s * 1000 / counted.pages)
    return [
        Comparison(
            "stages-cpu",
            "From an event to a suggestion, stage by stage",
            "CPU milliseconds a page",
            counted.summary,
            "CPU time of a stage, of its child processes too, divided by the pages. One event"
            " counts for a page. Of claims without a readable source nothing is compared.",
            tuple(Bar(name, tuple(rounds)) for name, rounds in kept.items()),
            is_whole=True,
        ),
        Comparison(
            "stages-memory",
            "Memory, stage by stage",
            "MiB at most, of the process that does all of it",
            counted.summary,
            "The most that the process held while the stage ran. Read on the first page, with which everything is loaded; what"
            " one stage loaded stays for the next. The child that reads web pages is"
            " another process.",
            tuple(Bar(name, (peak,)) for name, peak in first.peaks.items()),
        ),
    ]


@dataclass(frozen=True)
class _Counted:
    pages: int
    claims: int
    compared: int
    citations: int
    sources: int
    source_bytes: int
    suggestions: int

    @property
    def summary(self) -> str:
        return (
            f"n = {self.pages} articles that ship, {self.claims} claims with"
            f" {self.citations} citations, {self.sources} sources read as web pages of"
            f" {self.source_bytes / 1024 / max(self.sources, 1):.0f} KiB on average,"
            f" {self.suggestions} suggestions; {self.claims - self.compared} claims have no"
            " source that can be read."
        )


async def _round(sizes: Sizes, watch: _Watch, timed: _Timed | None) -> _Counted:
    with tempfile.TemporaryDirectory() as name, _ground(Path(name)) as (world, store):
        counted: Counter[str] = Counter()
        _event(watch, sizes.articles)
        async with Extractor() as extractor:
            await _warm(extractor)
            sources = SourceFolder(contents.DEMO / "sources", _AsWebPages(extractor))
            verifier = lexical() if timed is None else neural(timed)
            check = _Check(watch, sources, timed, verifier(), counted)
            for path in contents.shipped(sizes.articles):
                with watch("page read from disk"):
                    given = read_page_file(path, wiki=contents.WIKI)
                await check.at(given, store)
        await _posted(watch, world, store)
    return _Counted(**counted)


async def _warm(extractor: Extractor) -> None:
    """Have the child started, as it is in a daemon."""
    page = contents.as_web_page("The bridge was opened in 1874 by the mayor.")
    await extractor.extract(page, content_type="text/html", url="http://a.example")


@contextmanager
def _ground(folder: Path) -> Iterator[tuple[World, Store]]:
    settings = embedded_settings(Settings.model_validate({"data_dir": folder}))
    world = embedded_world(settings, contents.DEMO, "")
    with open_store(f"sqlite:///{folder}/sidenote.sqlite") as store:
        titles = tuple(path.stem for path in contents.shipped(1_000))
        report = f"{_PLACE} report"
        watch = ActiveWatch(
            contents.WIKI, _PLACE, WatcherKind.USER, "Reader", titles, report=report
        )
        store.watches.keep(watch, [], datetime.now(UTC))
        yield world, store


def _event(watch: _Watch, pages: int) -> None:
    """Take events as they come from the stream; what one costs counts for a page."""
    text = b"".join(framed(number, contents.WIKI) for number in range(_EVENTS))
    text = text.replace(b"@@@@", b"6900")
    with watch("event framed, sieved, decoded"):
        ConnectionReader(WANTED).take(text)
    watch.took_s["event framed, sieved, decoded"] *= pages / _EVENTS


@dataclass(frozen=True)
class _AsWebPages:
    """An extractor that is given plain text and reads it as if a web page held it."""

    extractor: Extractor

    async def extract(
        self, body: bytes, *, content_type: str | None, url: str
    ) -> Extraction:
        del content_type
        page = contents.as_web_page(body.decode("utf-8", "replace"))
        return await self.extractor.extract(page, content_type="text/html", url=url)


@dataclass(frozen=True)
class _Known:
    """Readings and verdicts from before, for a check that costs nothing more."""

    readings: Mapping[str, SourceFetch]
    verdicts: Mapping[Claim, Verification]
    engine: Engine

    async def read(self, source: Source) -> SourceFetch:
        return self.readings[source.key]

    async def verify(
        self, title: str, claim: Claim, passages: Sequence[Passage]
    ) -> Verification:
        del title, passages
        return self.verdicts[claim]


@dataclass
class _Check:
    """Takes one page through the stages of a worker."""

    watch: _Watch
    sources: SourceFolder
    timed: _Timed | None
    verifier: Verifier
    counted: Counter[str]

    async def at(self, given: WikiPage, store: Store) -> None:
        with self.watch("page parsed to claims and sources"):
            page = parse_page(given.wikitext, given.id)
        with self.watch("sources read out of web pages, in a child"):
            readings = {
                source.key: await self.sources.read(source)
                for claim in page.claims
                for source in claim.sources
            }
        with self.watch("sources cut into passages"):
            passages = {
                key: cut(reader.document, key) if reader.document else ()
                for key, reader in readings.items()
            }
        known = await self._judged(page, readings, passages)
        checker = Checker(Tools(known, known), Unheard(), now=lambda: datetime.now(UTC))
        report = await checker.check(given.wikitext, given.id)
        with self.watch("suggestions made"):
            found = suggestions_of(report.page, report.checks)
        with self.watch("saved to SQLite"):
            store.save_check(report, found)
        with self.watch("report written as a page"):
            render_html([report])
        self._count(page, readings, len(found))

    async def _judged(
        self,
        page: Page,
        readings: Mapping[str, SourceFetch],
        passages: Mapping[str, tuple[Passage, ...]],
    ) -> _Known:
        verifier = self.verifier
        verdicts = {}
        before_s = self.timed.took_s if self.timed else 0.0
        with self.watch(_COMPARED):
            for claim in page.claims:
                held = [one for source in claim.sources for one in passages[source.key]]
                if held:
                    self.counted["compared"] += 1
                    verdicts[claim] = await verifier.verify(page.id.title, claim, held)
        if self.timed is not None:
            network_s = self.timed.took_s - before_s
            self.watch.took_s[_COMPARED] -= network_s
            self.watch.took_s[_NETWORK] += network_s
        return _Known(readings, verdicts, verifier.engine)

    def _count(
        self, page: Page, readings: Mapping[str, SourceFetch], suggestions: int
    ) -> None:
        texts = [one.document.text for one in readings.values() if one.document]
        self.counted.update(
            pages=1,
            claims=len(page.claims),
            citations=sum(len(claim.citations) for claim in page.claims),
            sources=len(texts),
            source_bytes=sum(len(contents.as_web_page(text)) for text in texts),
            suggestions=suggestions,
        )


async def _posted(watch: _Watch, world: World, store: Store) -> None:
    """Plan what people are to read, and post it: in a dry run, into a folder."""
    tools = PlanningTools(
        store=store,
        keys=world.keys(),
        bot=EMBEDDED_BOT,
        reader=world.lists,
        now=lambda: datetime.now(UTC) + timedelta(hours=1),
        is_dry=True,
    )
    planner = Runner(
        "planner",
        tools.store.tasks,
        planning(tools, handlers(tools)),
        tools.now,
        random,
    )
    with watch("planned"):
        while await planner.work_once():
            pass
    publisher = world.publisher(contents.WIKI, store)
    with watch("posted, in a dry run"):
        while publisher.publish_once() is not None:
            pass
