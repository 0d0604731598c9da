"""The queue: a key a decision, without violations, and hostile words in it stay words."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Dialog, Page, expect

from tests.gadget.script.backend import Backend, Reply, problem, serve_backend
from tests.gadget.script.cards import card, comparison, update, writing
from tests.gadget.script.desk import ENTRIES, OPEN, TOKEN, Shelf, sit_down, where
from tests.gadget.script.payloads import hostile_words
from tests.rig.axe import violations

pytestmark = pytest.mark.browser

CARDS = [card(number) if number % 2 else update(number) for number in range(1, 42)]


@pytest.fixture(scope="module")
def backend() -> Iterator[Backend]:
    with serve_backend(*ENTRIES) as served:
        yield served


@pytest.fixture
def tab(chromium: Browser, backend: Backend) -> Iterator[Page]:
    backend.language, backend.theme = "en", ""
    context = chromium.new_context()
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    context.close()
    assert errors == []


def press(tab: Page, *keys: str) -> None:
    for key in keys:
        tab.keyboard.press(key)


def stands_at(tab: Page, text: str) -> None:
    expect(tab.locator(".sidenote-queue__progress span")).to_have_text(text)


def says(tab: Page, text: str) -> None:
    expect(tab.get_by_role("status").filter(has_text=text)).to_have_count(1)


def test_all_suggestions_are_walked_through_by_keyboard(
    tab: Page, backend: Backend
) -> None:
    api = Shelf(CARDS)
    sit_down(tab, backend, api)
    assert where(tab) == "1 of 41"
    expect(tab.locator("h2")).to_be_focused()
    expect(tab.locator("h2")).to_contain_text("Harbour Clock of Eastmere 1")

    press(tab, "a")
    stands_at(tab, "2 of 41")
    says(tab, "You agreed with this note.")
    press(tab, "d", "3")
    stands_at(tab, "3 of 41")
    press(tab, "n")
    stands_at(tab, "4 of 41")
    press(tab, "p")
    stands_at(tab, "3 of 41")
    press(tab, "u")  # the last decision, which was about the second
    stands_at(tab, "2 of 41")
    says(tab, "Undone.")

    assert [body["kind"] for body in api.decided.values()] == ["accept"]
    sent = [
        request.body for request in backend.of("/decisions") if request.method == "POST"
    ]
    assert sent[1] == {
        "wiki": "en.wikipedia.org",
        "identity": CARDS[1].id,
        "kind": "dismiss",
        "reason": "not worth it",
        "revision": 12,
    }
    for number in range(3, 42):
        press(tab, "n")
        stands_at(tab, f"{number} of 41")
    press(tab, "n")
    expect(tab.locator("h2")).to_have_text("You’re done: 41 notes")
    expect(tab.locator("h2")).to_be_focused()
    expect(tab.locator(".sidenote-queue")).to_contain_text("You decided on 1 of them.")
    assert len(backend.of("/queue")) == 3  # in parts, each once
    press(tab, "p")
    stands_at(tab, "41 of 41")


def test_a_note_about_the_wording_is_put_away_by_keyboard(
    tab: Page, backend: Backend
) -> None:
    api = Shelf([writing(1), card(2)])
    sit_down(tab, backend, api)

    press(tab, "d", "1")

    stands_at(tab, "2 of 2")
    [decided] = api.decided.values()
    assert decided["reason"] == "source says it"
    press(tab, "p")
    expect(tab.locator(".sidenote-decided")).to_contain_text("It is fine as it is")


def test_keys_are_left_alone_with_modifiers_in_fields_and_when_switched_off(
    tab: Page, backend: Backend
) -> None:
    api = Shelf(CARDS)
    sit_down(tab, backend, api)

    press(tab, "Control+a", "Alt+a", "Meta+n", "Control+d")
    tab.evaluate("document.body.append( document.createElement( 'textarea' ) )")
    tab.focus("textarea")
    press(tab, "a", "n")
    tab.evaluate("document.querySelector( 'textarea' ).remove()")
    assert (where(tab), api.decided) == ("1 of 41", {})

    press(tab, "?")
    dialog = tab.get_by_role("dialog", name="Keys")
    press(tab, "n", "Space", "Escape")
    expect(dialog).to_have_count(0)
    press(tab, "n", "a")
    assert (where(tab), api.decided) == ("1 of 41", {})


def test_a_keyboard_of_another_script_has_the_same_keys(
    tab: Page, backend: Backend
) -> None:
    sit_down(tab, backend, Shelf(CARDS))
    arabic = "document.dispatchEvent( new KeyboardEvent( 'keydown', { key: 'ى', code: 'KeyN', bubbles: true } ) )"

    tab.evaluate(arabic)

    stands_at(tab, "2 of 41")


def test_a_token_that_ends_in_the_middle_loses_nothing(
    tab: Page, backend: Backend
) -> None:
    api = Shelf(CARDS)
    sit_down(tab, backend, api)
    press(tab, "n")
    stands_at(tab, "2 of 41")
    api.is_signed_out = True

    press(tab, "a")

    expect(tab.locator(".sidenote-card").get_by_role("alert")).to_be_visible()
    again = tab.get_by_role("button", name="Sign in")
    expect(again).to_be_focused()
    assert tab.evaluate("localStorage.getItem( 'sidenote-token' )") is None
    expect(tab.locator(".sidenote-queue__who")).to_be_empty()
    assert where(tab) == "2 of 41"


def test_a_decision_that_did_not_arrive_is_sent_again_under_the_same_key(
    tab: Page, backend: Backend
) -> None:
    api = Shelf(CARDS)
    sit_down(tab, backend, api)
    backend.plan = lambda request: (
        Reply(200, raw=b"{", is_cut=True) if request.method == "POST" else api(request)
    )
    press(tab, "a")
    again = tab.get_by_role("button", name="Try again")
    expect(again).to_be_focused()
    backend.plan = api

    press(tab, "Enter")

    stands_at(tab, "2 of 41")
    keys = [request.headers["idempotency-key"] for request in backend.of("/decisions")]
    assert len(keys) == 2
    assert len(set(keys)) == 1


@pytest.mark.parametrize(
    ("answer", "text", "button"),
    [
        (problem(429, "too-many", "Slower.", 2), "Try again in 2 seconds", None),
        (
            problem(503, "out-of-reach", "The wiki is away."),
            "The wiki is away",
            "Try again",
        ),
        (problem(409, "key-reused", "Another body."), "Another body", "Try again"),
        (
            problem(403, "refused", "English.", reason=("refusal-not-set", "x")),
            "This was refused: English.",
            "Try again",
        ),
        (Reply(200, raw=b"<html>"), "Something went wrong", "Try again"),
        (Reply(200, raw=b"{", is_cut=True), "cannot be reached", "Try again"),
        (problem(401, "signed-out", "Sign in."), "You are not signed in", "Sign in"),
    ],
)
def test_what_failed_is_said_with_what_to_do(
    tab: Page, backend: Backend, answer: Reply, text: str, button: str | None
) -> None:
    sit_down(tab, backend, lambda _: answer)
    expect(tab.get_by_role("alert")).to_contain_text(text)
    if button:
        expect(tab.get_by_role("button", name=button, exact=True)).to_be_focused()
        return
    backend.plan = Shelf(CARDS)
    again = tab.get_by_role("button", name="Try again")
    expect(again).to_be_disabled()
    expect(tab.get_by_role("alert")).to_contain_text("in 1 second.")
    expect(again).to_be_enabled()
    again.click()
    stands_at(tab, "1 of 41")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "You are signed in on a.example. Sign in on b.example."),
        ("de", "Du bist auf a.example angemeldet. Melde dich auf b.example an."),
        (
            "ar",
            "سُجّل الدخول في \u2068a.example\u2069."
            " يُرجى تسجيل الدخول في \u2068b.example\u2069.",
        ),
    ],
)
def test_why_something_was_refused_is_said_in_the_readers_language(
    tab: Page, backend: Backend, language: str, text: str
) -> None:
    why = ("refusal-other-wiki", "a.example", "b.example")
    refused = problem(403, "refused", "In English.", reason=why)
    backend.language = language
    sit_down(tab, backend, lambda _: refused)
    backend.language = "en"

    expect(tab.get_by_role("alert").locator("span").nth(1)).to_have_text(text)


def test_hostile_values_of_a_refusal_stay_words(tab: Page, backend: Backend) -> None:
    markup, braces = "<img src=x onerror=alert(1)>", "$1 $& {{PLURAL:$1|a|b}} [[c]]"
    why = ("refusal-other-wiki", markup, braces)
    refused = problem(403, "refused", "In English.", reason=why)
    sit_down(tab, backend, lambda _: refused)

    alert = tab.get_by_role("alert")
    expect(alert.locator("span").nth(1)).to_have_text(
        f"You are signed in on {markup}. Sign in on {braces}."
    )
    expect(alert.locator("img")).to_have_count(0)


def test_when_the_network_is_back_the_queue_comes_by_itself(
    tab: Page, backend: Backend
) -> None:
    backend.plan = Shelf(CARDS)
    encoded = json.dumps(json.dumps(TOKEN))
    tab.add_init_script(f"localStorage.setItem( 'sidenote-token', {encoded} )")
    tab.goto(f"{backend.address}/page")
    tab.context.set_offline(True)
    tab.evaluate(OPEN)
    expect(tab.get_by_role("alert")).to_contain_text("Check your connection")

    tab.context.set_offline(False)

    stands_at(tab, "1 of 41")


def test_an_empty_queue_says_how_to_follow_pages(tab: Page, backend: Backend) -> None:
    sit_down(tab, backend, Shelf([]))

    expect(tab.locator("h2")).to_have_text("Your queue is empty")
    expect(tab.locator(".sidenote-queue")).to_contain_text("{{User:SidenoteBot/watch")


def test_nothing_is_asked_for_who_is_not_signed_in(tab: Page, backend: Backend) -> None:
    sit_down(tab, backend, Shelf(CARDS), is_signed_in=False)

    expect(tab.get_by_role("button", name="Sign in")).to_be_visible()
    press(tab, "a", "n", "d")
    assert backend.requests == []


def test_signing_out_leaves_nothing_of_the_reader(tab: Page, backend: Backend) -> None:
    api = Shelf(CARDS)
    sit_down(tab, backend, api)
    backend.plan = lambda request: (
        Reply(204) if request.path == "/reader" else api(request)
    )

    tab.get_by_role("button", name="Sign out").click()

    expect(tab.locator("h2")).to_have_text("Your review queue")
    assert tab.evaluate("localStorage.length") == 0
    assert "Harbour" not in tab.inner_text(".sidenote-queue")


# --- comparing and judging -----------------------------------------------------------


def test_two_citations_are_compared_blind_and_by_keyboard(
    tab: Page, backend: Backend
) -> None:
    api = Shelf(CARDS, pairs=4)
    sit_down(tab, backend, api)
    tab.get_by_role("button", name="Compare citations").click()
    expect(tab.locator("h2")).to_be_focused()
    held = tab.evaluate("document.querySelector( '.sidenote-queue' ).outerHTML")
    sides = tab.locator(".sidenote-queue__side").all()
    shapes = [side.evaluate(_SHAPE) for side in sides]

    # One of them stands in an archive, and which words lack support is known.
    assert re.findall(r"archive|web\.archive|href=|present|recommend", held) == []
    assert "sidenote-unsupported" not in held
    assert "c0" not in held
    assert shapes[0] == shapes[1]
    for key, count in (("1", 1), ("2", 2), ("=", 3), ("0", 4)):
        press(tab, key)
        done = (
            "Nothing left to compare: 4 answers" if count == 4 else f"{count} compared"
        )
        expect(tab.locator(".sidenote-queue__content")).to_contain_text(done)
    assert api.preferred == [
        ("c0", "first"),
        ("c1", "second"),
        ("c2", "either"),
        ("c3", "neither"),
    ]


def test_comparing_can_be_ended_at_any_time(tab: Page, backend: Backend) -> None:
    api = Shelf(CARDS)
    sit_down(tab, backend, api)
    tab.get_by_role("button", name="Compare citations").click()
    expect(tab.locator(".sidenote-queue__side")).to_have_count(2)

    press(tab, "Escape")

    stands_at(tab, "1 of 41")
    assert api.preferred == []


def test_suggestions_are_judged_by_keyboard(tab: Page, backend: Backend) -> None:
    api = Shelf(CARDS)
    sit_down(tab, backend, api)
    tab.get_by_role("button", name="Rate suggestions").click()
    expect(tab.locator("h2")).to_be_focused()
    assert tab.locator(".sidenote-acts").count() == 0

    press(tab, "s", "1")  # nothing chosen yet, and no errors to choose
    press(tab, "a", "s")
    stands_at(tab, "2 of 41")
    press(tab, "c", "2", "7", "2", "s")
    stands_at(tab, "3 of 41")
    press(tab, "r", "1", "8", "Enter")
    stands_at(tab, "4 of 41")
    press(tab, "r", "4", "a", "s")  # what was wrong with it is not sent after all
    stands_at(tab, "5 of 41")

    assert [(each["outcome"], each["errors"]) for each in api.reviews] == [
        ("accept", []),
        ("accept with changes", ["badly worded"]),
        ("reject", ["not said by its source", "other"]),
        ("accept", []),
    ]
    assert api.decided == {}


_SHAPE = """side => Array.from( side.querySelectorAll( '*' ), ( each ) =>
    each.localName + Array.from( each.attributes, ( one ) => one.name ).sort() ).join( ' ' )"""


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
    tab.locator(".sidenote-queue__modes button").nth(2).click()
    tab.wait_for_selector(".sidenote-queue__sides")


def _judging(tab: Page) -> None:
    tab.locator(".sidenote-queue__modes button").nth(3).click()
    tab.wait_for_selector(".sidenote-queue__review")
    tab.keyboard.press("r")


def _signing_in(tab: Page) -> None:
    tab.locator(".sidenote-queue__notice .cdx-button").click()
    tab.wait_for_selector(".sidenote-dialog__error")


def _as_it_is(_: Page) -> None:
    pass


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
