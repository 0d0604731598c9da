"""Hostile words in every field of a card: nothing opens, nothing is made of them or asked."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Dialog

from tests.gadget.script.answers import answer, every_kind, unchecked
from tests.gadget.script.backend import Backend, serve_backend
from tests.gadget.script.payloads import hostile_words

pytestmark = pytest.mark.browser

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
