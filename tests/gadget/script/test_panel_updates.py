"""Newer facts in the panel: the old sentence, what is new, how sure, and why it is there."""

from datetime import date
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from gadget.payloads.cards import (
    Card,
    ClaimShown,
    Edit,
    EditKind,
    LastSearch,
    PassedOverShown,
    StepShown,
    UpdateShown,
)
from tests.gadget.script.answers import (
    CHECKED_AT,
    SECOND,
    THIRD,
    answer,
    card,
    claim,
    quote,
    source,
)
from tests.gadget.script.backend import Backend
from tests.gadget.script.panel_page import article

pytestmark = pytest.mark.browser
_CITATION = "{{cite news |url=https://port.example/2026 |title=The tower in figures}}"


def _update(**more: Any) -> UpdateShown:
    given: dict[str, Any] = {
        "kind": "outdated statement",
        "fact": None,
        "is_worded": False,
        "is_well_sourced": True,
        "has_primary": False,
        "sites": ["port.example", "coast.example"],
        "dated": date(2026, 10, 4),
        "citation": _CITATION,
        "why": [
            StepShown(role="navigator", what="asks “Harbour Clock visitors 2026”"),
            StepShown(
                role="aggregator",
                what="outdated statement",
                quote="15,500 people came.",
                href="https://port.example/2026",
            ),
        ],
    }
    return UpdateShown(**{**given, **more})


def _outdated() -> Card:
    wording = Edit(
        id="update",
        kind=EditKind.WORDING,
        label="The tower in figures",
        section=2,
        before="About ",
        old="12,000",
        new="15,500",
        after=" people visit",
    )
    return card(
        3,
        kind="update",
        claim=claim(THIRD, "", ["Visitors"]),
        quotes=[
            quote(quote="15,500 people came.", dated=date(2026, 10, 4)),
            quote(quote="A record of 15,500.", dated=date(2026, 9, 30), source=1),
        ],
        sources=[source(title="The tower in figures"), source(key="b", title="Port")],
        edits=[wording],
        update=_update(fact="15,500 people visit it.", is_worded=True),
    )


def _new_fact(of: ClaimShown) -> Card:
    return card(
        4,
        kind="update",
        verdict="supported",
        claim=of,
        quotes=[quote(quote="The bell was lent to Northam.", dated=date(2026, 8, 1))],
        edits=[],
        update=_update(kind="new fact", is_well_sourced=False, sites=["port.example"]),
    )


def _said(*cards: Card) -> dict[str, Any]:
    searched = LastSearch(
        at=CHECKED_AT,
        since=date(2026, 9, 1),
        until=None,
        updates=len(cards),
        pages=12,
        stopped="there was nothing left to search for or open",
        passed_over=[
            PassedOverShown(
                quote="What a lovely tower!",
                why="it is an opinion",
                href="https://blog.example/tower",
            ),
            PassedOverShown(quote="Come and see!", why="something new", href=None),
        ],
    )
    shown = searched.model_dump(mode="json")
    return answer(cards=cards) | {"searched": shown}


def test_the_old_sentence_stands_beside_dated_new_facts(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    with article(chromium, backend_of_panel, reply=_said(_outdated())) as view:
        only = view.cards.first
        words = only.inner_text()

        assert "May be out of date" in words
        assert only.get_by_text("The article still says").count() == 1
        assert "October 4, 2026" in words
        assert "2 independent sites say so." in words
        assert "The new fact, worded by a program" in words
        assert only.locator(".sidenote-wording del").text_content() == "12,000"
        assert only.locator(".sidenote-wording ins").text_content() == "15,500"
        assert view.highlighted() == [THIRD]
        view.button("Open the suggested wording").first.wait_for()

        only.get_by_text("Why was this found?").click()
        expect(only.get_by_text("asks “Harbour Clock visitors 2026”")).to_be_visible()
        view.button("Dismiss").click()
        expect(view.button("The article is right")).to_be_visible()
        expect(view.button("The source says it")).to_have_count(0)


def test_a_proposed_wording_marks_the_words_that_change_and_no_others(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    old = "<ref>{{cite web |url=https://a.example |title=Old figures}}</ref>"
    wording = Edit(
        id="update",
        kind=EditKind.WORDING,
        label="New figures",
        section=2,
        before="== Visitors ==\nAs of ",
        old="May 2024, it has 12 people.",
        new=f"March 2026, it has 15 people.{old.replace('Old', 'New')}",
        after=f"{old} It is old.\nNext",
    )
    shown_card = _outdated().model_copy(update={"edits": [wording]})
    with article(chromium, backend_of_panel, reply=_said(shown_card)) as view:
        words = view.cards.first.locator(".sidenote-wording")

        expect(words.locator("del")).to_have_text(["May 2024,", "12"])
        expect(words.locator("ins")).to_have_text(
            ["March 2026,", "15", "<ref>New figures</ref>"]
        )
        expect(words).to_have_text(
            "As of May 2024,March 2026, it has 1215 people."
            "<ref>New figures</ref><ref>Old figures</ref> It is old."
        )


def test_a_new_fact_names_the_place_where_it_belongs(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    bell = claim(SECOND, "", ["Bell"])
    nowhere = ClaimShown(
        text="", pieces=[], sentence="", section=["Bell", "Sound"], occurrence=0
    )
    for of, place in ((bell, SECOND), (nowhere, "Bell \u203a Sound")):
        with article(chromium, backend_of_panel, reply=_said(_new_fact(of))) as view:
            words = view.cards.first.inner_text()

            assert "A newer fact may be missing" in words
            assert place in words
            assert "So far only one site says so." in words
            assert (
                "could not be found" not in words
            )  # no complaint that a sentence is missing
            assert view.highlighted() == ([SECOND] if of is bell else [])


def test_what_a_search_left_out_is_reported_with_the_reason(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    with article(chromium, backend_of_panel, reply=_said(_outdated())) as view:
        summary = view.panel.get_by_text(
            "12 pages were read. 2 results were discarded."
        )

        summary.click()

        expect(view.panel.get_by_text("What a lovely tower!")).to_be_visible()
        expect(view.panel.get_by_text("An opinion · blog.example")).to_be_visible()
        expect(view.panel.get_by_text("Does not fit")).to_be_visible()


def test_what_sources_and_models_say_is_never_markup(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    bad = "<img src=x onerror=\"document.title='owned'\"><b>bold</b>"
    update = _update(
        fact=bad,
        is_worded=True,
        sites=[bad],
        why=[StepShown(role=bad, what=bad, quote=bad, href="javascript:alert(1)")],
    )
    edit = _outdated().edits[0]
    hostile = edit.model_copy(update={"before": bad, "old": bad, "new": bad})
    shown_card = _outdated().model_copy(update={"update": update, "edits": [hostile]})
    with article(chromium, backend_of_panel, reply=_said(shown_card)) as view:
        only = view.cards.first
        only.get_by_text("Why was this found?").click()

        assert only.get_by_text(bad).count() >= 4
        assert only.locator("img, b").count() == 0
        assert view.page.locator("a[href^='javascript']").count() == 0
        assert view.page.title() != "owned"
