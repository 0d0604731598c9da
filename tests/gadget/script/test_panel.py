"""The panel beside an article: what it shows, and what a reader does with it."""

import pytest
from playwright.sync_api import Browser, expect

from tests.gadget.script.answers import (
    FIRST,
    SECOND,
    THIRD,
    answer,
    card,
    claim,
    unchecked,
)
from tests.gadget.script.backend import Backend, Reply, Request, problem
from tests.gadget.script.panel_page import article, open_panel, plan

pytestmark = pytest.mark.browser
_WITH_CONSENT = """answer => {
    const seen = window.seen = [];
    window.sidenote.panel.open( {
        mw, page: { wiki: 'w', title: 'T', revision: 1, root: document.body },
        api: { page: () => { seen.push( 'asked' ); return Promise.resolve( answer ); } },
        identity: { onChange: () => {}, signIn: () => {}, who: () => Promise.resolve( null ) },
        actions: { isStopped: () => false }, preferences: {},
        consent: { host: 'notes.example', given: () => seen.push( 'agreed' ) }
    } );
}"""

_WITH_A_LATE_ANSWER = """answer => {
    const answers = [ Promise.resolve( answer ), new Promise( ( resolve ) => {
        window.arrives = () => resolve( answer );
    } ) ];
    window.sidenote.panel.open( {
        mw, page: { wiki: 'w', title: 'T', revision: 1, root: document.body },
        api: { page: () => answers.shift() },
        identity: {
            onChange: ( tell ) => { window.signsIn = tell; },
            signIn: () => {}, who: () => Promise.resolve( null )
        },
        actions: {
            isStopped: () => false,
            accept: () => Promise.resolve( {
                id: 7, kind: 'accept', decided_at: '2026-11-20T10:00:00Z'
            } )
        },
        preferences: {}
    } );
}"""


def test_notes_stand_in_page_order_with_their_words_and_evidence(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    with article(chromium, backend_of_panel) as view:
        expect(view.cards).to_have_count(3)

        titles = view.panel.get_by_role("heading", level=3).all_inner_texts()
        first = view.cards.first
        assert titles == [
            "Contradicted by the source",
            "Not supported by the source",
            "May be out of date",
        ]
        assert first.locator(".sidenote-claim").text_content() == (
            FIRST.replace("1874", "No support found: 1874 (end)")
        )
        assert "built in 1847 by her father" in first.inner_text()
        assert "Eastmere Gazette · quay.example · May 3, 2019" in first.inner_text()
        assert "Generally reliable" in first.inner_text()
        assert "Right about 9 times in 10" in first.inner_text()
        assert "Right less than 1 time in 10" in view.cards.nth(1).inner_text()
        passage = first.get_by_role("link", name="Open the passage")
        assert passage.get_attribute("target") == "_blank"
        assert "noopener" in (passage.get_attribute("rel") or "")
        assert "#:~:text=" in (passage.get_attribute("href") or "")
        assert "January 8, 2026" in view.cards.nth(2).inner_text()
        assert view.highlighted("sidenote") == [SECOND, THIRD]
        assert view.highlighted() == [FIRST]


def test_a_value_of_an_infobox_stands_behind_its_name(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    value = claim("52", "52").model_copy(update={"place": ["injuries", "2011"]})
    notes = answer([card(1, claim=value)])
    with article(chromium, backend_of_panel, reply=notes) as view:
        words = view.cards.first.locator(".sidenote-claim").text_content() or ""

    assert words.startswith("injuries · 2011: ")


def test_a_click_on_a_marked_sentence_focuses_its_note(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    with article(chromium, backend_of_panel) as view:
        expect(view.cards).to_have_count(3)

        bell = view.page.get_by_role("main").get_by_text("Its bell can be heard")
        bell.click(position={"x": 320, "y": 8})

        assert view.highlighted() == [SECOND]
        assert "Not supported by the source" in view.focused()


def test_a_sentence_below_the_fold_is_scrolled_to(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    with article(
        chromium,
        backend_of_panel,
        viewport={"width": 900, "height": 300},
        reduced_motion="reduce",
    ) as view:
        expect(view.cards).to_have_count(3)

        for _ in range(3):
            view.page.keyboard.press("n")

        top = view.page.evaluate(
            "() => [ ...CSS.highlights.get( 'sidenote-focus' ) ][ 0 ].getBoundingClientRect().top"
        )
        assert 50 < top < 250


def test_filters_leave_notes_out_and_bring_doubtful_and_decided_ones(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    with article(chromium, backend_of_panel) as view:
        expect(view.cards).to_have_count(3)
        chip = view.button("Contradicted (1)")
        assert chip.get_attribute("aria-pressed") == "true"

        chip.click()
        expect(view.cards).to_have_count(2)
        assert view.highlighted("sidenote") + view.highlighted() == [THIRD, SECOND]
        assert view.focused() == "Contradicted (1)"
        view.button("Doubtful (1)").click()
        expect(view.cards).to_have_count(3)
        expect(view.cards.last).to_contain_text(
            "Only partially supported by the source"
        )

        view.cards.last.get_by_role("button", name="Agree").click()
        view.button("Reviewed (1)").click()
        expect(view.cards.last).to_contain_text("You agreed.")
        view.cards.last.get_by_role("button", name="Undo").click()
        expect(view.button("Reviewed (1)")).to_have_count(0)

        for name in ("Not supported (1)", "Partially supported (1)", "Out of date (1)"):
            view.button(name).click()
        view.button("Show all").click()
        expect(view.cards).to_have_count(4)


@pytest.mark.parametrize(("is_flagged", "shown_at_first"), [(False, 2), (True, 1)])
def test_doubtful_notes_are_shown_at_first_only_without_others(
    chromium: Browser,
    backend_of_panel: Backend,
    is_flagged: bool,
    shown_at_first: int,
) -> None:
    notes = answer(
        [card(1, is_flagged=is_flagged), card(2, is_flagged=False, claim=claim(SECOND))]
    )
    with article(chromium, backend_of_panel, reply=notes) as view:
        expect(view.panel).to_be_visible()
        expect(view.button(f"Doubtful ({1 if is_flagged else 2})")).to_be_visible()
        expect(view.cards).to_have_count(shown_at_first)


def test_a_wrong_verdict_is_reported_with_the_right_one(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    with article(chromium, backend_of_panel) as view:
        view.button("Wrong verdict").first.click()
        answers = view.panel.get_by_role("group", name="Which verdict is right?")
        assert answers.get_by_role("button").all_inner_texts() == [
            "Supported",
            "Partially supported",
            "Not supported",
            "Back",
        ]
        answers.get_by_role("button", name="Supported", exact=True).click()

        expect(
            view.panel.get_by_text("Reported as a wrong verdict. Thank you.")
        ).to_be_visible()
        assert backend_of_panel.of("/decisions")[0].body["right_verdict"] == "supported"


def test_who_is_not_signed_in_is_told_so_and_keeps_the_note(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    with article(chromium, backend_of_panel, signed_in=False) as view:
        view.button("Agree").first.click()

        alert = view.panel.get_by_role("alert").filter(has_text="sign in once")
        expect(alert).to_be_visible()
        assert view.focused() == "Sign in"
        expect(view.cards).to_have_count(3)
        assert backend_of_panel.of("/decisions") == []


def test_the_article_makes_room_beside_the_panel_and_takes_it_back(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    right_of = """() => Math.max( ...Array.from(
        document.querySelectorAll( '.mw-parser-output p' ),
        ( each ) => each.getBoundingClientRect().right ) )"""
    top_of = """() => Array.from( document.querySelectorAll( 'p' ) )
        .find( ( each ) => each.textContent.includes( '12,000' ) )
        .getBoundingClientRect().top"""
    with article(chromium, backend_of_panel, opens=False) as view:
        view.page.evaluate("() => window.scrollTo( 0, 300 )")
        before, top = view.page.evaluate(right_of), view.page.evaluate(top_of)
        open_panel(view.page)
        expect(view.cards).to_have_count(3)
        box = view.panel.bounding_box()

        assert view.page.evaluate(right_of) <= box["x"]
        assert abs(view.page.evaluate(top_of) - top) < 300
        view.button("Move to the other side").click()
        box = view.panel.bounding_box()
        left = view.page.evaluate(
            right_of.replace("right", "left").replace("max", "min")
        )
        assert box["x"] == 0
        assert left >= box["width"]
        view.page.keyboard.press("Escape")
        assert view.page.evaluate(right_of) == before
    with article(
        chromium, backend_of_panel, viewport={"width": 390, "height": 760}
    ) as view:
        expect(view.cards).to_have_count(1)
        assert view.page.evaluate(right_of) > 340


def test_an_editor_reads_and_fixes_before_they_tag(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    with article(chromium, backend_of_panel) as view:
        expect(view.cards).to_have_count(3)
        second = view.cards.nth(1)
        acts = second.locator(".sidenote-acts button").all_inner_texts()

        assert acts == [
            "Fix in the editor",
            "Cite “Bells of the North Coast”",
            "Add {{Failed verification}}",
            "Dismiss",
            "Agree",
            "Wrong verdict",
        ]
        assert second.locator(".cdx-button--weight-primary").count() == 0


def test_a_note_whose_sentence_is_gone_says_so_and_works(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    lost = card(1, claim=claim("Not one of these words stands on that page.", ""))
    with article(chromium, backend_of_panel, reply=answer([lost])) as view:
        expect(view.cards.first).to_contain_text("could not be found on the page")
        view.button("Agree").click()

        expect(view.panel.get_by_role("heading", name="All done.")).to_be_visible()


def test_an_answer_older_than_a_decision_does_not_bring_the_note_back(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    with article(chromium, backend_of_panel, opens=False) as view:
        view.page.evaluate(_WITH_A_LATE_ANSWER, answer([card(1), card(2)]))
        expect(view.cards).to_have_count(2)

        view.page.evaluate("() => window.signsIn( 'Alice' )")  # and asks again
        view.button("Agree").first.click()
        expect(view.cards).to_have_count(1)
        view.page.evaluate("() => window.arrives()")
        view.page.wait_for_timeout(100)

        expect(view.cards).to_have_count(1)


def test_stopping_here_is_kept_and_taken_back(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    with article(chromium, backend_of_panel) as view:
        view.cards.first.get_by_role("button", name="More for").click()
        view.page.get_by_role("menuitem", name="Turn off notes on this page").click()
        expect(view.panel.get_by_role("heading", level=3)).to_have_text(
            "Notes are turned off on this page."
        )
        assert view.highlighted("sidenote") == []
        assert view.focused() == "Show notes here again"

        view.page.keyboard.press("Enter")
        expect(view.cards).to_have_count(3)


@pytest.mark.parametrize(
    ("response", "words"),
    [
        (answer([]), "No notes on this revision."),
        (answer([], unchecked=[unchecked()]), "1 could not be checked"),
        (answer([], unchecked=[unchecked()] * 53), "Nothing could be checked"),
        (answer([], last_check=None), "This page has not been checked yet."),
        (answer([], last_check=None, is_waiting=True), "about to be checked"),
        (answer(outdated=2), "2 notes are left out because the sentence has changed"),
        (problem(404, "unknown", "no"), "Try again"),
        (problem(503, "out-of-reach", "no", 30), "Try again"),
        (Reply(200, raw=b"<html>"), "Try again"),
    ],
)
def test_each_state_says_what_is_and_what_to_do(
    chromium: Browser,
    backend_of_panel: Backend,
    response: dict[str, object],
    words: str,
) -> None:
    with article(chromium, backend_of_panel, reply=response) as view:
        expect(view.panel).to_contain_text(words)


def test_a_busy_server_is_asked_again_when_it_said(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    busy = problem(429, "too-many", "Too many.", 1)
    with article(chromium, backend_of_panel, reply=busy) as view:
        expect(view.panel.get_by_role("alert").first).to_contain_text("1 second")
        backend_of_panel.plan = plan(answer())

        expect(view.cards).to_have_count(3)


def test_a_late_answer_has_a_skeleton_in_words(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    with article(chromium, backend_of_panel, opens=False) as view:
        view.page.clock.install(time=0)
        view.page.clock.pause_at(1)
        view.page.route("**/api/v1/suggestions*", lambda _: None)
        view.page.evaluate(
            """() => window.sidenote.panel_gadget.open( { mw, page: {
                wiki: 'w', title: 'T', revision: 1,
                root: document.querySelector( '.mw-parser-output' ) } } )"""
        )
        assert "Fetching" not in view.panel.inner_text()
        view.page.clock.run_for(220)
        assert "Fetching the notes" in view.panel.inner_text()
        assert "Fetching" in (
            view.panel.get_by_role("status").first.text_content() or ""
        )


def _checking(**counts: int) -> dict[str, object]:
    """Return the progress of a check, with `counts` of what is done."""
    return {
        "wiki": "w.example",
        "title": "T",
        "asked_at": "2026-11-20T10:00:00Z",
        "changed_at": "2026-11-20T10:00:01Z",
        "begun_at": "2026-11-20T10:00:01Z",
        "ended_at": None,
        "problem": None,
        "reading": "quay.example",
        "sources": 24,
        "claims": 53,
        **counts,
    }


def test_a_check_is_watched_step_by_step_to_its_end(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    state = _checking(sources_read=2, claims_checked=0)
    with article(chromium, backend_of_panel, reply=answer([])) as view:

        def checking(request: Request) -> Reply:
            is_check = request.path == "/checks"
            return Reply(202, state) if is_check else plan(answer())(request)

        backend_of_panel.plan = checking
        view.page.route("**/checks/events*", lambda _: None)
        view.button("Check this page now").click()
        bar = view.panel.get_by_role("progressbar")
        expect(view.panel.get_by_text("Reading quay.example (3 of 24)")).to_be_visible()
        expect(bar).to_have_attribute("aria-valuenow", "7")
        view.button("Stop watching").click()
        expect(view.panel).to_contain_text("The check continues.")

        state.update(ended_at="2026-11-20T10:01:00Z")
        view.button("Check this page now").click()
        expect(view.cards).to_have_count(3)
        expect(view.panel.get_by_role("status").first).to_contain_text(
            "The check is finished. 3 notes on this page."
        )


def test_a_check_that_others_asked_for_shows_how_far_it_is(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    state = _checking(sources_read=24, claims_checked=9)
    notes = answer(is_waiting=True)

    def looking(request: Request) -> Reply:
        return Reply(200, state) if request.path == "/checks" else plan(notes)(request)

    with article(chromium, backend_of_panel, opens=False, signed_in=False) as view:
        backend_of_panel.plan = looking
        view.page.route("**/checks/events*", lambda _: None)
        open_panel(view.page)

        expect(
            view.panel.get_by_text("Comparing with the article (9 of 53)")
        ).to_be_visible()
        expect(view.cards).to_have_count(3)


def test_nothing_is_asked_of_another_host_before_the_reader_agrees(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    with article(chromium, backend_of_panel, opens=False) as view:
        view.page.evaluate(_WITH_CONSENT, answer([card(1)]))
        expect(view.panel).to_contain_text("Your browser will send notes.example")
        assert view.page.evaluate("() => window.seen") == []
        assert view.focused() == "Fetch notes"

        view.page.keyboard.press("Enter")

        assert view.page.evaluate("() => window.seen") == ["agreed", "asked"]
        expect(view.cards).to_have_count(1)
        view.page.keyboard.press("n")  # who agreed by key goes on by key
        expect(view.cards).to_be_focused()


def test_a_reader_who_is_signed_in_learns_of_sign_ins_in_their_name(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    attempts = [
        {"begun_at": "2026-11-23T10:02:00Z", "browser": "Edge", "system": "Windows"},
        {"begun_at": "2026-11-23T10:03:00Z", "browser": None, "system": None},
    ]
    with article(chromium, backend_of_panel) as view:
        expect(view.cards).to_have_count(3)
        view.page.evaluate(
            """attempts => window.sidenote.panel.open( {
                mw, page: { wiki: 'w', title: 'T', revision: 1, root: document.body },
                api: { page: () => new Promise( () => {} ) },
                identity: {
                    onChange: () => {}, signIn: () => {},
                    who: () => Promise.resolve( { user: 'Alice', attempts } )
                },
                actions: { isStopped: () => false }, preferences: {}
            } )""",
            attempts,
        )

        warning = view.page.get_by_role("alert").filter(has_text="under way")
        expect(warning).to_contain_text("2 sign-ins as Alice are under way")
        expect(warning).to_contain_text("with Edge on Windows")
        expect(warning).to_contain_text("an unknown browser")
