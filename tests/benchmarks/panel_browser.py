"""The panel in Chromium: from the answer to its first use, scrolling, and what it shifts.

The floor of scrolling is the same page before the panel is opened.
"""

import asyncio
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from playwright.sync_api import Browser, sync_playwright

from bot.daemon.web.server import Folder, Pages, Snapshots, listening
from bot.records.watches import ActiveWatch, WatcherKind
from bot.store import Store, StoredCheck, open_store
from bot.surfaces.feedback import Feedback
from gadget.api import make_api
from gadget.cards import Cards
from gadget.local_page import WatchedArticles, local_pages
from handlers.sources.reliability import ReliabilityLists
from tests.benchmarks import large_page
from tests.bot.daemon.status.situations import situation
from tests.builders import CHECKED_AT
from tests.gadget.api.rig import RULES, parts
from tests.rig.browser import open_chromium

_ROUNDS = 5
_WATCH = """() => {
  window.shifts = 0; window.longest = 0;
  new PerformanceObserver( list => list.getEntries().forEach( one => {
    const isOfArticle = one.sources.some( ( { node } ) => node &&
      document.getElementById( 'content' ).contains( node ) );
    if ( isOfArticle ) { window.shifts += one.value; }
  } ) ).observe( { type: 'layout-shift', buffered: true } );
  new PerformanceObserver( list => list.getEntries().forEach( one => {
    window.longest = Math.max( window.longest, one.duration ); } )
  ).observe( { type: 'longtask' } );
}"""
_OPEN = """notes => new Promise( resolve => {
  // Nothing here may ask for a size: that would lay out what the panel leaves for later.
  const told = {}; const shown = () => document.querySelectorAll( '.sidenote-item--current .sidenote-card' ).length;
  const marked = () => [ ...CSS.highlights.values() ].reduce( ( all, one ) => all + one.size, 0 );
  window.shifts = 0; window.longest = 0;
  document.getElementById( 'local-open' ).click();
  const look = () => {
    const now = performance.now();
    if ( told.first === undefined && shown() > 0 ) { told.first = now; }
    if ( document.querySelectorAll( '.sidenote-card' ).length >= notes && marked() >= notes ) {
      const asked = performance.getEntriesByType( 'resource' )
        .filter( one => one.name.includes( '/suggestions?' ) )[ 0 ];
      setTimeout( () => resolve( { first: told.first - asked.responseEnd,
        all: now - asked.responseEnd, answer: asked.responseEnd - asked.startTime,
        longest: window.longest, shifts: window.shifts } ), 300 );
      return;
    }
    requestAnimationFrame( look );
  };
  requestAnimationFrame( look );
} )"""
_SCROLL = """selector => new Promise( resolve => {
  const place = selector ? document.querySelector( selector ) : document.scrollingElement;
  const frames = []; let last;
  const step = now => {
    frames.push( now - last ); last = now; place.scrollTop += 90;
    if ( frames.length < 180 ) { requestAnimationFrame( step ); return; }
    frames.sort( ( a, b ) => a - b );
    resolve( { p50: frames[ 89 ], p99: frames[ 178 ], most: frames[ 179 ],
      late: frames.filter( one => one > 34 ).length, at: place.scrollTop } );
  };
  place.scrollTop = 0;
  setTimeout( () => requestAnimationFrame( now => { last = now; requestAnimationFrame( step ); } ), 300 );
} )"""


@dataclass(frozen=True)
class _Watches:
    def all(self) -> tuple[ActiveWatch, ...]:
        title = (large_page.TITLE,)
        return (ActiveWatch(large_page.WIKI, "User:A/S", WatcherKind.USER, "A", title),)


@dataclass(frozen=True)
class _Checks:
    store: Store
    watches: _Watches = _Watches()

    def last_check(self, wiki: str, title: str) -> StoredCheck | None:
        return self.store.last_check(wiki, title)


class _Served:
    """The large article on the local page, in a thread of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self.address = ""
        self._thread = threading.Thread(
            target=self._loop.run_until_complete, args=(self._run(),)
        )

    async def _run(self) -> None:
        with open_store(f"sqlite:///{self._folder / 'browser.sqlite'}") as store:
            large_page.fill(store)
            wiki = large_page.OnePage()
            cards = Cards(
                store,
                lambda _: wiki,
                ReliabilityLists(()),
                Feedback,
                now=lambda: CHECKED_AT,
            )
            articles = WatchedArticles(_Checks(store), cards, lambda _: wiki)
            mounts = [
                *make_api(replace(parts(store), cards=cards), RULES),
                *local_pages(articles, host="127.0.0.1"),
            ]
            pages = Pages(
                Snapshots(situation, time.monotonic),
                Folder(self._folder, ".html"),
                Folder(self._folder, ".wikitext"),
                lambda: CHECKED_AT,
            )
            async with listening(pages, "127.0.0.1", 0, mounts=mounts) as self.address:
                self._ready.set()
                await self._stop.wait()

    @contextmanager
    def running(self) -> Iterator[str]:
        """Serve while the context is open; give the address of the article."""
        self._thread.start()
        assert self._ready.wait(30)
        try:
            title = quote(large_page.TITLE)
            yield f"{self.address}/panel/{large_page.WIKI}/{title}"
        finally:
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(10)
            self._loop.close()


def _round(browser: Browser, address: str, *, width: int) -> dict[str, Any]:
    context = browser.new_context(viewport={"width": width, "height": 900})
    try:
        tab = context.new_page()
        tab.goto(address)
        tab.evaluate(_WATCH)
        bare = tab.evaluate(_SCROLL, "")
        tab.evaluate("scrollTo(0, 0)")
        figures: dict[str, Any] = tab.evaluate(_OPEN, large_page.NOTES)
        figures["bare"] = bare
        figures["article"] = tab.evaluate(_SCROLL, "")
        figures["cards"] = tab.evaluate(_SCROLL, ".sidenote-scroll")
        return figures
    finally:
        context.close()


def _print(name: str, rounds: list[dict[str, Any]]) -> None:
    def spread(key: str) -> str:
        values = sorted(one[key] for one in rounds)
        return f"{statistics.median(values):.0f} ms (slowest {values[-1]:.0f})"

    shifts = max(one["shifts"] for one in rounds)
    sys.stdout.write(
        f"{name}, {len(rounds)} rounds: answer asked and there {spread('answer')};"
        f" from the answer to a first card {spread('first')}, to all"
        f" {large_page.NOTES} cards and marks {spread('all')}; longest task"
        f" {spread('longest')}; layout shift of the article {shifts:.4f}\n"
    )
    for place, key in (
        ("the article without a panel (floor)", "bare"),
        ("the article beside the panel", "article"),
        ("the cards", "cards"),
    ):
        found = [one[key] for one in rounds]
        sys.stdout.write(
            f"  scrolling {place:36} frames p50"
            f" {statistics.median(one['p50'] for one in found):.1f} ms, p99"
            f" {statistics.median(one['p99'] for one in found):.1f} ms, slowest of all"
            f" {max(one['most'] for one in found):.0f} ms,"
            f" {sum(one['late'] for one in found)} of {180 * len(found)} later than"
            " two ticks\n"
        )


def main() -> None:
    """Print what the browser takes, on a desk and on a phone."""
    with (
        tempfile.TemporaryDirectory() as folder,
        sync_playwright() as playwright,
        _Served(Path(folder)).running() as address,
        open_chromium(playwright) as browser,
    ):
        for name, width in (("1280 pixels wide", 1280), ("375 pixels wide", 375)):
            rounds = [_round(browser, address, width=width) for _ in range(_ROUNDS)]
            _print(name, rounds)


if __name__ == "__main__":
    main()
