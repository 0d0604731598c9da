"""The status page in a real browser: its widths, its keys, its walls, its refreshing."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from bot.daemon.status.situation import Situation
from bot.daemon.web.server import Folder, Pages, Snapshots, listening
from bot.store import open_store
from tests.bot.daemon.status.filled import fill, seen
from tests.bot.report.test_html_in_browser import _CONTRASTS as CONTRASTS
from tests.bot.store.runs import NOON, WIKI
from tests.rig.databases import ready_sqlite

pytestmark = pytest.mark.browser

PAGES = ["/", "/status", "/reports/", "/dry-run/", f"/dry-run/{WIKI}/A%252FB.wikitext"]


# What is in a table may be scrolled to, within the table's own region.
_FIT = """() => {
  document.querySelectorAll("details").forEach(each => each.open = true);
  const out = [...document.querySelectorAll("body *")].filter(
    each => !each.closest(".skip, .icons, .scroll > *")
      && each.getBoundingClientRect().right > innerWidth + 1);
  return [out.map(each => each.outerHTML.slice(0, 200)),
    document.documentElement.scrollWidth > innerWidth,
    document.querySelectorAll("h1").length];
}"""


class Served:
    """A server in a thread of its own; `looks` counts, the later the look the later it is."""

    def __init__(self, folder: Path, situations: list[Situation]) -> None:
        self._folder = folder
        self._situations = situations
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self.address = ""
        self.reads = 0
        self._thread = threading.Thread(
            target=self._loop.run_until_complete, args=(self._serve(),)
        )

    def _read_situation(self) -> Situation:
        self.reads += 1
        return self._situations[min(self.reads, len(self._situations)) - 1]

    async def _serve(self) -> None:
        pages = Pages(
            Snapshots(self._read_situation, lambda: 0.0, fresh_s=-1),
            Folder(self._folder / "reports", ".html"),
            Folder(self._folder / "dry-run", ".wikitext"),
            lambda: NOON,
        )
        async with listening(pages, "127.0.0.1", 0) as self.address:
            self._ready.set()
            await self._stop.wait()

    def __enter__(self) -> "Served":
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)
        self._loop.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("data")
    (place / "dry-run" / WIKI).mkdir(parents=True)
    page = place / "dry-run" / WIKI / "A%2FB.wikitext"
    page.write_text("== Note ==\n" + "long" * 400 + "\n<script>x</script>", "utf-8")
    page.with_suffix(".history.txt").write_text("2026-11-20 12:00 Note\n", "utf-8")
    return place


@pytest.fixture(scope="module")
def situations(folder: Path) -> list[Situation]:
    """Two looks at one database, the second a quarter of a minute later."""
    with open_store(ready_sqlite(folder / "s.sqlite")) as store:
        fill(store, "Ærøskøbing’s_harbour_with_a_very_long_name_that_no_line_breaks")
        return [seen(store), seen(store, NOON + timedelta(minutes=9))]


@pytest.fixture(scope="module")
def server(folder: Path, situations: list[Situation]) -> Iterator[Served]:
    with Served(folder, situations[:1]) as served:
        yield served


@contextmanager
def opened(
    chromium: Browser, address: str, *, width: int = 1280, scheme: str = "light"
) -> Iterator[tuple[Page, list[str]]]:
    context = chromium.new_context(
        viewport={"width": width, "height": 900},
        color_scheme=scheme,  # type: ignore[arg-type]  # "light" or "dark"
        reduced_motion="reduce",
    )
    trouble: list[str] = []
    try:
        tab = context.new_page()
        tab.on("console", lambda message: trouble.append(f"console {message.text}"))
        tab.on("pageerror", lambda error: trouble.append(f"error {error}"))
        tab.on("requestfailed", lambda request: trouble.append(request.url))
        tab.clock.install()
        tab.goto(address)
        yield tab, trouble
    finally:
        context.close()


def test_every_page_fits_the_screen_without_a_complaint(
    chromium: Browser, server: Served
) -> None:
    widths = (320, 375, 1280)
    found = {}
    with opened(chromium, server.address, width=widths[0]) as (tab, trouble):
        for path in PAGES:
            tab.goto(server.address + path)
            for width in widths:
                tab.set_viewport_size({"width": width, "height": 900})
                found[path, width] = tab.evaluate(_FIT)

    assert found == {
        (path, width): [[], False, 1] for path in PAGES for width in widths
    }
    assert trouble == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_word_has_enough_contrast(
    chromium: Browser, server: Served, scheme: str
) -> None:
    with opened(chromium, f"{server.address}/status", scheme=scheme) as (tab, _):
        tab.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        found = tab.evaluate(CONTRASTS)

    assert found["seen"] > 200
    assert found["low"] == []


def test_what_can_be_clicked_is_large_enough_for_a_finger(
    chromium: Browser, server: Served
) -> None:
    with opened(chromium, f"{server.address}/status", width=375) as (tab, _):
        small = tab.evaluate(
            "[...document.querySelectorAll('.jumps a, .refresh label, nav.brand a')]"
            ".filter(e => e.getBoundingClientRect().height < 24).map(e => e.outerHTML)"
        )

    assert small == []


def test_the_first_key_leads_past_the_navigation(
    chromium: Browser, server: Served
) -> None:
    with opened(chromium, f"{server.address}/status") as (tab, _):
        tab.keyboard.press("Tab")
        tab.keyboard.press("Enter")
        at = tab.evaluate("document.activeElement.id")

    assert at == "main"


def test_the_page_looks_again_and_keeps_what_is_open(
    chromium: Browser, folder: Path, situations: list[Situation]
) -> None:
    with (
        Served(folder, situations) as served,
        opened(chromium, f"{served.address}/status") as (tab, trouble),
    ):
        tab.evaluate("document.querySelectorAll('details')[0].open = true")
        was = tab.inner_text("main .health")
        tab.clock.fast_forward(15_100)
        tab.wait_for_function(
            "was => document.querySelector('main .health').innerText !== was", arg=was
        )
        now = tab.inner_text("main .health")
        is_open = tab.evaluate("document.querySelectorAll('details')[0].open")
        tab.uncheck("#refresh")
        before = served.reads
        tab.clock.fast_forward(60_000)
        after = served.reads

    assert "12:00 UTC" in was
    assert "12:09 UTC" in now
    assert is_open
    assert after == before
    assert trouble == []


def test_a_server_that_is_gone_is_reported_and_the_page_stays(
    chromium: Browser, folder: Path, situations: list[Situation]
) -> None:
    with (
        Served(folder, situations[:1]) as served,
        opened(chromium, f"{served.address}/status") as (tab, _),
    ):
        tab.route("**/status", lambda route: route.abort())
        tab.clock.fast_forward(15_100)
        tab.wait_for_function("document.getElementById('message').textContent")
        message = tab.inner_text("#message")
        kept = tab.inner_text("h2#queue")

    assert "does not answer" in message
    assert kept == "Queue of pages"
