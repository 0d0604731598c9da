"""Readers sign in from the browser, with the real API, store and sign-ins behind it."""

import hashlib
import json
import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Page, expect

from bot.demo.loopback.wiki.serving import Wiki
from gadget.bundle import bundle
from tests.bot.writing.people import PASSWORD, Person
from tests.gadget.script.backend import Backend, serve_backend
from tests.gadget.script.real_backend import (
    RealBackend,
    serve_real_backend,
    suggestion_of,
)

pytestmark = [pytest.mark.browser, pytest.mark.mediawiki]

PHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) Version/18.5 Safari/604.1"
)
MAKE = """given => {
    const { api, identity } = window.sidenote;
    let who = null;
    window.asks = api.create( { address: given.address, token: () => who && who.token() } );
    window.who = who = identity.create( { api: window.asks, mw, wiki: given.wiki } );
    window.heard = [];
    who.onChange( ( user ) => window.heard.push( user ) );
}"""
SIGN_IN = """() => {
    window.signed = window.who.signIn().then( ( signed ) => signed.user, ( error ) => error.code || error.kind );
}"""
DECIDE = """given => window.asks.decide( {
    wiki: given.wiki, identity: given.identity, kind: 'dismiss', reason: 'not worth it'
} )"""


@pytest.fixture(scope="module")
def page_of_ours() -> Iterator[Backend]:
    with serve_backend("api.js", "identity.js") as served:
        yield served


@pytest.fixture(scope="module")
def real(
    wiki: Wiki, page_of_ours: Backend, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RealBackend]:
    host = page_of_ours.address.removeprefix("http://")
    folder: Path = tmp_path_factory.mktemp("real")
    with serve_real_backend(folder, wiki.host, page=host) as backend:
        page_of_ours.other = backend.address
        yield backend


@pytest.fixture
def tab(chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context()
    yield context.new_page()
    context.close()


def on_our_page(tab: Page, page_of_ours: Backend, real: RealBackend) -> None:
    tab.goto(f"{page_of_ours.address}/page")
    tab.evaluate(MAKE, {"address": real.address, "wiki": real.oauth_wiki})


def user_of(tab: Page) -> Any:
    return tab.evaluate("() => window.who.who().then( ( who ) => who && who.user )")


def test_a_reader_signs_in_by_oauth_acts_and_signs_out(
    tab: Page, page_of_ours: Backend, real: RealBackend
) -> None:
    on_our_page(tab, page_of_ours, real)
    assert user_of(tab) is None

    tab.evaluate(SIGN_IN)
    dialog = tab.get_by_role("dialog", name="Sign in")
    expect(dialog).to_contain_text(
        "ask whether the notes server may know your user name"
    )
    with tab.expect_popup() as new_page:
        dialog.get_by_role("button", name="Continue").click()
    popup = new_page.value
    yes = popup.get_by_role("button", name="Yes, sign me in")
    expect(yes).to_be_visible()
    assert popup.evaluate("() => window.opener") is None
    yes.click()

    assert tab.evaluate("() => window.signed") == "Ada"
    expect(dialog).to_have_count(0)
    assert (user_of(tab), tab.evaluate("() => window.heard")) == ("Ada", ["Ada"])
    wiki, suggested = real.oauth_wiki, suggestion_of(real.oauth_wiki)
    decision = tab.evaluate(DECIDE, {"wiki": wiki, "identity": suggested.identity})
    assert (decision["kind"], decision["reason"]) == ("dismiss", "not worth it")
    assert tab.evaluate("id => window.asks.undo( id )", decision["id"]) is None
    queue = tab.evaluate("() => window.asks.queue()")
    assert [card["id"] for card in queue["cards"]] == [suggested.identity]

    tab.evaluate("() => window.who.signOut()")
    assert user_of(tab) is None
    assert tab.evaluate("() => localStorage.getItem( 'sidenote-token' )") is None
    refused = "() => window.asks.queue().catch( ( error ) => error.kind )"
    assert tab.evaluate(refused) == "signed-out"


def test_whoever_logs_in_on_the_wiki_while_signing_in_is_signed_in_at_once(
    tab: Page, page_of_ours: Backend, real: RealBackend
) -> None:
    on_our_page(tab, page_of_ours, real)
    tab.evaluate("() => mw.config.set( 'skin', 'vector' )")  # a wiki's; nobody is known
    tab.evaluate(SIGN_IN)
    with tab.expect_popup() as popup:
        tab.get_by_role("dialog").get_by_role("button", name="Continue").click()
    popup.value.get_by_role("button", name="Yes, sign me in").click()

    assert tab.evaluate("() => window.signed") == "Ada"
    assert user_of(tab) == "Ada"


def test_a_window_that_is_blocked_is_a_link(
    tab: Page, page_of_ours: Backend, real: RealBackend
) -> None:
    tab.add_init_script("window.open = () => null")
    on_our_page(tab, page_of_ours, real)
    tab.evaluate(SIGN_IN)
    dialog = tab.get_by_role("dialog")
    dialog.get_by_role("button", name="Continue").click()

    expect(dialog).to_contain_text("Your browser blocked the window")
    with tab.context.expect_page() as popup:
        dialog.get_by_role("link", name=re.compile("^Open 127")).click()
    popup.value.get_by_role("button", name="Yes, sign me in").click()

    assert tab.evaluate("() => window.signed") == "Ada"


def test_who_closes_the_dialog_is_not_signed_in(
    tab: Page, page_of_ours: Backend, real: RealBackend
) -> None:
    on_our_page(tab, page_of_ours, real)
    tab.evaluate(SIGN_IN)
    expect(tab.get_by_role("button", name="Continue")).to_be_focused()

    tab.keyboard.press("Escape")

    assert tab.evaluate("() => window.signed") == "cancelled"
    assert tab.evaluate("() => window.heard") == []


@pytest.mark.parametrize(
    ("until", "events"), [("2020-01-01", []), ("2099-01-01", [None])]
)
def test_a_token_that_is_no_good_any_more_is_forgotten(
    tab: Page,
    page_of_ours: Backend,
    real: RealBackend,
    until: str,
    events: list[None],
) -> None:
    session = {
        "token": "nobody-knows-it",
        "user": "Ada",
        "expires_at": f"{until}T00:00:00Z",
    }
    on_our_page(tab, page_of_ours, real)
    tab.evaluate(
        "session => mw.storage.set( 'sidenote-token', JSON.stringify( session ) )",
        session,
    )

    assert user_of(tab) is None
    assert tab.evaluate("() => [ window.who.token(), window.heard ]") == [None, events]


def test_alice_proves_who_she_is_by_an_edit_that_she_asked_for(
    tab: Page, wiki: Wiki, real: RealBackend
) -> None:
    alice_on_the_wiki(tab, wiki, real)

    tab.evaluate(SIGN_IN)
    dialog = tab.get_by_role("dialog")
    expect(dialog).to_contain_text("save a short text on a subpage of your user page")
    expect(dialog).to_contain_text("User:Alice/Sidenote sign-in")
    assert edits_of_alice(tab) == 0  # she has not asked for it yet
    expect(dialog).to_contain_text("You are signing in as Alice:")
    expect(dialog).to_contain_text(re.compile("with Chrome on Linux"))
    his = begun_by_somebody_else(real, wiki.host)
    dialog.get_by_role("button", name="Save it on my page").click()

    assert tab.evaluate("() => window.signed") == "Alice"
    expect(dialog).to_contain_text("Another sign-in under your name was under way")
    expect(dialog.get_by_role("listitem")).to_contain_text("with Safari on iOS")
    dialog.get_by_role("button", name="Continue").click()
    expect(dialog).to_have_count(0)
    assert user_of(tab) == "Alice"
    assert edits_of_alice(tab) == 1
    with pytest.raises(urllib.error.HTTPError, match="403"):
        posted(real, f"/sign-ins/{his['state']}/finish", {"secret": "of-another"}, "")
    begun_by_somebody_else(real, wiki.host)
    attempts = tab.evaluate("() => window.who.who().then( ( who ) => who.attempts )")
    assert [each["browser"] for each in attempts] == ["Safari"]

    tab.context.clear_cookies()  # she logs out of the wiki, and somebody else reads on
    on_the_wiki(tab, wiki, real)
    assert user_of(tab) is None
    assert tab.evaluate("() => localStorage.getItem( 'sidenote-token' )") is None


def test_a_text_that_is_not_for_this_browser_is_not_saved(
    tab: Page, wiki: Wiki, real: RealBackend
) -> None:
    """Whoever answers in the server's place could pass on what they asked it for."""
    his = begun_by_somebody_else(real, wiki.host)
    alice_on_the_wiki(tab, wiki, real)
    tab.route("**/api/v1/sign-ins", lambda route: route.fulfill(json=his))

    tab.evaluate(SIGN_IN)

    alert = tab.get_by_role("dialog").get_by_role("alert")
    expect(alert).to_contain_text("was not made for this browser")
    assert tab.get_by_role("button", name="Save it on my page").count() == 0


def test_a_link_that_fills_in_the_form_signs_nobody_else_in(
    tab: Page, wiki: Wiki, real: RealBackend
) -> None:
    """Bob begins it as Carol, and all that she does is to press the wiki's own button."""
    carol = Person(wiki.host, "Carol of Eastmere").make_account()
    his = begun_by_somebody_else(real, wiki.host, carol.name)
    Person(wiki.host, "Alice").log_in().edit("User:Bob/x", his["text"])
    link = {"title": his["page"], "preload": "User:Bob/x", "summary": his["summary"]}
    log_in(tab, wiki, carol.name)

    tab.goto(f"http://{wiki.host}/w/index.php?action=edit&{urlencode(link)}")
    assert his["text"] in tab.input_value("#wpTextbox1")
    tab.click("#wpSave")
    tab.wait_for_url("**/wiki/**")

    assert carol.text(his["page"]) == his["text"]
    with pytest.raises(urllib.error.HTTPError, match="403") as refused:
        posted(real, f"/sign-ins/{his['state']}/finish", {"secret": "of-another"}, "")
    assert b"filled in by a link" in refused.value.read()


def test_somebody_who_is_not_logged_in_is_led_to_the_login(
    tab: Page, wiki: Wiki, real: RealBackend
) -> None:
    on_the_wiki(tab, wiki, real)

    tab.evaluate(SIGN_IN)

    link = tab.get_by_role("dialog").get_by_role("link", name=re.compile("^Log in to"))
    expect(link).to_have_attribute(
        "href", re.compile("Special:UserLogin.*returnto=Eastmere")
    )


def begun_by_somebody_else(real: RealBackend, host: str, user: str = "Alice") -> Any:
    digest = hashlib.sha256(b"of-another").hexdigest()
    fields = {"wiki": host, "way": "proof", "user": user, "secret_sha256": digest}
    return posted(real, "/sign-ins", fields, PHONE)


def posted(real: RealBackend, path: str, body: object, user_agent: str) -> Any:
    request = urllib.request.Request(  # noqa: S310 - on loopback
        f"{real.address}/api/v1{path}",
        json.dumps(body).encode(),
        {
            "Content-Type": "application/json",
            "Origin": f"http://{real.page}",
            "User-Agent": user_agent,
        },
    )
    with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310 - as above
        return json.load(answer)


def alice_on_the_wiki(tab: Page, wiki: Wiki, real: RealBackend) -> None:
    log_in(tab, wiki, "Alice")
    on_the_wiki(tab, wiki, real)


def log_in(tab: Page, wiki: Wiki, name: str) -> None:
    tab.goto(f"http://{wiki.host}/w/index.php?title=Special:UserLogin")
    tab.fill("#wpName1", name)
    tab.fill("#wpPassword1", PASSWORD)
    tab.click("#wpLoginAttempt")
    tab.wait_for_selector("#pt-userpage, #pt-userpage-2")


def on_the_wiki(tab: Page, wiki: Wiki, real: RealBackend) -> None:
    tab.goto(f"http://{wiki.host}/wiki/Eastmere")
    tab.wait_for_function("!!( window.mw && mw.loader && mw.loader.using )")
    modules = "[ 'mediawiki.api', 'mediawiki.storage', 'mediawiki.util' ]"
    tab.evaluate(f"() => mw.loader.using( {modules} ).then( () => null )")
    for entry in ("api.js", "identity.js"):
        tab.add_script_tag(content=bundle(entry, {"bot": "SidenoteBot"}))
    tab.evaluate(MAKE, {"address": real.address, "wiki": wiki.host})


def edits_of_alice(tab: Page) -> Any:
    return tab.evaluate(
        "() => new mw.Api().get( { action: 'query', list: 'usercontribs', ucuser: 'Alice' } )"
        ".then( ( answer ) => answer.query.usercontribs.length )"
    )
