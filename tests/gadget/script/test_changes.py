"""Cards about edits: both versions told apart without colour, links of numbers alone, keys."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from gadget.payloads.cards import (
    Card,
    ChangeShown,
    ClaimShown,
    EditKind,
    MessageShown,
    NoteShown,
    Words,
)
from tests.gadget.script.answers import CHECKED_AT, answer, card, edit, every_kind
from tests.gadget.script.backend import Backend, serve_backend
from tests.gadget.script.desk import ENTRIES, Shelf, sit_down, where
from tests.gadget.script.panel_page import article
from tests.rig.axe import violations

pytestmark = pytest.mark.browser

NOW = "The Harbour Clock of Eastmere was built in 1874 by Ada Penrose."
_WIKI = "https://w.example/w/index.php"
_REASONS = [
    "The new words are right",
    "The source is old",
    "Only a copyedit",
    "The wrong source was read",
    "Already fixed",
    "Something else",
]


def _words(*words: str) -> list[Words]:
    """Return words of which every second was changed."""
    return [Words(text=one, is_meant=bool(at % 2)) for at, one in enumerate(words)]


def changed(number: int = 1, **more: Any) -> Card:
    """Return a card of an edit that made 1847 into 1874."""
    claim = ClaimShown(
        text=NOW,
        pieces=_words(
            "The Harbour Clock of Eastmere was built in ", "1874", " by Ada Penrose."
        ),
        sentence=NOW,
        section=[],
        occurrence=0,
    )
    headline = "An edit moved this away from its source"
    note = NoteShown(
        headline=MessageShown(key="kind-changed-reworded", english=headline),
        said_as=MessageShown(key="label-claim", english="The article says"),
        quoted_as=MessageShown(key="label-source", english="The source says"),
        reason=None,
        certainty=MessageShown(key="certainty-changed", english="Not measured yet"),
        lines=[],
        cell=[],
        actions=[],
    )
    given: dict[str, Any] = {
        "kind": "changed",
        "verdict": "not supported",
        "claim": claim,
        "note": note,
        "change": ChangeShown(
            done="reworded",
            before=_words("It was built in ", "1847", " by Ada Penrose."),
            since=4690,
            until=4711,
            at=CHECKED_AT,
        ),
        "edits": [edit(EditKind.RESTORE, "A guide"), edit(EditKind.SECTION, "")],
    }
    return card(number, **{**given, **more})


def test_a_card_shows_what_was_taken_out_and_put_in_and_leads_to_the_diff(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    cards = [*every_kind()[:1], changed(9), *every_kind()[1:]]
    with article(chromium, backend_of_panel, reply=answer(cards)) as opened:
        shown = opened.cards.filter(has_text="An edit moved this")
        expect(shown.locator("del")).to_have_text("Removed: 1847 (end)")
        expect(shown.locator("ins")).to_have_text("Added: 1874 (end)")
        strokes = [
            shown.locator(tag).evaluate(
                "each => getComputedStyle( each ).textDecoration"
            )
            for tag in ("del", "ins")
        ]
        assert strokes[0].startswith("line-through")
        assert strokes[1].startswith("underline")
        diff = shown.get_by_role("link", name="Open the diff")
        expect(diff).to_have_attribute("href", f"{_WIKI}?diff=4711&oldid=4690")
        opened.page.context.route(
            "https://w.example/**", lambda route: route.fulfill(body="The form.")
        )
        with opened.page.expect_popup() as undoing:
            shown.get_by_role("button", name="Open the wiki’s undo form").click()
        undoing.value.wait_for_url(
            f"{_WIKI}?title=Harbour+Clock+of+Eastmere"
            "&action=edit&undoafter=4690&undo=4711"
        )
        undoing.value.close()
        first = shown.locator(".sidenote-acts__row").first
        assert first.locator(".cdx-button").all_inner_texts()[:1] == [
            "Put the old words back"
        ]
        chips = opened.panel.locator(".sidenote-chip").all_inner_texts()
        assert chips[:2] == ["Contradicted (1)", "Changed by an edit (1)"]
        assert violations(opened.page) == []

        shown.get_by_role("button", name="Dismiss").click()
        asked = shown.get_by_role("group").get_by_role("button")
        assert asked.all_inner_texts() == [*_REASONS, "Back"]
        asked.nth(1).click()
        expect(
            opened.panel.get_by_text("Dismissed: The source is old. Thank you.")
        ).to_be_visible()
        [sent] = backend_of_panel.of("/decisions")
        assert sent.body["reason"] == "source is old"


@pytest.mark.parametrize(
    "numbers",
    [
        {"since": "1&action=delete", "until": 4711},
        {"since": 4690.5, "until": 4711},
        {"since": 4711, "until": 4711},
        {"since": None, "until": 4711},
        {"since": -1, "until": 10**13},
    ],
)
def test_what_is_no_number_of_a_revision_makes_no_link(
    chromium: Browser, backend_of_panel: Backend, numbers: dict[str, Any]
) -> None:
    reply = answer([changed()])
    reply["cards"][0]["change"].update(numbers)
    with article(chromium, backend_of_panel, reply=reply) as opened:
        expect(opened.cards.locator("del")).to_have_text("Removed: 1847 (end)")

        expect(opened.cards.locator("[data-key]")).to_have_count(0)


@pytest.fixture(scope="module")
def queue_backend() -> Iterator[Backend]:
    with serve_backend(*ENTRIES) as served:
        yield served


def test_each_answer_has_a_key_of_its_own_in_the_queue_of_edits(
    chromium: Browser, queue_backend: Backend
) -> None:
    shelf = Shelf([changed(number, wiki="w.example") for number in range(1, 5)])
    tab: Page = chromium.new_page()
    sit_down(tab, queue_backend, shelf)
    queue_backend.requests.clear()

    tab.get_by_role("button", name="Recent edits away from their sources").click()

    expect(tab.locator(".sidenote-quick button")).to_have_text(_REASONS)
    [asked] = queue_backend.of("/queue")
    assert asked.query["kind"] == ["changed"]
    assert violations(tab) == []
    with tab.context.expect_page() as diff:
        tab.keyboard.press("o")
    diff.value.close()
    for at, key in enumerate(("1", "2", "3", "a"), 1):
        assert where(tab) == f"{at} of 4"
        tab.keyboard.press(key)
        tab.wait_for_function(
            "at => !document.querySelector( '.sidenote-queue__progress span' )"
            " || document.querySelector( '.sidenote-queue__progress span' )"
            ".textContent.startsWith( at )",
            arg=str(at + 1),
        )
    said = [(body["kind"], body.get("reason")) for body in shelf.decided.values()]
    assert said == [
        ("dismiss", "new words are right"),
        ("dismiss", "source is old"),
        ("dismiss", "copyedit"),
        ("accept", None),
    ]
    tab.context.close()
