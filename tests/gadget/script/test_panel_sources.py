"""What the panel says of sources: how they were read, and what a reader has of them."""

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from gadget.payloads.cards import ChangedLink, EditKind, LinkShown, WayShown
from tests.gadget.script.answers import (
    TITLE,
    WIKI,
    answer,
    edit,
    every_kind,
    source,
    unchecked,
)
from tests.gadget.script.backend import Asked, Backend, Said
from tests.gadget.script.panel_page import Opened, article, plan

pytestmark = pytest.mark.browser

_WAY = WayShown(way="scan", href="https://openlibrary.org/isbn/9780306406157")
_SAID = answer(unchecked=[unchecked().model_copy(update={"ways": [_WAY]})])
_RESULT = {
    "claim": "A storm cracked it in 1911.",
    "verdict": "supported",
    "quotes": [
        {"quote": "cracked in 1911", "before": "It ", "after": ".", "page": 12},
    ],
}


def _answers(request: Asked, problem: str | None = None) -> Said:
    answer: dict[str, Any] = {"id": "text-of-alice", "has_ended": False, "results": []}
    if request.path == "/supplied-texts":
        return Said(202, answer)
    if request.path == "/supplied-texts/text-of-alice":
        results = [] if problem else [_RESULT]
        more = {"has_ended": True, "results": results, "problem": problem}
        return Said(200, answer | more)
    return plan(_SAID)(request)


def _open(view: Opened) -> None:
    view.panel.get_by_text("Could not be checked (1)").click()
    view.button("Supply the text").click()


def test_a_text_is_pasted_and_checked(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    with article(chromium, backend_of_panel, reply=_SAID) as view:
        backend_of_panel.plan = _answers
        _open(view)
        way = view.panel.get_by_role("link", name="Look for a scan")
        assert way.get_attribute("href") == _WAY.href
        dialog = view.page.get_by_role("dialog")
        dialog.get_by_role("textbox").fill("  It cracked in 1911.  ")
        dialog.get_by_role("button", name="Check", exact=True).click()

        expect(dialog).to_contain_text("Supported by the source")
        expect(dialog).to_contain_text("It cracked in 1911.")
        if folder := os.environ.get("SIDENOTE_PICTURES"):
            view.page.screenshot(path=Path(folder) / "supply.png")

    [request] = [one for one in backend_of_panel.asked if one.method == "POST"]
    assert request.body == {
        "wiki": WIKI,
        "title": TITLE,
        "source": unchecked().source.key if unchecked().source else "",
        "content": "It cracked in 1911.",
    }


def test_a_file_is_sent_as_it_is_and_what_is_wrong_with_it_is_said(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    with article(chromium, backend_of_panel, reply=_SAID) as view:
        backend_of_panel.plan = lambda request: _answers(request, "It holds no text.")
        _open(view)
        dialog = view.page.get_by_role("dialog")
        file = {"name": "a.pdf", "mimeType": "application/pdf", "buffer": b"%PDF-1.4"}
        dialog.get_by_label("PDF or text file").set_input_files([file])  # type: ignore[list-item]
        dialog.get_by_role("button", name="Check", exact=True).click()

        expect(dialog).to_contain_text("It holds no text.")

    [request] = [one for one in backend_of_panel.asked if one.method == "POST"]
    assert request.body["content"] == "JVBERi0xLjQ="
    assert request.body["encoding"] == "base64"


def test_nothing_is_sent_where_nothing_was_supplied(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    with article(chromium, backend_of_panel, reply=_SAID) as view:
        backend_of_panel.plan = _answers
        _open(view)
        dialog = view.page.get_by_role("dialog")
        dialog.get_by_role("button", name="Check", exact=True).click()

        expect(dialog.get_by_role("textbox")).to_be_focused()

    assert [one for one in backend_of_panel.asked if one.method == "POST"] == []


def test_a_note_says_when_its_source_was_read_and_which_copy(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    read_at = datetime(2011, 5, 2, tzinfo=UTC)
    [first, *rest] = every_kind()
    quotes = [
        each.model_copy(update={"origin": "archive", "read_at": read_at})
        for each in first.quotes
    ]
    cards = [first.model_copy(update={"quotes": quotes}), *rest]
    with article(chromium, backend_of_panel, reply=answer(cards)) as view:
        about = view.cards.first.get_by_text("About this note")
        about.click()

        details = view.cards.first.locator("dl")
        expect(details).to_contain_text("Source read")
        expect(details).to_contain_text("in the archived copy of May 2, 2011")
        if folder := os.environ.get("SIDENOTE_PICTURES"):
            view.page.screenshot(path=Path(folder) / "provenance.png")


def test_links_that_have_changed_are_listed_with_their_copies(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    since = datetime(2026, 3, 1, tzinfo=UTC)
    link = LinkShown(state="gone", since=since, times=3)
    each = unchecked()
    put = edit(EditKind.ARCHIVE, "Storms of the North Coast")
    changed = ChangedLink(
        claim=each.claim,
        source=each.source or source(),
        link=link,
        edits=[put],
    )
    with article(chromium, backend_of_panel, reply=answer(links=[changed])) as view:
        view.panel.get_by_text("Links that have changed (1)").click()

        expect(view.panel).to_contain_text(
            "The link is dead: it has failed 3 times since March 1, 2026."
        )
        if folder := os.environ.get("SIDENOTE_PICTURES"):
            view.page.screenshot(path=Path(folder) / "links.png")
