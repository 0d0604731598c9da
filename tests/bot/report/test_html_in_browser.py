"""The report in a real browser: its widths, its keys, its links, its walls."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from bot.report import render_html
from handlers.citations.quote_links import with_fragment
from tests.bot.report.hostile import report_sharing
from tests.bot.report.payloads import payloads
from tests.builders import claim_check, page, page_report
from tests.full_report import full_report

pytestmark = pytest.mark.browser

SHOWN = "[...document.querySelectorAll('.claim')].filter(c => c.checkVisibility())"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("report") / "report.html"
    calm = page_report(
        claim_check(), claim_check(), page=page("2020 Jonesboro tornado")
    )
    file.write_text(render_html([full_report(), calm, page_report()]), "utf-8")
    return file


class Trouble(list[str]):
    """Everything a page did that a report must not do."""

    def watch(self, tab: Page, file: Path) -> None:
        def seen(request_url: str) -> None:
            if request_url.partition("#")[0] != file.as_uri():
                self.append(f"request {request_url}")

        tab.on("console", lambda message: self.append(f"console {message.text}"))
        tab.on("pageerror", lambda error: self.append(f"error {error}"))
        tab.on("request", lambda request: seen(request.url))
        tab.on("popup", lambda popup: self.append(f"popup {popup.url}"))
        tab.on("dialog", lambda dialog: (self.append("dialog"), dialog.dismiss()))


@contextmanager
def opened(
    chromium: Browser, file: Path, *, width: int = 1280, scheme: str = "light"
) -> Iterator[tuple[Page, Trouble]]:
    context = chromium.new_context(
        viewport={"width": width, "height": 900},
        color_scheme=scheme,  # type: ignore[arg-type]  # "light" or "dark"
        reduced_motion="reduce",
    )
    trouble = Trouble()
    try:
        tab = context.new_page()
        trouble.watch(tab, file)
        tab.goto(file.as_uri())
        yield tab, trouble
    finally:
        context.close()


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_it_fits_the_screen_and_asks_for_nothing(
    chromium: Browser, report: Path, width: int
) -> None:
    with opened(chromium, report, width=width) as (tab, trouble):
        tab.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        overflow = tab.evaluate(
            "[...document.querySelectorAll('body *')].filter(e => !e.closest('.skip, .icons, .filter fieldset')"
            " && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML)"
        )
        scrolls = tab.evaluate("document.documentElement.scrollWidth > innerWidth")

    assert overflow == []
    assert not scrolls
    assert trouble == []


_CONTRASTS = """() => {
  const parse = c => c.match(/[\\d.]+/g).map(Number);
  const lum = c => { const l = c.slice(0, 3).map(v => (v /= 255) <= 0.04045 ?
    v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * l[0] + 0.7152 * l[1] + 0.0722 * l[2]; };
  const ground = e => { for (; e; e = e.parentElement) {
    const c = parse(getComputedStyle(e).backgroundColor);
    if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const low = []; let seen = 0;
  for (let n; n = texts.nextNode();) {
    const e = n.parentElement;
    if (!n.data.trim() || !e.checkVisibility()) continue;
    const [a, b] = [lum(parse(getComputedStyle(e).color)), lum(ground(e))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    seen++; if (ratio < 4.5) low.push([ratio, n.data.trim()]);
  }
  return {seen, low};
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_word_on_the_page_has_enough_contrast(
    chromium: Browser, report: Path, scheme: str
) -> None:
    with opened(chromium, report, scheme=scheme) as (tab, _):
        tab.check("#show-all")
        tab.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        found = tab.evaluate(_CONTRASTS)

    assert found["seen"] > 200
    assert found["low"] == []


def test_light_and_dark_differ(chromium: Browser, report: Path) -> None:
    grounds = set()
    for scheme in ("light", "dark"):
        with opened(chromium, report, scheme=scheme) as (tab, _):
            grounds.add(tab.evaluate("getComputedStyle(document.body).backgroundColor"))

    assert len(grounds) == 2


def test_the_first_key_press_offers_a_way_past_the_front_matter(
    chromium: Browser, report: Path
) -> None:
    with opened(chromium, report) as (tab, _):
        tab.keyboard.press("Tab")
        skip = tab.evaluate("document.activeElement.getBoundingClientRect().top >= 0")
        tab.keyboard.press("Enter")
        tab.keyboard.press("Tab")
        inside = tab.evaluate("document.activeElement.closest('main') !== null")

    assert skip
    assert inside


_FOCUS = """() => {
  const e = document.activeElement;
  const outlined = x => x && getComputedStyle(x).opacity !== '0'
    && getComputedStyle(x).outlineStyle !== 'none'
    && parseFloat(getComputedStyle(x).outlineWidth) >= 2;
  return {name: e.tagName, y: e.getBoundingClientRect().top + scrollY,
    seen: Boolean(outlined(e) || outlined(e.closest('label'))),
    size: e.getBoundingClientRect().height};
}"""


def test_focus_is_always_visible_and_goes_down_the_page(
    chromium: Browser, report: Path
) -> None:
    stops = []
    with opened(chromium, report) as (tab, _):
        tab.check("#show-all")
        tab.focus(".skip")
        for _press in range(40):
            tab.keyboard.press("Tab")
            stops.append(tab.evaluate(_FOCUS))

    below_the_filter = [stop["y"] for stop in stops if stop["name"] == "A"][1:]
    assert all(stop["seen"] for stop in stops)
    assert {"A", "INPUT", "SUMMARY"} <= {stop["name"] for stop in stops}
    # Within one claim the verdict's column may start above its neighbour's end.
    assert all(later > earlier - 400 for earlier, later in pairwise(below_the_filter))


def test_the_filter_works_with_the_keyboard_alone(
    chromium: Browser, report: Path
) -> None:
    with opened(chromium, report) as (tab, _):
        urgent = tab.evaluate(
            "[...document.querySelectorAll('.found.flagged')]"
            ".filter(f => f.checkVisibility()).length"
        )
        at_first = tab.evaluate(f"{SHOWN}.length")
        tab.check("#show-all")
        everything = tab.evaluate(f"{SHOWN}.length")
        tab.keyboard.press("ArrowRight")
        contradicted = tab.evaluate(f"{SHOWN}.map(c => c.className)")
        empty_parts = tab.evaluate(
            "[...document.querySelectorAll('.part')].filter(p => p.checkVisibility()"
            " && !p.innerText.includes('midnight')).length"
        )
        notices = tab.evaluate(
            "[...document.querySelectorAll('.nothing')].map(n => n.checkVisibility())"
        )

    assert everything == len(full_report().checks) + 2
    assert (urgent, at_first) == (4, 0)  # two of them help with a tag
    assert contradicted == ["claim is-contradicted flagged"]
    assert empty_parts == 0
    assert notices == [False, True, True]


def test_one_article_is_chosen_and_a_link_leads_to_another(
    chromium: Browser, report: Path
) -> None:
    articles = (
        "[...document.querySelectorAll('.article')].map(a => a.checkVisibility())"
    )
    with opened(chromium, report) as (tab, _):
        tab.check("#show-all")
        tab.check("#of-a1")
        chosen = tab.evaluate(articles)
        tab.click(".guide:has(.overview) > summary")
        tab.click(".overview a >> nth=-1")
        after = tab.evaluate(articles)

    assert chosen[0]
    assert not any(chosen[1:])
    assert sum(after) == 2


def test_a_link_shows_its_claim_even_where_the_filter_hides_it(
    chromium: Browser, report: Path
) -> None:
    with opened(chromium, report) as (tab, _):
        tab.check("#show-supported")
        tab.click(".attention a[href^='#'] >> nth=0")
        shown = tab.evaluate(
            "(r => r.top >= 0 && r.top < innerHeight && r.height > 0)"
            "(document.querySelector(':target').getBoundingClientRect())"
        )
        name = tab.evaluate("document.querySelector(':target').className")

    assert name == "claim is-contradicted flagged"
    assert shown


def test_a_claim_is_not_hidden_under_the_filter_when_a_link_leads_there(
    chromium: Browser, report: Path
) -> None:
    with opened(chromium, report) as (tab, _):
        tab.check("#show-all")
        tab.click(".tally a >> nth=1")
        top = tab.evaluate(
            "document.querySelector(':target').getBoundingClientRect().top"
        )
        bar = tab.evaluate(
            "document.querySelector('.filter').getBoundingClientRect().bottom"
        )

    assert top >= bar


class _LongPage(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        far = "<p>Filler.</p>" * 300
        words = "The storm, at its peak, was rated EF-3 &amp; stayed down for <i>72 miles</i>."
        body = (
            f"<!doctype html><title>t</title>{far}<p id=there>{words}</p>{far}".encode()
        )
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Stay silent."""


@pytest.fixture
def long_page() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _LongPage)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_browser_finds_the_quote_that_a_link_names(
    chromium: Browser, long_page: str
) -> None:
    quote = "The storm, at its peak, was rated EF-3 & stayed down for 72 miles."
    tab = chromium.new_page()

    tab.goto(with_fragment(long_page, quote))
    tab.wait_for_function("scrollY > 0")
    place = tab.evaluate("document.querySelector('#there').getBoundingClientRect().top")
    tab.close()

    assert 0 <= place < 900


@pytest.mark.shared_data
def test_no_payload_runs_asks_or_becomes_an_element(
    chromium: Browser, tmp_path: Path
) -> None:
    known = [payload for payload in payloads() if len(payload) > 1]
    file = tmp_path / "hostile.html"
    # Each in one field: all in all fields are fifteen megabytes, which a browser lays out
    # in half a minute. `test_html` reads those.
    report = report_sharing(known)
    document = render_html([report])
    guarded = '<meta http-equiv="Content-Security-Policy"'
    assert guarded in document
    # Escaping has to hold alone: the policy is the second wall.
    file.write_text(document.replace(guarded, "<meta"), "utf-8", "surrogateescape")

    with opened(chromium, file) as (tab, trouble):
        made_of = tab.evaluate(
            "[...document.querySelectorAll('.claim')].map(c => ["
            "...c.querySelectorAll(':not(a)')].map(e => e.localName).join())"
        )
        handlers = tab.evaluate(
            "[...document.querySelectorAll('*')].flatMap(e => e.getAttributeNames())"
            ".filter(n => n.startsWith('on')).length"
        )
        schemes = tab.evaluate(
            "[...new Set([...document.querySelectorAll('a')].map(a => a.protocol))].sort()"
        )
        tab.mouse.move(400, 400)
        tab.mouse.wheel(0, 3000)

    assert trouble == []
    assert len(made_of) == len(report.checks)
    assert set(made_of) == {made_of[-1]}
    assert handlers == 0
    assert set(schemes) <= {"file:", "http:", "https:"}
