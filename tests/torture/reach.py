"""What is outside comes and goes: addresses that die and come back, a token withdrawn.

Addresses are of a real site on loopback, read by the program's own reader; a day of the
checks passes in a moment, and each is the work of a process that has just begun. A judge
that knows only what the site did says what the links have to be. The watchlist is that of
an account of a real wiki, whose token is changed and given back between two sweeps.
"""

import asyncio
import random
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from bot.app.wiring.sources import make_extractor, open_web
from bot.daemon.check import Checker
from bot.daemon.intake.queue import PLACE, sweep_watchlist
from bot.daemon.progress import LoggedProgress
from bot.demo.loopback.wiki.serving import serve_wiki
from bot.models.lexical import LexicalVerifier
from bot.settings import Settings
from bot.store import Store, open_store
from bot.wiki.lists import WikiLists
from handlers.citations.suggestions import suggestions_of
from handlers.model import PageId, Source, SourceFetch
from handlers.ports import PermanentError, SourceReader, Tools
from handlers.sources.links import LinkState
from tests.bot.writing.people import Person
from tests.rig.databases import ready_sqlite
from tests.rig.wiki.mediawiki import CACHE, test_seeds
from tests.torture.tally import Tally

_WIKI, _TITLE = "en.wikipedia.org", "Lights"
_ADDRESSES = 6
_WEEK = 7
_BEGAN = datetime(2026, 1, 1, 12, tzinfo=UTC)
_PAGE = b"<html><body><article><p>%s</p></article></body></html>"
_TEXT = (
    b"The lighthouse stands thirty metres tall above the harbour of the old town. " * 6
)
_BOT, _TOKENS = "WithdrawnBot", ("a" * 40, "b" * 40)
_WATCHED = ("Penrose Lane", "Eastmere")


# --- addresses -------------------------------------------------------------------------


@dataclass
class _Site:
    """Serves its addresses; those in `dead` are not there."""

    dead: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                number = self.path.removeprefix("/")
                is_there = number.isdecimal() and int(number) not in site.dead
                body = _PAGE % _TEXT if is_there else b"gone"
                self.send_response(200 if is_there else 404)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.host = f"127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@dataclass
class _Truth:
    """What the site did on the days of the checks, for one address."""

    days: list[tuple[int, bool]] = field(default_factory=list)  # day, was it there

    def state(self) -> LinkState:
        if self.days[-1][1]:
            return LinkState.WORKS
        failed = []
        for day, was_there in reversed(self.days):
            if was_there:
                break
            failed.append(day)
        is_gone = len(failed) > 1 and failed[0] - failed[-1] >= _WEEK
        return LinkState.GONE if is_gone else LinkState.FAILING


@dataclass(frozen=True, slots=True)
class _Dated:
    """The real reader, on a day of the torture."""

    sources: SourceReader
    now: datetime

    async def read(self, source: Source) -> SourceFetch:
        found = await self.sources.read(source)
        visit = found.visit and replace(found.visit, seen_at=self.now)
        return replace(found, read_at=self.now, visit=visit)


def addresses(checks: int, seed: int) -> Tally:
    """Check a page on as many days; addresses die and come back in between."""
    return asyncio.run(_addresses(checks, seed))


async def _addresses(checks: int, seed: int) -> Tally:
    began_s, chance = time.monotonic(), random.Random(seed)
    site, truths = _Site(), [_Truth() for _ in range(_ADDRESSES)]
    faults: list[str] = []
    counts: Counter[str] = Counter()
    day = 0
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(
            tempfile.TemporaryDirectory(prefix="sidenote-torture-")
        )
        url = ready_sqlite(Path(folder) / "sidenote.sqlite")
        settings = Settings(
            data_dir=Path(folder),
            internal_addresses=(site.host,),
            host_delay_s=0,
            cache_max_age_h=0,
            contact="torture@example.org",
        )
        reader = await stack.enter_async_context(make_extractor(settings))
        for number in range(1, checks + 1):
            day += chance.choice((1, 1, 2, 3, 5, 8))
            for address in range(_ADDRESSES):
                if chance.random() < 0.25:
                    site.dead ^= {address}
                    counts["deaths"] += address in site.dead
                    counts["returns"] += address not in site.dead
            for address, truth in enumerate(truths):
                truth.days.append((day, address not in site.dead))
            with open_store(url) as store:
                async with open_web(settings, reader, store) as web:
                    await _check(store, web, site.host, number, day)
                faults += _wrong_links(store, site, truths, day, counts)
    site.server.shutdown()
    site.server.server_close()
    took_s = time.monotonic() - began_s
    return Tally("checks of addresses", checks, seed, took_s, counts, tuple(faults))


async def _check(
    store: Store, web: SourceReader, host: str, number: int, day: int
) -> None:
    now = _BEGAN + timedelta(days=day)
    text = "\n\n".join(
        f"The lighthouse number {each} stands thirty metres tall above the harbour."
        f"<ref>{{{{cite web |url=http://{host}/{each} |title=Light {each}}}}}</ref>"
        for each in range(_ADDRESSES)
    )
    checker = Checker(Tools(_Dated(web, now), _judge()), LoggedProgress(), lambda: now)
    page = PageId(_WIKI, _TITLE, 1, 100 + number, now)
    report = await checker.check(f"{text}\n\nEdit {number}.", page)
    store.save_check(report, suggestions_of(report.page, report.checks))


@cache
def _judge() -> LexicalVerifier:
    return LexicalVerifier()


def _wrong_links(
    store: Store, site: _Site, truths: Sequence[_Truth], day: int, counts: Counter[str]
) -> list[str]:
    check = store.panel.last_page_check(_WIKI, _TITLE)
    known = {
        address: link.history.state
        for key, link in (check.links if check else {}).items()
        for address in range(_ADDRESSES)
        if key.endswith(f"{site.host}/{address}")
    }
    faults = []
    for address, truth in enumerate(truths):
        wanted, found = truth.state(), known.get(address, LinkState.WORKS)
        counts[f"links that are {found.value}"] += 1
        if wanted is not found:
            faults.append(
                f"day {day}: address {address} is said to be {found.value}, and is"
                f" {wanted.value}"
            )
    return faults


# --- a watchlist -----------------------------------------------------------------------


def watchlist(times: int, seed: int) -> Tally:
    """Withdraw the token of a watchlist as many times, and give it back."""
    began_s, chance = time.monotonic(), random.Random(seed)
    counts: Counter[str] = Counter()
    with (
        tempfile.TemporaryDirectory(prefix="sidenote-torture-") as folder,
        serve_wiki(test_seeds(), CACHE) as wiki,
        open_store(ready_sqlite(Path(folder) / "sidenote.sqlite")) as store,
    ):
        bot = Person(wiki.host, _BOT).make_account().log_in()
        bot.post("watch", "watch", titles="|".join(_WATCHED))
        faults = asyncio.run(_withdraw(store, bot, times, chance, counts))
        bot.web.close()
    took_s = time.monotonic() - began_s
    return Tally("tokens withdrawn", times, seed, took_s, counts, tuple(faults))


async def _withdraw(
    store: Store,
    bot: Person,
    times: int,
    chance: random.Random,
    counts: Counter[str],
) -> list[str]:
    (ours, theirs), host = _TOKENS, bot.host
    lists = WikiLists(
        host, user_agent="Torture", account=_BOT, watchlist_token=ours, timeout_s=60
    )
    faults: list[str] = []
    now = _BEGAN

    async def sweep(what: str, *, is_given: bool) -> None:
        nonlocal now
        now += timedelta(minutes=10)
        with suppress(PermanentError):
            await sweep_watchlist(lists, store, host, _BOT, now)
        counts["sweeps"] += 1
        watch = store.watches.get(host, PLACE)
        pages = set(watch.pages) if watch else set()
        wanted = set(_WATCHED) if is_given else set()
        if not wanted <= pages or (not is_given and pages):
            faults.append(f"{what}: {sorted(pages)} are watched")

    for number in range(times):
        bot.post("options", optionname="watchlisttoken", optionvalue=ours)
        for _ in range(chance.randint(1, 3)):
            await sweep(f"given {number}", is_given=True)
        bot.post("options", optionname="watchlisttoken", optionvalue=theirs)
        for _ in range(chance.randint(1, 3)):
            await sweep(f"withdrawn {number}", is_given=False)
    return faults
