"""The way in, on a real MediaWiki: in every skin, calm until it is used."""

import http.server
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import pytest
import requests
from playwright.sync_api import Browser, BrowserContext, Page, expect

from bot.demo.loopback.wiki.building import ADMIN, ADMIN_PASSWORD
from gadget.bundle import Sources, bundle, read_sources, stylesheet
from gadget.deployment import merged
from tests.bot.writing.people import Person
from tests.rig.wiki.mediawiki import Wiki

pytestmark = [pytest.mark.browser, pytest.mark.mediawiki]

TITLE = "Harbour Clock of Eastmere"
# With a skin, the wiki does not lead on to the host that it calls itself.
ARTICLE = f"title={TITLE}&useskin=vector-2022"
SKINS = {
    "vector-2022": "p-associated-pages",
    "vector": "p-namespaces",
    "minerva": "p-associated-pages",
    "monobook": "p-cactions",
    "timeless": "p-namespaces",
}
# In the panel's place: says what it was given.
PROBE = """
'use strict';
module.exports = {
	open( given ) {
		const heard = [];
		window.opened = ( window.opened || [] ).concat( {
			wiki: given.page.wiki, title: given.page.title, revision: given.page.revision,
			isShown: given.page.root.isConnected
		} );
		return {
			close: () => heard.forEach( ( each ) => each() ),
			onClose: ( each ) => heard.push( each )
		};
	},
	queue( given ) {
		given.root.textContent = 'The queue is here.';
	},
	preferences: require( './preferences.js' )
};
"""
_OPENED = "() => window.opened || []"
_FORM = "action=edit&useskin=vector-2022"
_TAGS = "#editform [name=wpChangeTags]"


@dataclass
class Counting:
    """A backend that knows how many notes there are, and who asked."""

    address: str = ""
    requests: list[str] = field(default_factory=list)
    notes: int = 3


@pytest.fixture(scope="module")
def backend() -> Iterator[Counting]:
    counting = Counting()

    class Answering(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            counting.requests.append(self.path)
            title = parse_qs(urlsplit(self.path).query)["title"][0]
            body = json.dumps({"counts": {title: counting.notes}}).encode()
            self.send_response(200)
            self.send_header("Access-Control-Allow-Origin", self.headers["Origin"])
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answering) as server:
        counting.address = f"http://127.0.0.1:{server.server_address[1]}"
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield counting
        server.shutdown()


@pytest.fixture(scope="module")
def at(wiki: Wiki, backend: Counting) -> Iterator[Wiki]:
    """Return the wiki with the entry on it, and a probe for the panel."""
    wiki.reset()
    config = {"backend": backend.address, "bot": "SidenoteBot"}
    own = read_sources()
    probing = Sources({**own.scripts, "probe.js": PROBE}, own.messages)
    lines = merged("").replace(
        "[ResourceLoader|actions", "[default|ResourceLoader|actions"
    )
    admin = Person(wiki.host, ADMIN).log_in(ADMIN_PASSWORD)
    for title, text in {
        "Gadget-sidenote.js": bundle("entry.js", config),
        "Gadget-sidenote.css": stylesheet("entry.css", ["entry.css"]),
        "Gadget-sidenote-panel.js": bundle("probe.js", config, probing),
        "Gadget-sidenote-panel.css": ".x { color: inherit; }",
        "Gadgets-definition": lines,
    }.items():
        admin.edit(f"MediaWiki:{title}", text)
    admin.web.close()
    yield wiki
    wiki.reset()


class Watched(list[str]):
    """Requests beyond the wiki, and whatever went wrong in the page."""


@pytest.fixture(scope="module")
def anybody(chromium: Browser) -> Iterator[BrowserContext]:
    """Return a reader without an account, who has the wiki's scripts from before."""
    with chromium.new_context() as context:
        yield context


@contextmanager
def reading(
    anybody: BrowserContext, at: Wiki, query: str = ARTICLE
) -> Iterator[tuple[Page, Watched]]:
    """Open a page for somebody; what they choose there is forgotten."""
    tab, seen = shown(anybody, at, query)
    try:
        yield tab, seen
    finally:
        tab.evaluate("() => localStorage.clear()")
        tab.close()


def shown(context: BrowserContext, at: Wiki, query: str) -> tuple[Page, Watched]:
    tab, seen = context.new_page(), Watched()
    tab.on("pageerror", lambda error: seen.append(f"error {error}"))
    tab.on(
        "request",
        lambda request: (
            urlsplit(request.url).netloc == at.host
            or seen.append(f"request {request.url}")
        ),
    )
    tab.goto(f"http://{at.host}/w/index.php?{query}")
    tab.wait_for_function("() => !!( window.mw && mw.loader && mw.loader.using )")
    tab.evaluate("() => mw.loader.using( 'ext.gadget.sidenote' )")
    return tab, seen


def test_an_edit_that_the_panel_filled_in_carries_the_change_tag(
    chromium: Browser, at: Wiki
) -> None:
    admin = Person(at.host, ADMIN).log_in(ADMIN_PASSWORD)
    with suppress(AssertionError):  # it is there already
        admin.post("managetags", operation="create", tag="sidenote", reason="notes")
    admin.edit("Tagged", "Words.")
    form = f"{_FORM}&title=Tagged&summary={quote('Cited “A” ([[User:SidenoteBot|Sidenote]])')}"
    with chromium.new_context() as context:
        context.add_cookies(
            [
                {"name": one.name, "value": one.value or "", "url": f"http://{at.host}"}
                for one in admin.web.cookies
            ]
        )
        tab, seen = shown(context, at, form)
        tab.locator("#wpTextbox1").fill("Words. More words.")
        for _ in range(2):  # the form after a preview, too
            expect(tab.locator(_TAGS)).to_have_count(1)
            tab.locator("#wpPreview").click()
            tab.wait_for_url("**action=submit**")
        expect(tab.locator(_TAGS)).to_have_count(1)
        tab.locator("#wpSave").click()
        tab.wait_for_url("**/wiki/Tagged*")
        assert not [one for one in seen if one.startswith("error")]
    answer = admin.get(action="query", titles="Tagged", prop="revisions", rvprop="tags")
    assert "sidenote" in answer["query"]["pages"][0]["revisions"][0]["tags"]
    admin.web.close()


def test_an_edit_of_ones_own_carries_none(anybody: BrowserContext, at: Wiki) -> None:
    with reading(anybody, at, f"{_FORM}&title=Tagged&summary=typo") as (tab, seen):
        expect(tab.locator("#wpSummary")).to_have_value("typo")
        tab.wait_for_load_state("networkidle")  # whether there is a tag would be asked
        expect(tab.locator(_TAGS)).to_have_count(0)
        assert not [one for one in seen if one.startswith("error")]


def press_access_key(tab: Page, key: str) -> None:
    """Press Alt and a letter; Chromium looks for access keys when a character arrives."""
    keyboard = tab.context.new_cdp_session(tab)
    alt = 1
    for event in (
        {"type": "rawKeyDown"},
        {"type": "char", "unmodifiedText": key, "text": key},
    ):
        keyboard.send("Input.dispatchKeyEvent", {**event, "key": key, "modifiers": alt})
    keyboard.detach()


@pytest.mark.parametrize("skin", SKINS)
def test_every_skin_has_the_entry_beside_its_tabs(
    anybody: BrowserContext, at: Wiki, skin: str
) -> None:
    with reading(anybody, at, f"title={TITLE}&useskin={skin}") as (tab, seen):
        link = tab.get_by_role("button", name="Source notes")
        expect(link).to_be_visible()
        assert link.evaluate("e => !!e.closest( `#${ '" + SKINS[skin] + "' }` )")
        assert link.get_attribute("title")
        assert tab.locator("[accesskey=a]").count() == 1
        assert link.get_attribute("accesskey") == "a"
        assert not seen
        press_access_key(tab, "a")
        tab.wait_for_function("() => window.opened")
        [opened] = tab.evaluate(_OPENED)
        assert opened["title"] == TITLE
        assert opened["revision"] == at.revisions[TITLE][-1]
        assert opened["isShown"]
        expect(link).to_have_attribute("aria-expanded", "true")
        press_access_key(tab, "a")
        expect(link).to_have_attribute("aria-expanded", "false")
        link.press("Enter")
        expect(link).to_have_attribute("aria-expanded", "true")
        link.press("Space")
        expect(link).to_have_attribute("aria-expanded", "false")
        assert not seen


def test_the_wiki_is_called_as_it_calls_itself(
    anybody: BrowserContext, at: Wiki, wiki_proxy: Any
) -> None:
    with reading(anybody, at) as (tab, _):
        tab.get_by_role("button", name="Source notes").click()
        tab.wait_for_function("() => window.opened")
        assert tab.evaluate(_OPENED)[0]["wiki"] == wiki_proxy.host


def test_there_is_no_entry_where_no_article_is_read(
    chromium: Browser, at: Wiki
) -> None:
    with chromium.new_context() as context:
        tab = context.new_page()
        for query in (
            "title=Talk:Eastmere",
            f"title={TITLE}&action=history",
            f"title={TITLE}&action=edit",
            "title=A page that is not there",
            "title=Special:Version",
            "title=Special:BlankPage/other",
        ):
            tab.goto(f"http://{at.host}/w/index.php?{query}")
            tab.wait_for_load_state("networkidle")
            assert tab.locator("#ca-sidenote").count() == 0, query


def test_an_old_revision_is_opened_as_it_is_read(chromium: Browser, at: Wiki) -> None:
    _, second, last = at.revisions[TITLE]
    with chromium.new_context() as context:
        for query, wanted in ((f"oldid={second}", second), (f"diff={last}", last)):
            tab, _ = shown(context, at, f"title={TITLE}&{query}")
            tab.get_by_role("button", name="Source notes").click()
            tab.wait_for_function("() => window.opened")
            assert tab.evaluate(_OPENED)[0]["revision"] == wanted


def test_a_page_that_is_rendered_again_keeps_one_entry(
    anybody: BrowserContext, at: Wiki
) -> None:
    with reading(anybody, at) as (tab, seen):
        tab.get_by_role("button", name="Source notes").click()
        tab.wait_for_function("() => window.opened")
        tab.evaluate(
            """() => {
                const old = document.querySelector( '.mw-parser-output' );
                const fire = () => mw.hook( 'wikipage.content' ).fire( $( '#mw-content-text' ) );
                fire();
                old.replaceWith( old.cloneNode( true ) );
                fire();
            }"""
        )
        tab.wait_for_function("() => window.opened.length === 2")
        assert tab.locator("#ca-sidenote").count() == 1
        assert [each["isShown"] for each in tab.evaluate(_OPENED)] == [True, True]
        assert not seen


def test_the_number_of_notes_is_asked_for_only_if_wanted(
    anybody: BrowserContext, at: Wiki, backend: Counting
) -> None:
    backend.requests.clear()
    with reading(anybody, at) as (tab, seen):
        tab.evaluate(
            "() => mw.storage.set( 'userjs-sidenote', JSON.stringify( { badge: true } ) )"
        )
        assert not backend.requests
        tab.reload()
        named = tab.get_by_role("button", name="Source notes: 3 notes")
        expect(named).to_be_visible()
        assert tab.locator(".sidenote-count").text_content() == "3"
        assert len(backend.requests) == 1
        assert len(seen) == 1
        backend.notes = 0
        tab.reload()
        expect(tab.get_by_role("button", name="Source notes: none")).to_be_visible()
        assert tab.locator(".sidenote-count").count() == 0
        backend.notes = 3


def test_a_panel_that_cannot_be_loaded_is_said_to_be(
    chromium: Browser, at: Wiki
) -> None:
    with chromium.new_context() as context:
        context.route("**/load.php?*sidenote-panel*", lambda route: route.abort())
        tab, _ = shown(context, at, ARTICLE)
        link = tab.get_by_role("button", name="Source notes")
        link.click()
        expect(tab.get_by_text("could not be loaded")).to_be_visible()
        assert link.get_attribute("aria-busy") is None


def test_the_queue_has_a_page_of_its_own(anybody: BrowserContext, at: Wiki) -> None:
    with reading(anybody, at, "title=Special:BlankPage/sidenote") as (tab, seen):
        expect(tab.get_by_text("The queue is here.")).to_be_visible()
        expect(tab.get_by_role("heading", level=1)).to_have_text("Review queue")
        assert tab.title().startswith("Review queue")
        assert not seen


def _ask(tab: Page) -> None:
    tab.evaluate(
        """() => mw.loader.using( 'ext.gadget.sidenote-panel' ).then( ( require ) => {
            require( 'ext.gadget.sidenote-panel' ).preferences.dialog( mw ).then( ( values ) => {
                window.chosen = values;
            } );
        } )"""
    )


@pytest.mark.parametrize("has_vue", [True, False])
def test_preferences_are_set_in_a_dialog(
    anybody: BrowserContext, at: Wiki, *, has_vue: bool
) -> None:
    with reading(anybody, at) as (tab, seen):
        tab.evaluate(
            "() => mw.storage.set( 'userjs-sidenote', JSON.stringify("
            " { stopped: [ 'Oslo', 'Bergen' ], other: 1 } ) )"
        )
        if not has_vue:
            tab.evaluate(
                """() => {
                    const known = mw.loader.getState;
                    mw.loader.getState = ( name ) => name === 'vue' ? null : known( name );
                }"""
            )
        _ask(tab)
        dialog = tab.get_by_role("dialog", name="Preferences for source notes")
        expect(dialog).to_be_visible()
        dialog.get_by_label("Show the number of notes").check()
        dialog.get_by_label("Oslo").uncheck()
        dialog.get_by_role("button", name="Save").click()
        expect(dialog).to_have_count(0)
        options = tab.evaluate("() => mw.storage.getObject( 'userjs-sidenote' )")
        assert options["badge"] is True
        assert options["doubtful"] is False
        assert options["stopped"] == ["Bergen"]
        assert options["other"] == 1
        assert not seen
        _ask(tab)
        expect(dialog).to_be_visible()
        tab.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        tab.wait_for_function("() => window.chosen === null")


def test_an_account_keeps_its_preferences(chromium: Browser, at: Wiki) -> None:
    with chromium.new_context() as context:
        tab = context.new_page()
        tab.goto(f"http://{at.host}/w/index.php?title=Special:UserLogin")
        tab.fill("#wpName1", ADMIN)
        tab.fill("#wpPassword1", ADMIN_PASSWORD)
        tab.click("#wpLoginAttempt")
        tab, _ = shown(context, at, ARTICLE)
        _ask(tab)
        dialog = tab.get_by_role("dialog", name="Preferences for source notes")
        dialog.get_by_label("Also show doubtful notes").check()
        dialog.get_by_role("button", name="Save").click()
        expect(dialog).to_have_count(0)
        tab, _ = shown(context, at, ARTICLE)
        details = json.loads(
            tab.evaluate("() => mw.user.options.get( 'userjs-sidenote' )")
        )
        assert details["doubtful"] is True
        assert tab.evaluate("() => mw.storage.get( 'userjs-sidenote' )") is None


@contextmanager
def strict(at: Wiki, allowed: str) -> Iterator[None]:
    """Have the wiki send a strict policy for as long as this lasts."""
    settings = at.folder / "extra.php"
    before = settings.read_text("utf-8")
    policy = (
        f"$wgCSPHeader = [ 'default-src' => [ '{allowed}' ], 'script-src' => [],"
        " 'includeCORS' => false, 'useNonces' => false ];"
    )
    settings.write_text(f"{before}\n{policy}\n", "utf-8")
    try:
        _wait_for_policy(at, is_sent=True)
        yield
    finally:
        settings.write_text(before, "utf-8")
        _wait_for_policy(at, is_sent=False)


def _wait_for_policy(at: Wiki, *, is_sent: bool) -> None:
    """PHP looks only every two seconds whether a file has changed."""
    until = time.monotonic() + 20
    seen = 0
    while seen < 4:  # each of its processes
        with requests.get(f"http://{at.host}/w/index.php?{ARTICLE}", timeout=30) as got:
            has_it = "default-src" in got.headers.get("Content-Security-Policy", "")
        seen = seen + 1 if has_it is is_sent else 0
        assert time.monotonic() < until, "the wiki does not take its settings"


def test_it_runs_under_a_strict_content_security_policy(
    chromium: Browser, at: Wiki, backend: Counting
) -> None:
    with strict(at, backend.address), chromium.new_context() as context:
        context.add_init_script(
            """localStorage.setItem( 'userjs-sidenote', '{ "badge": true }' );
            window.broken = [];
            addEventListener( 'securitypolicyviolation', ( event ) => {
                broken.push( event.blockedURI );
            } );"""
        )
        tab, _ = shown(context, at, ARTICLE)
        expect(tab.get_by_role("button", name="Source notes: 3 notes")).to_be_visible()
        _ask(tab)
        expect(tab.get_by_role("dialog")).to_be_visible()
        assert tab.evaluate("() => window.broken") == []
        tab.evaluate("() => fetch( 'http://127.0.0.1:18999/' ).catch( String )")
        tab.wait_for_function("() => window.broken.length")
        assert tab.evaluate("() => window.broken") == ["http://127.0.0.1:18999/"]
