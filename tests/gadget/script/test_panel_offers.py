"""Sources for sentences that want one, in the panel: what says it, and the way in."""

import pytest
from playwright.sync_api import Browser, expect

from gadget.payloads.cards import Card, Edit, EditKind, RemedyShown
from tests.gadget.script.answers import SECOND, answer, card, claim, source
from tests.gadget.script.backend import Backend
from tests.gadget.script.panel_page import article

pytestmark = pytest.mark.browser
_SAYS = "On a still night the bell is heard nine miles out."
_CITATION = "{{cite web |url=https://quay.example/guide |title=A guide}}"


def _card() -> Card:
    edit = Edit(
        id="cite-0",
        kind=EditKind.CITE,
        label="A guide to the old quay",
        section=1,
        before=SECOND,
        old="{{citation needed}}",
        new=f"<ref>{_CITATION}</ref>",
        after=" A storm",
    )
    remedy = RemedyShown(
        kind="other source",
        source=0,
        quote=_SAYS,
        citation=_CITATION,
        percent=83,
        edit="cite-0",
    )
    return card(
        2,
        kind="source",
        verdict="supported",
        is_flagged=True,
        claim=claim(SECOND, "", ("Bell",)),
        quotes=[],
        sources=[source()],
        remedies=[remedy],
        edits=[edit],
    )


def test_a_source_that_was_found_stands_beside_the_sentence_that_wants_one(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    with article(chromium, backend_of_panel, reply=answer(cards=[_card()])) as view:
        only = view.cards.first

        expect(only.get_by_role("heading", level=3)).to_have_text(
            "A source that seems to support this"
        )
        assert view.highlighted() == [SECOND]
        assert _SAYS in only.inner_text()
        assert "A guide to the old quay" in only.inner_text()
        assert only.get_by_text("Its source says").count() == 0
        assert only.get_by_text("No relevant passage").count() == 0
        expect(only.locator(".sidenote-primary")).to_contain_text(
            "A guide to the old quay"
        )

        view.button("Dismiss").click()

        reasons = only.locator(".sidenote-ask").inner_text()
        assert "The source does not support it" in reasons
        assert "The source says it" not in reasons
