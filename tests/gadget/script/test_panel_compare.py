"""What people compare with its source, in the panel: one folded group, one tap."""

import os
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from gadget.payloads.cards import Card, MessageShown, NoteShown, Words
from tests.gadget.script.answers import SECOND, answer, card, claim, quote
from tests.gadget.script.backend import Backend, Reply, Request
from tests.gadget.script.panel_page import Opened, article, plan

pytestmark = pytest.mark.browser


def _message(key: str, english: str) -> MessageShown:
    return MessageShown(key=key, english=english)


def _compared(number: int = 8, **more: Any) -> Card:
    words = [Words(text="Built "), Words(text="in 1847", is_meant=True)]
    note = NoteShown(
        headline=_message("kind-compare", "Compare with the source"),
        said_as=_message("label-claim", "The article says"),
        quoted_as=_message("label-source", "The source says"),
        reason=None,
        certainty=_message("certainty-compare", "A program is not sure"),
        lines=[],
        cell=[],
        actions=[],
    )
    given: dict[str, Any] = {
        "kind": "compare",
        "verdict": "supported",
        "is_flagged": False,
        "claim": claim(SECOND, ""),
        "quotes": [quote(quote="Built in 1847", pieces=words)],
        "edits": [],
        "note": note,
    }
    return card(number, **{**given, **more})


def _group(view: Opened) -> None:
    view.panel.get_by_text("2 claims to compare with the source").click()


def test_they_are_one_folded_group_and_no_notes(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    cards = [card(), _compared(), _compared(9)]
    with article(chromium, backend_of_panel, reply=answer(cards)) as view:
        expect(view.cards).to_have_count(1)
        expect(view.panel).to_contain_text("1 note on this page.")

        _group(view)

        expect(view.cards).to_have_count(3)
        one = view.cards.nth(1)
        expect(one.get_by_role("button", name="Says so")).to_be_visible()
        expect(one.get_by_role("button", name="Agree")).to_have_count(0)
        expect(one.locator("mark")).to_have_text("Differs: in 1847 (end)")
        expect(one).not_to_contain_text("Doubtful")
        if folder := os.environ.get("SIDENOTE_PICTURES"):
            one.scroll_into_view_if_needed()
            view.page.screenshot(path=Path(folder) / "compare.png")


@pytest.mark.parametrize(
    ("name", "says_so", "told"),
    [
        ("Says so", True, "You said that the source says so."),
        ("Does not", False, "You said that the source does not say so."),
    ],
)
def test_one_tap_answers_and_the_answer_can_be_undone(
    chromium: Browser, backend_of_panel: Backend, name: str, says_so: bool, told: str
) -> None:
    cards = [_compared(), _compared(9)]
    with article(chromium, backend_of_panel, reply=answer(cards)) as view:
        ordinary = plan(answer(cards))

        def answering(request: Request) -> Reply:
            if request.path != "/decisions":
                return ordinary(request)
            kept = {"id": 7, "kind": "compared", "says_so": request.body["says_so"]}
            return Reply(201, {**kept, "decided_at": "2026-11-20T10:00:00Z"})

        backend_of_panel.plan = answering
        _group(view)

        view.button(name).first.click()

        expect(view.cards.first).to_contain_text(told)
        [sent] = backend_of_panel.of("/decisions")
        assert (sent.body["kind"], sent.body["says_so"]) == ("compared", says_so)
        expect(view.button("Says so")).to_have_count(1)
        assert view.focused() == "Undo"
        view.button("Undo").click()
        expect(view.button("Says so")).to_have_count(2)
