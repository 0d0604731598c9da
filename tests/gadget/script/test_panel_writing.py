"""Notes about the wording in the panel: the words, the advice, and nothing of verdicts."""

from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from gadget.payloads.cards import (
    Card,
    ClaimShown,
    Edit,
    EditKind,
    Words,
    WritingShown,
)
from tests.gadget.script.answers import THIRD, answer, card
from tests.gadget.script.backend import Backend
from tests.gadget.script.panel_page import article

pytestmark = pytest.mark.browser
_MEANT = THIRD.split()[1]


def _card(number: int = 3, **more: Any) -> Card:
    given: dict[str, Any] = {
        "kind": "peacock term",
        "message": "It praises the subject.",
        "advice": "Say what shows it.",
        "guideline": "MOS:PUFFERY",
        "href": "https://en.wikipedia.org/wiki/MOS:PUFFERY",
        "is_of_section": False,
    }
    before, _, after = THIRD.partition(_MEANT)
    edit = Edit(
        id="section",
        kind=EditKind.SECTION,
        label="Visitors",
        section=2,
        before="",
        old="",
        new="",
        after=THIRD,
    )
    words = [Words(text=before), Words(text=_MEANT, is_meant=True), Words(text=after)]
    claim = ClaimShown(
        text=_MEANT, pieces=words, sentence=THIRD, section=["Visitors"], occurrence=0
    )
    return card(
        number,
        kind="writing",
        verdict="supported",
        claim=claim,
        quotes=[],
        sources=[],
        edits=[edit],
        writing=WritingShown(**{**given, **more}),
    )


def test_a_note_stands_on_its_words_and_asks_for_no_verdict(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    notes = answer(cards=[_card()])
    with article(chromium, backend_of_panel, reply=notes) as view:
        only = view.cards.first

        expect(only.get_by_role("heading", level=3)).to_have_text(
            "Praise in the article’s own voice"
        )
        assert only.locator(".sidenote-meant").inner_text().split()[1] == _MEANT
        assert view.highlighted() == [_MEANT]
        assert "Say what shows it." in only.inner_text()
        link = only.get_by_role("link", name="MOS:PUFFERY")
        assert link.get_attribute("href") == _card().writing.href  # type: ignore[union-attr]
        assert only.get_by_text("Its source says").count() == 0
        view.button("Fix in the editor").first.wait_for()
        assert view.button("Wrong verdict").count() == 0

        view.button("Dismiss").click()

        reasons = only.locator(".sidenote-ask").inner_text()
        assert "It is fine as it is" in reasons
        assert "wrong source" not in reasons
        view.button("Back").click()
        assert view.button("Dismiss").evaluate("e => e === document.activeElement")


def test_a_whole_section_is_named_and_a_kind_of_tomorrow_is_shown(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    section = _card(3, kind="overlong section", is_of_section=True)
    notes = answer(cards=[section, _card(4, kind="a kind of tomorrow")])
    with article(chromium, backend_of_panel, reply=notes) as view:
        first, second = view.cards.nth(0), view.cards.nth(1)

        assert "This is about" in first.inner_text()
        assert "Overlong section" in first.inner_text()
        assert "Visitors" in first.inner_text()
        assert "The writing could be better" in second.inner_text()
