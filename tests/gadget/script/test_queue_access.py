"""The queue as axe-core sees it, in its states and looks; and hostile words in it."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Dialog, Page

from tests.gadget.script.backend import Backend, problem, serve_backend
from tests.gadget.script.cards import card, comparison, update
from tests.gadget.script.desk import ENTRIES, Shelf, sit_down
from tests.gadget.script.payloads import hostile_words
from tests.rig.axe import violations

pytestmark = pytest.mark.browser

_WITHIN = ".sidenote-queue, .sidenote-dialog"
_LOOKS: list[tuple[str, str, dict[str, Any]]] = [
    ("en", "", {}),
    ("ar", "skin-theme-clientpref-night", {"viewport": {"width": 390, "height": 800}}),
]


def _walking(tab: Page) -> None:
    tab.keyboard.press("d")


def _keys(tab: Page) -> None:
    tab.keyboard.press("?")


def _comparing(tab: Page) -> None:
    tab.locator(".sidenote-queue__modes button").nth(1).click()
    tab.wait_for_selector(".sidenote-queue__sides")


def _judging(tab: Page) -> None:
    tab.locator(".sidenote-queue__modes button").nth(2).click()
    tab.wait_for_selector(".sidenote-queue__review")
    tab.keyboard.press("r")


def _signing_in(tab: Page) -> None:
    tab.locator(".sidenote-queue__notice .cdx-button").click()
    tab.wait_for_selector(".sidenote-dialog__error")


def _as_it_is(_: Page) -> None:
    pass


@pytest.fixture(scope="module")
def backend() -> Iterator[Backend]:
    with serve_backend(*ENTRIES) as served:
        yield served


@pytest.mark.parametrize("state", _LOOKS, ids=["light", "dark-rtl-phone"])
def test_every_state_is_without_violations(
    chromium: Browser, backend: Backend, state: tuple[str, str, dict[str, Any]]
) -> None:
    language, theme, settings = state
    served = Shelf([card(1), update(2)])
    states: list[tuple[Any, Callable[[Page], None], bool]] = [
        (served, _walking, True),
        (served, _keys, True),
        (served, _comparing, True),
        (served, _judging, True),
        (Shelf([]), _as_it_is, True),
        (problem(503, "out-of-reach", "Away."), _as_it_is, True),
        (served, _signing_in, False),
    ]
    backend.language, backend.theme = language, theme
    # What differs in the dark, from right to left and on a phone are the cards.
    with chromium.new_context(**settings) as context:
        for plan, act, is_signed_in in states if not theme else states[:4]:
            tab = context.new_page()
            answer = plan if callable(plan) else lambda _, answer=plan: answer
            sit_down(tab, backend, answer, is_signed_in=is_signed_in)
            act(tab)
            assert violations(tab, _WITHIN) == [], f"{act.__name__} in {language}"
            tab.evaluate("() => localStorage.clear()")
            tab.close()


_POISON = """async given => {
    const known = /^(id|class|lang|dir|title|role|type|tabindex|rel|target|datetime|open|hidden|href|name|value|max|disabled|aria-[a-z]+|d|viewBox|width|height|focusable)$/;
    const S = window.sidenote, place = document.getElementById( 'place' );
    // Each field has other words, and each payload comes to many fields.
    const poisoned = ( value, next ) => Array.isArray( value ) ?
        value.map( ( each ) => poisoned( each, next ) ) :
        value && typeof value === 'object' ?
            Object.fromEntries( Object.keys( value ).map( ( key ) => [ key, poisoned( value[ key ], next ) ] ) ) :
            typeof value === 'string' ? next() : value;
    const shape = () => Array.from( place.querySelectorAll( '*' ), ( each ) => each.localName )
        .join( ' ' ).replace( /\\ba\\b/g, 'span' );
    const show = async ( entry, next ) => {
        const api = {
            queue: () => Promise.resolve( { cards: [ Object.assign( poisoned( given.card, next ), { id: 'a1' } ) ], next: null, total: 1 } ),
            comparison: () => Promise.resolve( poisoned( given.pair, next ) )
        };
        S[ entry ].open( {
            mw, api, actions: {}, here: next(), root: place, announce() {}, leave() {}, restart() {},
            signIn: () => Promise.resolve()
        } ).start();
        for ( let turn = 0; turn < 8; turn++ ) {
            await null;
        }
        return shape();
    };
    const faults = [];
    for ( const entry of [ 'walk_mode', 'compare_mode', 'review_mode' ] ) {
        let used = 0, plain = 0;
        const harmless = await show( entry, () => 'word ' + plain++ );
        if ( harmless.length < 50 ) {
            faults.push( entry + ' showed nothing' );
        }
        while ( used < given.payloads.length * given.times ) {
            const first = used;
            const made = await show( entry, () => given.payloads[ used++ % given.payloads.length ] );
            if ( made !== harmless ) {
                faults.push( entry + ' elements, from payload ' + first + ': ' + made + ' ≠ ' + harmless );
            }
            place.querySelectorAll( '*' ).forEach( ( each ) => {
                for ( const one of each.attributes ) {
                    if ( !known.test( one.name ) || one.name === 'href' && !/^https?:/.test( one.value ) ) {
                        faults.push( each.localName + ' ' + one.name + '=' + one.value );
                    }
                }
            } );
        }
    }
    return faults.slice( 0, 5 );
}"""
_MODES = ("walk_mode.js", "compare_mode.js", "review_mode.js")


def test_every_payload_in_every_field_stays_words(chromium: Browser) -> None:
    payloads = hostile_words()
    assert len(payloads) > 2_000
    fields = {
        "card": update(2).model_dump(mode="json"),
        "pair": comparison(),
        "payloads": payloads,
        "times": 5,
    }
    statements: list[str] = []
    dialogs: list[str] = []

    def note(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    with serve_backend(*_MODES) as served:
        tab = chromium.new_page()
        tab.goto(f"{served.address}/page")
        tab.on("request", lambda request: statements.append(request.url))
        tab.on("dialog", note)
        faults = tab.evaluate(_POISON, fields)
        tab.wait_for_timeout(200)  # for what a payload might have begun

        assert (faults, dialogs, statements, served.strays) == ([], [], [], [])
        assert tab.evaluate("() => location.pathname") == "/page"
        tab.close()
