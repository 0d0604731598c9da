"""What the tests of searches share: pages, a clock that nobody waits for, services."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from bot.search.services.client import SearchClient
from bot.search.services.engines import Brave, Gdelt, Google, SearxNg, Serper
from bot.search.services.results import ResultFilter
from bot.search.services.scholarly import Crossref, OpenAlex
from bot.search.services.service import Allowance, Dialect, Meter, ServiceSearch
from bot.sources.reliability import load_reliability
from handlers.model import Query, Window
from tests.rig.search.serving import SearchServer
from tests.rig.search.shelf import Shelved

KEY = "k3y/with+signs"
TODAY = date(2026, 3, 20)
NEW = Shelved(
    "https://www.bbc.co.uk/news/clock-tower?utm_source=x",
    "Clock tower of Example Town reopens",
    "The clock tower reopened on 16 March after repairs.",
    date(2026, 3, 16),
    doi="10.1000/clock.1",
)
OLD = Shelved(
    "https://www.theguardian.com/clock-tower-closes",
    "Clock tower of Example Town closes",
    "The clock tower closed for repairs.",
    date(2024, 5, 1),
    doi="10.1000/clock.2",
)
MIRROR = Shelved(
    "https://en.wikipedia.org/wiki/Clock_tower",
    "Clock tower of Example Town",
    "The clock tower is a clock tower.",
    date(2026, 3, 17),
)
INTERNAL = Shelved(
    "http://10.0.0.1/clock", "Clock tower of Example Town", "Inside.", date(2026, 3, 17)
)
RETRACTED = Shelved(
    "https://journal.example.org/clock",
    "Retracted: of watches",
    "Withdrawn.",
    date(2026, 3, 18),
    doi="10.1000/clock.3",
)
PAGES = (NEW, OLD, MIRROR, INTERNAL)
MARCH = Window(date(2026, 3, 1), date(2026, 3, 31))


def query(claim: str = "clock tower reopens", window: Window | None = MARCH) -> Query:
    return Query(claim, "Clock tower", window=window)


class Clock:
    """Time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.at = datetime(2026, 3, 20, 12, 0, tzinfo=UTC)
        self.slept: list[float] = []

    def now(self) -> datetime:
        return self.at

    def today(self) -> date:
        return self.at.date()

    async def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 3))
        self.at += timedelta(seconds=seconds)


def dialects(server: SearchServer, key: str = KEY) -> Mapping[str, Dialect]:
    at = server.address
    return {
        "gdelt": Gdelt(at("gdelt")),
        "searxng": SearxNg(at("searxng")),
        "brave": Brave(at("brave"), key),
        "serper": Serper(at("serper"), key),
        "google": Google(at("google"), key, "engine"),
        "crossref": Crossref(at("crossref"), "tester@example.org"),
        "openalex": OpenAlex(at("openalex"), key),
    }


class SearchServices:
    """Services at one server, over one clock and one folder."""

    def __init__(
        self, server: SearchServer, client: SearchClient, folder: Path
    ) -> None:
        self.server = server
        self.client = client
        self.folder = folder
        self.clock = Clock()

    def meter(self, name: str, per_day: int | None = None) -> Meter:
        pause_s = Gdelt.pause_s if name == "gdelt" else 0.0
        return Meter(
            self.folder,
            name,
            Allowance(name, pause_s, per_day),
            now=self.clock.now,
            sleep=self.clock.sleep,
        )

    def service(
        self, name: str, *, key: str = KEY, per_day: int | None = None
    ) -> ServiceSearch:
        return ServiceSearch(
            dialects(self.server, key)[name],
            self.client,
            self.meter(name, per_day),
            ResultFilter(lists=load_reliability(), wiki="en.wikipedia.org"),
            self.clock.today,
        )
