"""What a reader of the panel waits for: the notes of an article with 600 references.

The floor is a plain aiohttp handler that has the same bytes in memory. The peer is what
editors' tools ask today before they can begin: the wikitext of the same article from a
real MediaWiki's api.php on this machine.
"""

import asyncio
import json
import logging
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlencode

import aiohttp
import psutil
import structlog
from aiohttp import web

from bot.app.wiring.demo import demo_seeds
from bot.demo.loopback.wiki.seeds import SeedPage
from bot.demo.loopback.wiki.serving import serve_wiki
from bot.store import Store, open_store
from bot.surfaces.feedback import Feedback
from gadget.api import Parts
from gadget.cards import Cards
from gadget.limits import Rate
from handlers.ports import PermanentError
from handlers.sources.reliability import ReliabilityLists
from tests.benchmarks import large_page, panel_browser
from tests.builders import CHECKED_AT
from tests.gadget.api.rig import RULES, parts, served
from tests.rig.wiki.mediawiki import CACHE

_COLD = 15
_WARM = 400
_PEER = 60
_AT_ONCE = 8
_MIB = 2**20
_RULES = replace(RULES, reads=Rate(1e9, 1e9), wikis=frozenset({large_page.WIKI}))
_PATH = "/api/v1/suggestions?" + urlencode(
    {
        "wiki": large_page.WIKI,
        "title": large_page.TITLE,
        "revision": large_page.REVISION,
    }
)


def fill(store: Store) -> Parts:
    """Return the API's parts with real cards; nothing of them is remembered yet."""
    wiki = large_page.OnePage()
    cards = Cards(
        store, lambda _: wiki, ReliabilityLists(()), Feedback, now=lambda: CHECKED_AT
    )
    return replace(parts(store), cards=cards)


async def _measured(url: str, count: int, at_once: int, tag: str = "") -> str:
    client = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.benchmarks.panel_client"),
        *(url, str(count), str(at_once), tag),
        stdout=asyncio.subprocess.PIPE,
    )
    output, _ = await client.communicate()
    found = json.loads(output)
    return (
        f"{found['per_s']:9.0f}{found['p50_ms']:10.2f}{found['p99_ms']:10.2f}"
        f"{at_once:9}"
    )


@asynccontextmanager
async def _floor(body: bytes) -> AsyncIterator[str]:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(body=body, content_type="application/json")

    app = web.Application()
    app.add_routes([web.get("/", answer)])
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}/"
    await runner.cleanup()


async def _cold(store: Store, folder: Path) -> str:
    """Return what the first answer of a new process' parts takes."""
    took = []
    for _ in range(_COLD):
        async with served(store, folder, _RULES, fill(store)) as ask:
            began = time.perf_counter()
            answer = await ask("GET", _PATH)
            took.append((time.perf_counter() - began) * 1000)
            assert answer.status == 200
    took.sort()
    return f"{'':9}{statistics.median(took):10.2f}{took[-1]:10.2f}{1:9}"


async def _ours(store: Store, folder: Path) -> bytes:
    process = psutil.Process()
    before = process.memory_info().rss
    _say("cold: nothing parsed yet (slowest for p99)", await _cold(store, folder))
    async with served(store, folder, _RULES, fill(store)) as ask:
        answer = await ask("GET", _PATH)
        url, tag = ask.address + _PATH, answer.headers["ETag"]
        for at_once in (1, _AT_ONCE):
            _say("warm", await _measured(url, _WARM, at_once))
            _say("warm, 304", await _measured(url, _WARM, at_once, tag))
    grown = (process.memory_info().rss - before) / _MIB
    sys.stdout.write(
        f"the answer: {len(answer.text) / 1024:.0f} KiB of JSON,"
        f" {len(json.loads(answer.text)['cards'])} cards; memory {grown:+.1f} MiB,"
        f" {process.memory_info().rss / _MIB:.0f} MiB in all\n"
    )
    return answer.text.encode()


async def _wiki() -> None:
    """Print what MediaWiki takes for the wikitext of the same article."""
    seeds = demo_seeds()
    page = SeedPage(large_page.TITLE, (large_page.wikitext(),))
    try:
        opened = serve_wiki(replace(seeds, pages=(*seeds.pages, page)), CACHE)
        wiki = await asyncio.to_thread(opened.__enter__)
    except PermanentError as error:
        sys.stdout.write(f"MediaWiki: not measured ({error})\n")
        return
    query = {
        "action": "query",
        "prop": "revisions",
        "rvprop": "ids|content",
        "rvslots": "main",
        "titles": large_page.TITLE,
        "format": "json",
        "formatversion": 2,
    }
    try:
        url = f"http://{wiki.host}/w/api.php?{urlencode(query)}"
        async with aiohttp.ClientSession() as session, session.get(url) as answer:
            content = await answer.json()
            text = content["query"]["pages"][0]["revisions"][0]["slots"]["main"][
                "content"
            ]
            assert len(text) > 100_000
        _say("peer: MediaWiki api.php, the wikitext", await _measured(url, _PEER, 1))
    finally:
        await asyncio.to_thread(opened.__exit__, None, None, None)


def _say(name: str, line: str) -> None:
    sys.stdout.write(f"{name:44}{line}\n")
    sys.stdout.flush()


async def _all(store: Store, folder: Path) -> None:
    body = await _ours(store, folder)
    async with _floor(body) as url:
        for at_once in (1, _AT_ONCE):
            _say(
                "floor: the same bytes, plain aiohttp",
                await _measured(url, _WARM, at_once),
            )
    await _wiki()


def main() -> None:
    """Print what the read endpoint takes, and then what the browser does."""
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING)
    )
    sys.stdout.write(
        f"GET /api/v1/suggestions, {large_page.REFERENCES} references,"
        f" {large_page.NOTES} notes, {len(large_page.wikitext()) // 1024} KiB of"
        " wikitext; client in a process of its own\n"
        f"{'':44}{'a second':>9}{'p50 ms':>10}{'p99 ms':>10}{'at once':>9}\n"
    )
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        with open_store(f"sqlite:///{folder / 'bench.sqlite'}") as store:
            large_page.fill(store)
            asyncio.run(_all(store, folder))
    panel_browser.main()
