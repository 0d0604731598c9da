"""The panel for everybody, and under attack: axe finds nothing, hostile words stay words."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Dialog, expect

from tests.gadget.script.answers import (
    ARTICLE,
    FIRST,
    SECOND,
    answer,
    card,
    claim,
    every_kind,
    unchecked,
)
from tests.gadget.script.backend import Backend, Reply, problem, serve_backend
from tests.gadget.script.panel_page import PHONE, Opened, article, open_panel
from tests.gadget.script.payloads import hostile_words
from tests.rig.axe import violations

pytestmark = pytest.mark.browser

_NIGHT = "document.documentElement.classList.add('skin-theme-clientpref-night')"
_FULL = answer(outdated=1, unchecked=[unchecked()])
_LOST = card(1, claim=claim("Not one of these words stands on that page.", ""))


def _faults(view: Opened) -> list[str]:
    # What moves has no colour yet.
    view.page.wait_for_function(
        "() => document.getAnimations().every( each => each.playState !== 'running')"
    )
    return violations(view.page, ".sidenote-panel, .sidenote-dialog")


@pytest.mark.parametrize(
    ("language", "theme", "context"),
    [
        ("en", "", {}),
        ("en", "skin-theme-clientpref-night", {}),
        ("ar", "", {}),
        ("en", "", {"viewport": PHONE, "has_touch": True, "is_mobile": True}),
        ("en", "", {"forced_colors": "active"}),
        ("en", "", {"color_scheme": "dark"}),
    ],
    ids=["light", "dark", "right-to-left", "phone", "forced-colours", "dark-by-system"],
)
def test_cards_with_everything_open_are_without_violations(
    chromium: Browser,
    backend_of_panel: Backend,
    language: str,
    theme: str,
    context: dict[str, Any],
) -> None:
    backend_of_panel.language, backend_of_panel.theme = language, theme
    with article(
        chromium,
        backend_of_panel,
        reply=_FULL,
        signed_in=False,
        reduced_motion="reduce",
        **context,
    ) as view:
        view.cards.first.wait_for()
        foot = view.cards.first.locator(".sidenote-acts__row").last.locator("button")
        for chip in view.panel.locator(".sidenote-chip[aria-pressed=false]").all():
            chip.click()
        for folded in view.panel.locator("summary").all():
            if folded.is_visible():
                folded.click()
        foot.nth(1).click()  # fails, as nobody is signed in
        expect(view.panel.locator(".sidenote-trouble svg")).to_have_count(1)
        assert _faults(view) == []

        foot.first.click()
        assert _faults(view) == []
        view.page.keyboard.press("Escape")
        view.cards.first.locator(".sidenote-menu button").first.click()
        assert _faults(view) == []


def _asks(view: Opened) -> None:
    view.page.keyboard.press("?")
    view.page.get_by_role("dialog").wait_for()


def _decides(view: Opened) -> None:
    view.button("Agree").first.click()
    view.button("Reviewed (1)").click()


def _stops(view: Opened) -> None:
    view.cards.first.locator(".sidenote-menu button").first.click()
    view.page.get_by_role("menuitem", name="Turn off notes").click()


@pytest.mark.parametrize(
    ("response", "does"),
    [
        (answer([]), None),
        (answer([], last_check=None), None),
        (problem(400, "bad-request", "`title` is missing."), None),
        (problem(429, "too-many", "Too many.", 600), None),
        (answer([_LOST]), None),
        (answer(), _asks),
        (answer(), _decides),
        (answer(), _stops),
    ],
    ids=["empty", "never", "fault", "busy", "missing", "keys", "decided", "stopped"],
)
def test_each_state_is_without_violations(
    chromium: Browser,
    backend_of_panel: Backend,
    response: dict[str, Any] | Reply,
    does: Callable[[Opened], None] | None,
) -> None:
    with article(
        chromium, backend_of_panel, reply=response, reduced_motion="reduce"
    ) as view:
        view.panel.locator(".sidenote-state, .sidenote-card").first.wait_for()
        if does:
            does(view)
        assert _faults(view) == []
        view.page.evaluate(_NIGHT)
        assert _faults(view) == []


def test_keys_walk_from_note_to_note_and_leave_the_wiki_its_own(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    with article(chromium, backend_of_panel) as view:
        expect(view.cards).to_have_count(3)
        press = view.page.keyboard.press

        press("n")
        press("n")
        assert view.highlighted() == [SECOND]
        assert "Not supported by the source" in view.focused()
        press("Control+n")  # the browser's own
        press("p")
        assert view.highlighted() == [FIRST]

        press("?")
        expect(view.page.get_by_role("dialog")).to_contain_text("Next note")
        press("Escape")
        expect(view.page.get_by_role("dialog")).to_have_count(0)
        press("Escape")
        expect(view.panel).to_have_count(0)
        assert view.focused() == "Source notes"
        assert view.highlighted("sidenote") == []


def test_a_note_is_dismissed_and_brought_back_by_keyboard_alone(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    with article(chromium, backend_of_panel) as view:
        press = view.page.keyboard.press
        view.button("Dismiss").first.focus()
        press("Enter")
        assert view.focused() == "The source says it"
        press("Escape")
        assert view.focused() == "Dismiss"
        press("Enter")
        press("Tab")
        press("Enter")  # the second reason

        confirmation = "Dismissed: The wrong source was read. Thank you."
        expect(view.panel.get_by_text(confirmation)).to_be_visible()
        sent = backend_of_panel.of("/decisions")[0]
        assert sent.body["reason"] == "wrong source read"
        assert sent.headers["authorization"] == "Bearer a-token"
        expect(view.cards).to_have_count(2)
        assert view.highlighted() == [SECOND]
        assert "Not supported by the source" in view.focused()

        press("u")
        expect(view.cards).to_have_count(3)
        assert backend_of_panel.requests[-1].method == "DELETE"
        assert "Contradicted by the source" in view.focused()


def test_what_is_put_in_is_copied_and_the_menu_goes_by_arrows(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    with article(
        chromium,
        backend_of_panel,
        permissions=["clipboard-read", "clipboard-write"],
    ) as view:
        opener = view.cards.nth(1).get_by_role("button", name="More for: Its bell")
        opener.focus()
        view.page.keyboard.press("Enter")
        assert opener.get_attribute("aria-expanded") == "true"
        assert view.focused() == "Copy citation"
        view.page.keyboard.press("ArrowDown")
        assert view.focused() == "Turn off notes on this page"
        view.page.keyboard.press("ArrowUp")
        view.page.keyboard.press("Enter")

        expect(view.cards.nth(1)).to_contain_text("Copied.")
        copied = view.page.evaluate("() => navigator.clipboard.readText()")
        assert copied == "{{cite journal |title=Bells of the North Coast}}"
        assert view.focused().startswith("More for: Its bell")


def test_beside_an_article_of_the_other_direction_no_line_loses_its_beginning(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    backend_of_panel.language = "ar"
    html = f'<div dir="ltr">{ARTICLE}</div>'
    notes = answer([card(1, claim=claim("$300 million", "$300 million"))])
    with article(chromium, backend_of_panel, reply=notes, html=html) as view:
        box = view.panel.bounding_box()
        lines = view.page.locator(".mw-parser-output").bounding_box()
        assert box
        assert lines
        assert box["x"] == 0  # the end of the page around it
        assert lines["x"] >= box["width"]

        words = view.panel.locator(".sidenote-claim")
        assert words.evaluate("node => getComputedStyle(node).direction") == "ltr"


def test_on_a_phone_it_is_a_sheet_with_one_note_at_a_time(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    with article(
        chromium, backend_of_panel, viewport=PHONE, has_touch=True, is_mobile=True
    ) as view:
        expect(view.cards).to_have_count(1)
        box = view.panel.bounding_box()
        assert (box["x"], box["width"], box["y"] + box["height"]) == (0, 390, 760)

        view.button("Next note").tap()
        expect(view.cards).to_contain_text("Not supported by the source")
        assert view.highlighted() == [SECOND]
        expect(view.panel.get_by_role("status").first).to_contain_text("Note 2 of 3.")
        view.button("Make the notes larger").tap()
        expect(view.button("Make the notes smaller")).to_have_attribute(
            "aria-expanded", "true"
        )
        small = view.panel.get_by_role("button").evaluate_all(
            """all => all.filter( ( each ) => each.getClientRects().length &&
                each.getBoundingClientRect().height < 44 ).map( ( each ) => each.innerText )"""
        )
        assert small == []


def test_enter_on_a_note_opens_the_passage_of_its_source(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    with article(chromium, backend_of_panel) as view:
        expect(view.cards).to_have_count(3)
        view.page.context.route(
            "https://quay.example/**", lambda one: one.fulfill(body="A guide.")
        )
        view.page.keyboard.press("n")
        with view.page.context.expect_page() as popup:
            view.page.keyboard.press("Enter")

        popup.value.wait_for_url("https://quay.example/**")
        expect(view.panel).to_be_visible()


def test_a_change_that_cannot_be_filled_in_is_shown_and_the_focus_comes_back(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    with article(chromium, backend_of_panel) as view:
        view.button("Add {{Failed verification}}").first.click()

        # No wiki is here to edit: what would be put in is shown instead.
        put_in = view.page.get_by_role("dialog")
        expect(put_in).to_contain_text("<ref>a</ref>{{Failed verification}}")
        view.page.keyboard.press("Escape")
        expect(put_in).to_have_count(0)
        expect(view.panel).to_be_visible()
        assert "Failed verification" in view.focused()


def test_the_sheet_follows_the_finger(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    with article(
        chromium, backend_of_panel, viewport=PHONE, reduced_motion="reduce"
    ) as view:
        expect(view.cards).to_have_count(1)
        handle = view.button("Make the notes larger")
        box = handle.bounding_box()
        mouse, x, y = view.page.mouse, box["x"] + 60, box["y"] + 10

        mouse.move(x, y)
        mouse.down()
        mouse.move(x, y - 120)
        mouse.up()
        expect(view.button("Make the notes smaller")).to_be_visible()

        for _ in range(2):  # from large to small, and away
            now = view.panel.locator(".sidenote-handle").bounding_box()
            mouse.move(x, now["y"] + 10)
            mouse.down()
            mouse.move(x, now["y"] + 150)
            mouse.up()
        expect(view.panel).to_have_count(0)


def test_a_browser_without_highlights_gets_boxes_that_let_clicks_through(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    with article(chromium, backend_of_panel, opens=False) as view:
        view.page.evaluate(
            "() => Object.defineProperty( CSS, 'highlights', { value: undefined } )"
        )
        open_panel(view.page)
        expect(view.cards).to_have_count(3)

        boxes = view.page.locator(".sidenote-box")
        expect(boxes.nth(2)).to_be_attached()
        expect(view.page.locator(".sidenote-box--focus").first).to_be_attached()
        view.page.get_by_role("link", name="Ada Penrose").click(trial=True)
        view.page.keyboard.press("Escape")
        expect(boxes).to_have_count(0)


_RENDER = """given => {
    const known = /^(id|class|lang|dir|title|role|type|tabindex|rel|target|datetime|open|hidden|href|aria-[a-z]+|d|viewBox|width|height|focusable)$/;
    const place = document.getElementById( 'place' );
    // A link that leads nowhere is plain words; else the same elements come of any words.
    const shape = ( made ) => Array.from( made.querySelectorAll( '*' ), ( each ) => each.localName )
        .join( ' ' ).replace( /\\ba\\b/g, 'span' );
    const poisoned = ( value, words ) => {
        if ( Array.isArray( value ) ) {
            return value.map( ( each ) => poisoned( each, words ) );
        }
        if ( value && typeof value === 'object' ) {
            return Object.keys( value ).reduce( ( all, key ) => {
                all[ key ] = poisoned( value[ key ], words );
                return all;
            }, {} );
        }
        return typeof value === 'string' ? words : value;
    };
    const make = ( words ) => given.cards.map( ( card ) => {
        const made = window.sidenote.cards.render( poisoned( card, words ), { onAction: () => {}, menu: [ 'stop' ], page: words } );
        made.querySelector( '.sidenote-menu button' ).click();
        return made;
    } ).concat( window.sidenote.unchecked.render( poisoned( given.unchecked, words ), {} ) );
    const harmless = make( 'word' ).map( shape );
    const faults = [];
    given.payloads.forEach( ( words ) => {
        const made = make( words );
        place.replaceChildren( ...made );
        made[ made.length - 1 ].open = true;
        made.forEach( ( each, index ) => {
            if ( shape( each ) !== harmless[ index ] ) {
                faults.push( 'elements: ' + words );
            }
        } );
        place.querySelectorAll( '*' ).forEach( ( each ) => {
            for ( const one of each.attributes ) {
                if ( !known.test( one.name ) || one.name === 'href' && !/^https?:/.test( one.value ) ) {
                    faults.push( each.localName + ' ' + one.name + '=' + one.value );
                }
            }
        } );
    } );
    return faults.slice( 0, 5 );
}"""


@pytest.fixture(scope="module")
def cards_backend() -> Iterator[Backend]:
    with serve_backend("cards.js", "unchecked.js") as served:
        yield served


def test_every_payload_in_every_field_stays_words(
    chromium: Browser, cards_backend: Backend
) -> None:
    payloads = hostile_words()
    assert len(payloads) > 2_000
    given: dict[str, Any] = {
        "cards": [each.model_dump(mode="json") for each in every_kind()[1:3]],
        "unchecked": answer([], unchecked=[unchecked()])["unchecked"],
        "payloads": payloads,
    }

    def noted(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    page = chromium.new_page()
    statements: list[str] = []
    dialogs: list[str] = []
    page.goto(f"{cards_backend.address}/page")
    page.on("request", lambda request: statements.append(request.url))
    page.on("dialog", noted)

    faults = page.evaluate(_RENDER, given)
    page.wait_for_timeout(200)  # for what a payload might have begun

    assert (faults, dialogs, statements, cards_backend.strays) == ([], [], [], [])
    assert page.evaluate("() => location.pathname") == "/page"
    page.close()
