"""Stand-ins for the world: names, clocks, an extractor, and a fetcher on them."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psutil
from aiohttp.abc import AbstractResolver, ResolveResult

from bot.sources.address_wall import AddressWall
from bot.sources.cache import SourceCache
from bot.sources.extraction import Extraction
from bot.sources.fetch import Clocks, Fetcher
from bot.sources.http import HttpClient
from bot.sources.reader import TextExtractor, WebSources
from bot.sources.settings import (
    CacheLimits,
    FetchLimits,
    Politeness,
    ReaderSettings,
    Services,
)
from handlers.model import SourceOutcome, SourceText
from tests.bot.sources.server import Site

AGENT = "SidenoteTest/0.1 (https://example.org/contact)"
_PROCESS_MEMORY = Path("/proc/self")
START = datetime(2026, 3, 1, 12, tzinfo=UTC)
SMALL = FetchLimits(total_s=5.0, max_body_bytes=1024**2, max_decoded_bytes=1024**2)


class FakeNames(AbstractResolver):
    """Names and their addresses; what is not listed does not exist."""

    def __init__(self, hosts: dict[str, list[str]]) -> None:
        self.hosts = hosts
        self.asked: list[str] = []

    async def resolve(
        self, host: str, port: int = 0, _: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        assert host.endswith("."), "a name without its dot meets search domains"
        name = host.removesuffix(".")
        self.asked.append(name)
        return [_result(name, address, port) for address in self.addresses(name)]

    def addresses(self, name: str) -> list[str]:
        if name not in self.hosts:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return self.hosts[name]

    async def close(self) -> None:
        return


def _result(name: str, address: str, port: int) -> ResolveResult:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return ResolveResult(
        hostname=name, host=address, port=port, family=family, proto=0, flags=0
    )


@dataclass
class FakeTime:
    """A clock that moves only when somebody sleeps on it, or is told to."""

    now_s: float = 1000.0
    slept: list[float] = field(default_factory=list)

    def monotonic(self) -> float:
        return self.now_s

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now_s += seconds
        await asyncio.sleep(0)

    def now(self) -> datetime:
        return START + timedelta(seconds=self.now_s - 1000.0)

    def clocks(self) -> Clocks:
        return Clocks(self.monotonic, self.sleep, self.now)


class FakeExtractor:
    """Takes every body for UTF-8 text; other outcomes are given by address."""

    def __init__(self, outcomes: dict[str, SourceOutcome] | None = None) -> None:
        self.outcomes = outcomes or {}
        self.bodies: list[tuple[str, str | None, bytes]] = []

    async def extract(
        self, body: bytes, *, content_type: str | None, url: str
    ) -> Extraction:
        self.bodies.append((url, content_type, body))
        if outcome := self.outcomes.get(url):
            return Extraction(outcome, f"it is {outcome.value}")
        text = body.decode()
        if not text:
            return Extraction(SourceOutcome.EMPTY_SHELL, "the page is empty")
        return Extraction(SourceOutcome.READ, "read", SourceText(text))


@dataclass(frozen=True)
class Rig:
    fetcher: Fetcher
    client: HttpClient
    wall: AddressWall
    time: FakeTime


def wall_for(site: Site) -> AddressWall:
    return AddressWall(allowed=frozenset({("127.0.0.1", site.port)}))


def settings(limits: FetchLimits = SMALL, **changes: object) -> ReaderSettings:
    plain = ReaderSettings(
        AGENT, limits=limits, politeness=Politeness(host_delay_s=0.0)
    )
    return replace(plain, **changes)  # type: ignore[arg-type]  # checked by the class


@contextlib.asynccontextmanager
async def rig(
    site: Site,
    names: AbstractResolver,
    *,
    limits: FetchLimits = SMALL,
    folder: Path | None = None,
    cache: CacheLimits | None = None,
    politeness: Politeness | None = None,
    wall: AddressWall | None = None,
) -> AsyncIterator[Rig]:
    moment = FakeTime()
    wall = wall or wall_for(site)
    chosen = settings(limits, politeness=politeness or Politeness(host_delay_s=0.0))
    kept = SourceCache(folder, cache or CacheLimits(), moment.now) if folder else None
    if kept:
        kept.open()
    async with HttpClient(AGENT, wall, limits, names) as client:
        yield Rig(
            Fetcher(client, wall, kept, chosen, moment.clocks()), client, wall, moment
        )


@contextlib.asynccontextmanager
async def reading(
    site: Site,
    names: FakeNames,
    extractor: TextExtractor | None = None,
    **changes: Any,
) -> AsyncIterator[WebSources]:
    """A whole reader whose services all live on `site`, if no others are named."""
    own = Services(
        doi=site.url("/doi/"),
        pmc=site.url("/pmc/"),
        pmid=site.url("/pmid/"),
        arxiv=site.url("/abs/"),
        wayback_available=site.url("/available", "wayback.test"),
        wayback_hosts=frozenset({f"wayback.test:{site.port}"}),
    )
    folder = changes.pop("cache_folder", None)
    assert folder is None or isinstance(folder, Path)
    names.hosts["wayback.test"] = ["127.0.0.1"]
    async with WebSources(
        settings(**({"services": own} | changes)),
        extractor or FakeExtractor(),
        wall=wall_for(site),
        cache_folder=folder,
        names=names,
        clocks=FakeTime().clocks(),
    ) as sources:
        yield sources


class PeakMemory:
    """The largest resident size in bytes, above that at the start.

    The kernel keeps the high-water mark, so nothing is missed between two looks.
    """

    def __init__(self) -> None:
        _PROCESS_MEMORY.joinpath("clear_refs").write_text("5")
        self._start = psutil.Process().memory_info().rss

    @property
    def grown_bytes(self) -> int:
        status = _PROCESS_MEMORY.joinpath("status").read_text()
        [peak_kb] = [
            int(line.split()[1]) for line in status.splitlines() if "VmHWM" in line
        ]
        return peak_kb * 1024 - self._start
