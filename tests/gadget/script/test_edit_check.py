"""The notes in VisualEditor, against a strict stand-in of its Edit Check of 2026.

The stand-in has of `mw.editcheck` what a check is promised: the factory, the base class,
the action, and a document that finds words. The editor of MediaWiki 1.43 itself is tried
in `tests/test_panel_live.py`.
"""

import pytest
from playwright.sync_api import Browser

from gadget.payloads.cards import MessageShown
from tests.gadget.script.answers import FIRST, SECOND, answer, card, claim
from tests.gadget.script.backend import Backend
from tests.gadget.script.panel_page import article
from tests.gadget.script.test_changes import changed

pytestmark = pytest.mark.browser
_LOST = "Not one of these words stands on that page."
_EDITOR = """sentences => {
    const text = sentences.join( ' ' );
    window.OO = { inheritClass( child, parent ) {
        child.prototype = Object.create( parent.prototype );
        child.prototype.constructor = child;
        child.static = Object.create( parent.static );
        child.super = parent;
    } };
    window.$ = ( node ) => ( { 0: node } );
    class EditCheckAction {
        constructor( config ) {
            if ( !config.check || !config.fragments.length || !config.choices.length ) {
                throw new Error( 'an action needs check, fragments and choices' );
            }
            Object.assign( this, config );
        }
    }
    function BaseEditCheck( controller, config, includeSuggestions ) {
        Object.assign( this, { controller, config, includeSuggestions } );
    }
    BaseEditCheck.static = { defaultConfig: { maximumEditCount: 100 }, choices: [] };
    BaseEditCheck.prototype.act = function ( choice, action ) {
        this.controller.dismissed.push( action.id );
    };
    const registry = {};
    const factory = {
        lookup: ( name ) => registry[ name ],
        register( constructor, name ) {
            if ( !( constructor.prototype instanceof BaseEditCheck ) || registry[ name ] ) {
                throw new Error( 'not a check, or registered twice' );
            }
            registry[ name ] = constructor;
        }
    };
    const controller = { surface: {}, dismissed: [], refreshed: 0, refresh() {
        this.refreshed += 1;
    } };
    mw.editcheck = {
        BaseEditCheck, EditCheckAction, editCheckFactory: factory,
        Controller() {}, suggestionsModeAvailable: true
    };
    window.ve = { init: { target: { editcheckController: controller } } };
    const surface = {
        getDocument: () => ( { findText: ( query ) => Array.from(
            text.matchAll( query ), ( found ) => ( { start: found.index, end: found.index + found[ 0 ].length } )
        ) } ),
        getLinearFragment: ( range ) => ( { getText: () => text.slice( range.start, range.end ) } )
    };
    window.shown = ( isSuggestion ) => {
        const Check = registry.sidenote;
        const check = new Check( controller, Check.static.defaultConfig, isSuggestion );
        return check.canBeShown( surface.getDocument(), isSuggestion ) ? check.onDocumentChange( surface ) : [];
    };
    window.controller = controller;
    window.edit = ( page ) => window.sidenote.panel_gadget.editor( { mw, page } );
}"""
_SHOWN = """is => window.shown( is ).map( ( one ) => [
    one.fragments[ 0 ].getText(), one.title, one.message[ 0 ].innerText, one.choices.map( ( each ) => each.label )
] )"""


def test_a_note_is_a_suggestion_in_the_editor_until_it_is_dismissed(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    notes = answer(
        [
            card(1),
            card(2, verdict="not supported", claim=claim(SECOND, "nine miles")),
            card(3, claim=claim(_LOST, "")),
            card(4, is_flagged=False),
        ]
    )
    with article(chromium, backend_of_panel, reply=notes, opens=False) as view:
        page = view.page
        # The editor has a footnote as one character, and spaces that do not break.
        edited = FIRST.replace("built in 1874", "built in\u00a01874\ufffc")
        page.evaluate(_EDITOR, [edited, "It is so.", SECOND])
        settings = {"wiki": "w.example", "title": "T", "revision": 1}
        page.evaluate("page => window.edit( page )", settings)
        page.wait_for_function("() => window.controller.refreshed")

        first, second = page.evaluate(_SHOWN, True)
        assert first[:2] == [edited, "Contradicted by the source"]
        assert "1847 by her father" in first[2]
        assert "Open the passage" in first[2]
        assert "Right about 9 times in 10" in first[2]
        assert second[:2] == [SECOND, "Not supported by the source"]
        assert second[3] == ["Dismiss"]
        assert page.evaluate(_SHOWN, False) == []  # nobody has just written it

        page.evaluate(
            "() => { const one = window.shown( true )[ 0 ]; one.check.act( 'dismiss', one ); }"
        )
        assert [each[0] for each in page.evaluate(_SHOWN, True)] == [SECOND]
        page.evaluate("page => window.edit( page )", settings)  # opened once more
        page.wait_for_function("() => window.controller.refreshed === 2")
        assert [each[0] for each in page.evaluate(_SHOWN, True)] == [SECOND]


def test_an_editor_without_checks_is_left_alone(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    with article(chromium, backend_of_panel, opens=False) as view:
        view.page.evaluate(
            "page => window.sidenote.panel_gadget.editor( { mw, page } )",
            {"wiki": "w.example", "title": "T", "revision": 1},
        )

        assert backend_of_panel.of("/suggestions") == []


def test_a_quote_that_decides_nothing_is_not_what_the_source_says(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    one = changed()
    assert one.note
    nearest = MessageShown(key="label-nearest", english="Nearest passage")
    note = one.note.model_copy(update={"quoted_as": nearest})
    notes = answer([one.model_copy(update={"note": note})])
    with article(chromium, backend_of_panel, reply=notes, opens=False) as view:
        view.page.evaluate(_EDITOR, [one.claim.text])
        settings = {"wiki": "w.example", "title": "T", "revision": 1}
        view.page.evaluate("page => window.edit( page )", settings)
        view.page.wait_for_function("() => window.controller.refreshed")

        [shown] = view.page.evaluate(_SHOWN, True)
        assert "Nearest passage" in shown[2]
        assert "The source says" not in shown[2]
