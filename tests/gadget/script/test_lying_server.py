"""A notes server that lies, on a real MediaWiki: the reader's account is not its own to use.

Whatever it answers, the script saves nothing but the line by which a reader signs in, on
their own page, and opens an editor or a preview of nothing but articles.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from bot.demo.loopback.wiki.serving import Wiki
from bot.surfaces.messages import Words, message
from gadget.bundle import bundle, stylesheet
from gadget.payloads.cards import Card, Edit, EditKind
from tests.bot.writing.people import ADMIN, ADMIN_PASSWORD, PASSWORD, Person
from tests.gadget.script import answers
from tests.gadget.script.backend import (
    Backend,
    Plan,
    Reply,
    Request,
    problem,
    serve_backend,
)
from tests.gadget.script.cards import (
    card,
    comparison,
    queue_answer,
    update,
    writing,
)
from tests.rig.wiki.pages import CLOCK

pytestmark = [pytest.mark.browser, pytest.mark.mediawiki]

CLOCK_PAGE = "Harbour Clock of Eastmere"
PROOF = "User:Alice/Sidenote sign-in"
SCRIPT = "User:Alice/common.js"
SCRIPT_TEXT = "window.quay = 1;"
TOKEN = {"token": "t" * 20, "user": "Alice", "expires_at": "2099-01-01T00:00:00Z"}
MODULES = "[ 'mediawiki.api', 'mediawiki.storage', 'mediawiki.util', 'codex-styles' ]"
QUEUE = """() => {
    window.sidenote.panel_gadget.queue( { mw, root: document.getElementById( 'mw-content-text' ) } );
}"""
PANEL = """() => {
    const root = document.querySelector( '#mw-content-text .mw-parser-output' );
    window.sidenote.panel_gadget.open( { mw, page: {
        wiki: location.host, title: mw.config.get( 'wgPageName' ).replace( /_/g, ' ' ),
        revision: mw.config.get( 'wgRevisionId' ), root
    } } );
}"""
Lie = Callable[[dict[str, Any]], dict[str, Any]]


@pytest.fixture(scope="module")
def server() -> Iterator[Backend]:
    with serve_backend() as served:
        yield served


@pytest.fixture
def admin(wiki: Wiki) -> Iterator[Person]:
    wiki.reset()
    person = Person(wiki.host, ADMIN).log_in(ADMIN_PASSWORD)
    yield person
    person.web.close()


@pytest.fixture
def tab(admin: Person, wiki: Wiki, chromium: Browser) -> Iterator[Page]:
    """Return Alice's browser, on the wiki that `admin` has put in order."""
    assert admin.host == wiki.host
    context = chromium.new_context(viewport={"width": 1200, "height": 1000})
    page = context.new_page()
    page.goto(f"http://{wiki.host}/w/index.php?title=Special:UserLogin")
    page.fill("#wpName1", "Alice")
    page.fill("#wpPassword1", PASSWORD)
    page.click("#wpLoginAttempt")
    page.wait_for_selector("#pt-userpage, #pt-userpage-2")
    yield page
    context.close()


def read(tab: Page, wiki: Wiki, server: Backend, title: str, plan: Plan) -> None:
    server.plan = plan
    server.requests.clear()
    tab.goto(f"http://{wiki.host}/wiki/{title.replace(' ', '_')}")
    tab.wait_for_function("!!( window.mw && mw.loader && mw.loader.using )")
    tab.evaluate(f"() => mw.loader.using( {MODULES} ).then( () => null )")
    styles = ["cards.css", "panel.css", "dialog.css", "queue.css"]
    tab.add_style_tag(content=stylesheet("own.css", styles))
    config = {"backend": server.address, "bot": "SidenoteBot"}
    tab.add_script_tag(content=bundle("panel_gadget.js", config))


def known_as(tab: Page) -> str:
    """Return the name of the wiki as its own pages have it."""
    server = "new URL( mw.config.get( 'wgServer' ), location.href )"
    tab.wait_for_function("!!( window.mw && mw.config && mw.config.get( 'wgServer' ) )")
    host: str = tab.evaluate(f"() => {server}.host")
    return host


def signed_in(tab: Page) -> None:
    encoded = json.dumps(json.dumps(TOKEN))
    tab.evaluate(f"() => mw.storage.set( 'sidenote-token', {encoded} )")


def edits_of_alice(admin: Person) -> list[str]:
    """Return the titles of what the wiki lists as hers, the oldest first."""
    found = admin.get(
        action="query",
        list="recentchanges",
        rcuser="Alice",
        rctype="edit|new",
        rcprop="title",
        rclimit="max",
        rcdir="newer",
    )["query"]["recentchanges"]
    return [each["title"] for each in found]


# --- signing in by an edit ------------------------------------------------------------


def honest(body: dict[str, Any]) -> dict[str, Any]:
    """Return what an honest server says to the beginning of a sign-in."""
    digest = str(body["secret_sha256"])
    at, code = "2026-11-28 12:00 UTC", "0123456789abcdef" * 2
    words, attempt = Words("en"), digest[:16]
    line = message("proof-line", body["user"], body["wiki"], at, attempt, code)
    return {
        "state": "s" * 43,
        "begun_at": "2026-11-28T12:00:00Z",
        "expires_at": "2099-01-01T00:00:00Z",
        "page": PROOF,
        "text": words.plain(line),
        "summary": words.plain(
            message("proof-line-summary", at, attempt, f"\n{code}"),
        ),
    }


def with_page(page: str) -> Lie:
    return lambda begun: begun | {"page": page}


OTHER_PAGES = (SCRIPT, CLOCK_PAGE, "Talk:Eastmere", "User:Bob/Sidenote sign-in")
OTHER_WORDS: tuple[Lie, ...] = (
    lambda begun: begun | {"text": f"alert( 1 ); // {begun['text']}"},
    lambda begun: begun | {"text": f"{begun['text']}\n\n{{{{delete}}}} ~~~~"},
    lambda begun: begun | {"text": begun["text"].replace("Alice", "Bob")},
    lambda begun: begun | {"text": begun["text"].replace(" on ", " on x.")},
    lambda begun: begun | {"text": [begun["text"]]},
    lambda begun: begun | {"summary": f"{begun['summary']} [[Evil]]"},
    lambda begun: begun | {"summary": begun["summary"].replace("\n", "")},
)


def sign_in(
    tab: Page, wiki: Wiki, server: Backend, lie: Lie, way: str = "proof"
) -> None:
    """Begin a sign-in at the queue, as the server tells it."""

    def plan(request: Request) -> Reply:
        if request.path == "/ways":
            return Reply(200, {"ways": [way]})
        if request.path == "/sign-ins":
            return Reply(201, lie(honest({"user": "", **request.body})))
        return Reply(202, {"waiting": True})

    read(tab, wiki, server, "Special:BlankPage/sidenote", plan)
    tab.evaluate(QUEUE)
    tab.get_by_role("button", name="Sign in").click()


def saves(tab: Page) -> bool:
    """Press the button that saves, if the dialog has it; return whether it has."""
    dialog = tab.get_by_role("dialog")
    button = dialog.get_by_role("button", name="Save it on my page")
    expect(button.or_(dialog.get_by_role("alert"))).to_be_visible()
    if not button.is_visible():
        return False
    button.click()
    expect(dialog).to_contain_text("checking your page")
    return True


def _alone(tab: Page) -> None:
    """Wait until nothing else is open; a window may take a moment to close."""
    for other in tab.context.pages:
        if other != tab and not other.is_closed():
            other.wait_for_event("close")
    assert tab.context.pages == [tab]


def test_a_sign_in_adds_one_line_to_the_readers_own_page_whatever_page_is_named(
    admin: Person, tab: Page, wiki: Wiki, server: Backend
) -> None:
    admin.edit(PROOF, "Mine.")
    before = {title: admin.text(title) for title in (CLOCK_PAGE, "Talk:Eastmere")}

    for page in OTHER_PAGES:
        sign_in(tab, wiki, server, with_page(page))
        assert saves(tab)

    assert edits_of_alice(admin) == [PROOF] * len(OTHER_PAGES)
    lines = admin.text(PROOF).split("\n\n")
    assert lines[0] == "Mine."
    assert [line.startswith("I, Alice, asked Sidenote on") for line in lines[1:]] == [
        True
    ] * len(OTHER_PAGES)
    assert {title: admin.text(title) for title in before} == before


def test_other_words_than_the_known_ones_are_not_saved(
    admin: Person, tab: Page, wiki: Wiki, server: Backend
) -> None:
    for lie in OTHER_WORDS:
        sign_in(tab, wiki, server, lie)
        assert not saves(tab)

    assert edits_of_alice(admin) == []


def test_a_page_that_is_no_wikitext_or_leads_elsewhere_is_left_as_it_is(
    admin: Person, tab: Page, wiki: Wiki, server: Backend
) -> None:
    admin.edit(PROOF, f"#REDIRECT [[{CLOCK_PAGE}]]")
    sign_in(tab, wiki, server, lambda begun: begun)
    dialog = tab.get_by_role("dialog")
    dialog.get_by_role("button", name="Save it on my page").click()

    expect(dialog.get_by_role("alert")).to_contain_text("did not save the text")
    assert edits_of_alice(admin) == []


def test_an_address_that_is_not_the_wikis_own_is_not_opened(
    tab: Page, wiki: Wiki, server: Backend
) -> None:
    for address in (
        "http://127.0.0.1:1/w/rest.php/oauth2/authorize",
        f"http://{known_as(tab)}/w/index.php?title={SCRIPT}&action=edit",
        f"http://{known_as(tab)}@127.0.0.1:1/w/rest.php/oauth2/authorize",
        "javascript:alert(1)//w/rest.php/oauth2/authorize",
    ):
        lie = {"authorize_url": address}
        sign_in(tab, wiki, server, lambda begun, lie=lie: begun | lie, "oauth")
        alert = tab.get_by_role("dialog").get_by_role("alert")
        expect(alert).to_contain_text("not the sign-in page")

    _alone(tab)


# --- opening the editor ---------------------------------------------------------------


def queue_of(wiki: str, *cards: Card) -> Plan:
    def plan(request: Request) -> Reply:
        if request.path == "/queue":
            answer = queue_answer(list(cards), len(cards))
            for each in answer["cards"]:
                each["wiki"] = wiki
            return Reply(200, answer)
        if request.path == "/reader":
            known = {"user": "Alice", "wiki": "x", "attempts": []}
            return Reply(200, known | {"expires_at": TOKEN["expires_at"]})
        return problem(404, "unknown", request.path)

    return plan


def open_queue(tab: Page, wiki: Wiki, server: Backend, *cards: Card) -> None:
    plan = queue_of(known_as(tab), *cards)
    read(tab, wiki, server, "Special:BlankPage/sidenote", plan)
    signed_in(tab)
    tab.evaluate(QUEUE)
    tab.locator(".sidenote-queue .sidenote-card").wait_for()


def titled(number: int, title: str) -> Card:
    """Return a card whose change runs where it is previewed as a script."""
    change = Edit(
        id="e1",
        kind=EditKind.TAG,
        label="x]] [[User:Alice/common.js",
        section=0,
        before="window.quay = ",
        old="1",
        new="1; localStorage.pwned = 'yes'",
        after=";",
    )
    return card(number, title=title, edits=[change])


NO_ARTICLES = (
    SCRIPT,
    "user:alice/common.js",
    "User:Alice",
    "User:Bob/common.css",
    "Talk:Eastmere",
    "MediaWiki:Common.js",
    "Special:UserLogout",
    f"{CLOCK_PAGE}|{SCRIPT}",
    f"\x1f{SCRIPT}",
    "Nobody has written this",
    "",
)


def test_only_articles_are_opened_or_previewed(
    admin: Person, tab: Page, wiki: Wiki, server: Backend
) -> None:
    alice = Person(wiki.host, "Alice").log_in()
    alice.edit(SCRIPT, SCRIPT_TEXT)
    cards = [titled(each, title) for each, title in enumerate(NO_ARTICLES, 1)]
    open_queue(tab, wiki, server, *cards)
    notice = tab.get_by_text("not an article of this wiki")

    for number in range(1, len(NO_ARTICLES) + 1):
        expect(tab.locator(".sidenote-queue__progress span")).to_contain_text(
            f"{number} of"
        )
        for name in ("Add {{", "Fix"):
            tab.locator(".sidenote-queue").get_by_role("button", name=name).click()
            expect(notice).to_be_visible()
        tab.keyboard.press("n")

    _alone(tab)
    assert tab.evaluate("() => localStorage.pwned") is None
    assert edits_of_alice(admin) == [SCRIPT]
    assert admin.text(SCRIPT) == SCRIPT_TEXT


def test_a_base_that_is_of_another_page_is_not_taken(
    admin: Person, tab: Page, wiki: Wiki, server: Backend
) -> None:
    """By it the text of another page would come into the article's form."""
    old = '<ref name="guide" />'
    before = "by Ada Penrose."
    assert before + old in CLOCK
    evil = admin.edit("User:Bob/x", f"Bob's own lead. {before}{old} A storm")
    change = Edit(
        id="e1",
        kind=EditKind.TAG,
        label="Dubious",
        section=0,  # where it is not, so that the base is asked for
        before=before,
        old=old,
        new=old + "{{Dubious}}",
        after=" A storm",
    )
    made = card().made.model_copy(update={"revision": evil})
    open_queue(tab, wiki, server, card(1, title=CLOCK_PAGE, edits=[change], made=made))

    tab.locator(".sidenote-edit").click()

    expect(tab.get_by_role("dialog")).to_contain_text("could not be placed")
    _alone(tab)


def test_a_report_holds_no_markup_of_the_servers(
    admin: Person, tab: Page, wiki: Wiki, server: Backend
) -> None:
    found = answers.answer([answers.card(1, claim=answers.claim("stands on", ""))])
    evil = "x --> {{subst:User:Bob/x}} [[Category:Y]] ~~~~\n== Z =="
    found["cards"][0]["title"] = evil
    found["cards"][0]["made"] |= {"engine": evil, "version": evil}
    note = {"key": "", "english": evil, "values": []}
    found["cards"][0] |= {"kind": "new kind", "note": None}

    def plan(request: Request) -> Reply:
        is_page = request.path == "/suggestions"
        return Reply(200, found) if is_page else problem(404, "unknown", "x")

    read(tab, wiki, server, CLOCK_PAGE, plan)
    tab.evaluate(PANEL)
    tab.get_by_role("button", name="Fetch notes").click()
    tab.locator(".sidenote-menu button").first.click()
    with tab.context.expect_page() as popup:
        tab.get_by_text("Report a problem").click()
    form = popup.value
    form.wait_for_selector("#wikiPreview .mw-parser-output")

    text = form.input_value("#wpTextbox1")
    assert note["english"] not in text
    assert not any(sign in text for sign in ("{{", "[[Category", "== Z"))
    assert text.count("~~~~") == 1
    assert form.locator("#wikiPreview .mw-parser-output h2").count() == 1
    assert edits_of_alice(admin) == []


# --- every answer ---------------------------------------------------------------------

LIES = (
    "javascript:alert(1)//https://x.example/",
    f"{SCRIPT}#/../<img src=x onerror=alert(1)>",
)
KEPT = {"id", "kind", "verdict", "key", "encoding"}


def lying(value: Any, lie: str) -> Any:
    """Return an answer in which each text is the lie."""
    if isinstance(value, dict):
        return {
            name: each if name in KEPT else lying(each, lie)
            for name, each in value.items()
        }
    if isinstance(value, list):
        return [lying(each, lie) for each in value]
    return lie if isinstance(value, str) else value


def all_lies(wiki: str, lie: str) -> Plan:
    shown = lying(queue_answer([card(1), update(2), writing(3)], 3), lie)
    shown["next"] = None
    for each in shown["cards"]:
        each["wiki"] = wiki
    shown["cards"][1]["title"] = CLOCK_PAGE

    def plan(request: Request) -> Reply:
        if request.path == "/queue":
            return Reply(200, shown)
        if request.path == "/comparisons/next":
            return Reply(200, lying(comparison(), lie))
        if request.path == "/reader":
            attempt = {"begun_at": lie, "browser": lie, "system": lie}
            return Reply(200, {"user": lie, "wiki": lie, "attempts": [attempt]})
        if request.path == "/decisions":
            return Reply(201, {"id": lie, "kind": lie, "decided_at": lie})
        return problem(500, lie, lie, reason=(lie, lie))

    return plan


def press_everything(tab: Page) -> None:
    """Press each button of what is shown once, and close what it opens in front."""
    place = tab.locator(".sidenote-queue__content")
    for number in range(place.locator("button").count()):
        button = place.locator("button").nth(number)
        if button.is_visible() and button.is_enabled():
            button.click()
            tab.wait_for_timeout(150)
        for dialog in tab.locator("dialog[open]").all():
            dialog.press("Escape")


def test_no_answer_has_the_script_act_for_the_reader(
    admin: Person, tab: Page, wiki: Wiki, server: Backend
) -> None:
    asked: list[str] = []
    tab.context.on(
        "dialog", lambda dialog: (asked.append(dialog.message), dialog.dismiss())
    )
    for lie in LIES:
        plan = all_lies(known_as(tab), lie)
        read(tab, wiki, server, "Special:BlankPage/sidenote", plan)
        signed_in(tab)
        tab.evaluate(QUEUE)
        tab.locator(".sidenote-queue .sidenote-card").wait_for()
        for mode in range(3):
            tab.locator(".sidenote-queue__modes button").nth(mode).click()
            tab.locator(".sidenote-queue__one").wait_for()
            press_everything(tab)
        address = tab.locator("[href^='javascript:'], [src], .sidenote-queue [onclick]")
        assert address.and_(tab.locator(".sidenote-queue *")).count() == 0

    others = {page.url for page in tab.context.pages if page != tab}
    assert {parse_qs(urlsplit(url).query)["title"][0] for url in others} <= {CLOCK_PAGE}
    assert asked == []
    assert edits_of_alice(admin) == []
    assert tab.evaluate("() => mw.user.getName()") == "Alice"
