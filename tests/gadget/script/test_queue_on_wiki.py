"""The queue and a reader's own choices on a real MediaWiki."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from bot.demo.loopback.wiki.serving import Wiki
from gadget.bundle import bundle, stylesheet
from gadget.payloads.cards import Card, Edit, EditKind
from tests.bot.writing.people import PASSWORD
from tests.gadget.script.cards import card, claim_shown
from tests.rig.wiki.pages import CLOCK

pytestmark = [pytest.mark.browser, pytest.mark.mediawiki]

CLAIM = "The clock was built in 1874 by Ada Penrose."
MODULES = "[ 'mediawiki.api', 'mediawiki.storage', 'mediawiki.util', 'codex-styles' ]"
OPEN = """card => {
    const { actions, queue } = window.sidenote;
    const identity = { token: () => 't', user: () => 'Alice', onChange() {}, signIn: () => Promise.reject(), who: () => Promise.resolve( null ) };
    const cards = [ Object.assign( card, { wiki: location.host } ) ];
    const api = { queue: () => Promise.resolve( { cards, next: null, total: 1 } ) };
    queue.open( {
        mw, api, identity, wiki: location.host, root: document.getElementById( 'mw-content-text' ),
        actions: actions.create( { mw, api, identity, wiki: location.host } )
    } );
}"""
STOP = """() => {
    const page = { wiki: location.host, title: 'Eastmere', revision: 1 };
    const acts = window.sidenote.actions.create( { mw, page, api: null, identity: { token: () => null } } );
    const before = acts.isStopped();
    return acts.stopHere().then( () => [ before, acts.isStopped() ] );
}"""


@pytest.fixture
def tab(wiki: Wiki, chromium: Browser) -> Iterator[Page]:
    wiki.reset()
    context = chromium.new_context(viewport={"width": 1200, "height": 1000})
    page = context.new_page()
    page.goto(f"http://{wiki.host}/w/index.php?title=Special:UserLogin")
    page.fill("#wpName1", "Alice")
    page.fill("#wpPassword1", PASSWORD)
    page.click("#wpLoginAttempt")
    page.wait_for_selector("#pt-userpage, #pt-userpage-2")
    yield page
    context.close()


def go(tab: Page, wiki: Wiki, title: str) -> None:
    tab.goto(f"http://{wiki.host}/wiki/{title}")
    tab.wait_for_function("!!( window.mw && mw.loader && mw.loader.using )")
    tab.evaluate(f"() => mw.loader.using( {MODULES} ).then( () => null )")
    styles = ["cards.css", "panel.css", "dialog.css", "queue.css"]
    tab.add_style_tag(content=stylesheet("own.css", styles))
    for entry in ("actions.js", "queue.js"):
        tab.add_script_tag(content=bundle(entry, {"bot": "SidenoteBot"}))


def card_of_the_clock(revision: int) -> Card:
    before = "by Ada Penrose."
    old = '<ref name="guide" />'
    assert before + old in CLOCK
    change = Edit(
        id="e1",
        kind=EditKind.TAG,
        label="Failed verification",
        section=1,
        before=before,
        old=old,
        new=old + "{{Failed verification}}",
        after=" A storm",
    )
    shown = claim_shown(CLAIM).model_copy(update={"section": ["History"]})
    clock_card = card().made.model_copy(update={"revision": revision})
    return card(
        1,
        claim=shown,
        title="Harbour Clock of Eastmere",
        edits=[change],
        made=clock_card,
    )


def test_a_suggestion_is_read_in_its_paragraph_and_edited_in_a_tab_of_its_own(
    wiki: Wiki, tab: Page
) -> None:
    go(tab, wiki, "Special:BlankPage/sidenote")
    revision = wiki.revisions["Harbour Clock of Eastmere"][-1]
    tab.evaluate(OPEN, card_of_the_clock(revision).model_dump(mode="json"))

    around = tab.locator(".sidenote-queue__context")
    expect(around).to_have_text(f"{CLAIM} A storm stopped it in 1911.")
    expect(around.locator("mark")).to_have_text(CLAIM)
    link = tab.get_by_role("link", name="Harbour Clock of Eastmere").first
    expect(link).to_have_attribute(
        "href",
        f"http://{wiki.host}/w/index.php?title=Harbour+Clock+of+Eastmere#History",
    )
    with tab.context.expect_page() as popup:
        tab.keyboard.press("e")
    form = popup.value
    form.wait_for_selector("#wikiPreview .mw-parser-output")
    assert "{{Failed verification}} A storm" in form.input_value("#wpTextbox1")
    expect(tab.locator(".sidenote-queue__progress span")).to_have_text("1 of 1")


def test_a_page_is_stopped_in_the_readers_own_preferences(
    wiki: Wiki, tab: Page
) -> None:
    go(tab, wiki, "Eastmere")
    assert tab.evaluate(STOP) == [False, True]

    go(tab, wiki, "Eastmere")

    options: Any = tab.evaluate(
        "JSON.parse( mw.user.options.get( 'userjs-sidenote' ) )"
    )
    assert options["stopped"] == ["Eastmere"]
