"""What cards of newer facts, of wording, of sources and of links show and do."""

import os
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from gadget.payloads.cards import (
    Card,
    ChangedLink,
    ClaimShown,
    Edit,
    EditKind,
    LastSearch,
    LinkShown,
    MessageShown,
    NoteShown,
    PassedOverShown,
    RemedyShown,
    StepShown,
    UpdateShown,
    WayShown,
    Words,
    WritingShown,
)
from tests.gadget.script.answers import (
    CHECKED_AT,
    SECOND,
    THIRD,
    TITLE,
    WIKI,
    answer,
    card,
    claim,
    edit,
    every_kind,
    quote,
    source,
    unchecked,
)
from tests.gadget.script.backend import Backend, Reply, Request
from tests.gadget.script.panel_page import Opened, article, plan

pytestmark = pytest.mark.browser
_CITATION = "{{cite news |url=https://port.example/2026 |title=The tower in figures}}"


def _update(**more: Any) -> UpdateShown:
    given: dict[str, Any] = {
        "kind": "outdated statement",
        "fact": None,
        "is_worded": False,
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


def _note(*lines: MessageShown) -> NoteShown:
    return NoteShown(
        headline=MessageShown(key="kind-update", english="May be out of date"),
        said_as=MessageShown(key="label-old", english="The article still says"),
        quoted_as=MessageShown(key="label-newer", english="Newer sources say"),
        reason=None,
        certainty=MessageShown(key="confidence-unmeasured", english="Not measured"),
        lines=[*lines],
        cell=[],
        actions=[],
    )


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
        note=_note(
            MessageShown(key="backing-independent", english="", values=[2]),
            MessageShown(key="day-address", english=""),
        ),
    )


def _new_fact(of: ClaimShown) -> Card:
    return card(
        4,
        kind="update",
        verdict="supported",
        claim=of,
        quotes=[quote(quote="The bell was lent to Northam.", dated=date(2026, 8, 1))],
        edits=[],
        update=_update(kind="new fact"),
        note=_note(MessageShown(key="backing-one", english="")),
    )


def _searched(*cards: Card) -> dict[str, Any]:
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
    with article(chromium, backend_of_panel, reply=_searched(_outdated())) as view:
        only = view.cards.first
        words = only.inner_text()

        assert "May be out of date" in words
        assert only.get_by_text("The article still says").count() == 1
        assert "October 4, 2026" in words
        assert "2 independent sites say so." in words
        assert "The page’s address gives its day." in words
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
    with article(chromium, backend_of_panel, reply=_searched(shown_card)) as view:
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
        with article(
            chromium, backend_of_panel, reply=_searched(_new_fact(of))
        ) as view:
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
    with article(chromium, backend_of_panel, reply=_searched(_outdated())) as view:
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
        why=[StepShown(role=bad, what=bad, quote=bad, href="javascript:alert(1)")],
    )
    edit = _outdated().edits[0]
    hostile = edit.model_copy(update={"before": bad, "old": bad, "new": bad})
    shown_card = _outdated().model_copy(update={"update": update, "edits": [hostile]})
    with article(chromium, backend_of_panel, reply=_searched(shown_card)) as view:
        only = view.cards.first
        only.get_by_text("Why was this found?").click()

        assert only.get_by_text(bad).count() >= 4
        assert only.locator("img, b").count() == 0
        assert view.page.locator("a[href^='javascript']").count() == 0
        assert view.page.title() != "owned"


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


_SAYS = "On a still night the bell is heard nine miles out."

_FOUND_CITATION = "{{cite web |url=https://quay.example/guide |title=A guide}}"


def _offer() -> Card:
    edit = Edit(
        id="cite-0",
        kind=EditKind.CITE,
        label="A guide to the old quay",
        section=1,
        before=SECOND,
        old="{{citation needed}}",
        new=f"<ref>{_FOUND_CITATION}</ref>",
        after=" A storm",
    )
    remedy = RemedyShown(
        kind="other source",
        source=0,
        quote=_SAYS,
        citation=_FOUND_CITATION,
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
    with article(chromium, backend_of_panel, reply=answer(cards=[_offer()])) as view:
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


def test_a_note_without_a_passage_names_what_was_read_and_not_what_is_offered(
    chromium: Browser, backend_of_panel: Backend
) -> None:
    bare = every_kind()[1]
    with article(chromium, backend_of_panel, reply=answer(cards=[bare])) as view:
        sources = view.cards.first.locator("p > .sidenote-source")

        expect(view.cards.first).to_contain_text("No relevant passage")
        expect(sources).to_have_count(1)
        expect(sources).to_contain_text("A guide to the old quay")


_WAY = WayShown(way="scan", href="https://openlibrary.org/isbn/9780306406157")
_SAID = answer(unchecked=[unchecked().model_copy(update={"ways": [_WAY]})])
_RESULT = {
    "claim": "A storm cracked it in 1911.",
    "verdict": "supported",
    "quotes": [
        {"quote": "cracked in 1911", "before": "It ", "after": ".", "page": 12},
    ],
}


def _answers(request: Request, problem: str | None = None) -> Reply:
    answer: dict[str, Any] = {"id": "text-of-alice", "has_ended": False, "results": []}
    if request.path == "/supplied-texts":
        return Reply(202, answer)
    if request.path == "/supplied-texts/text-of-alice":
        results = [] if problem else [_RESULT]
        more = {"has_ended": True, "results": results, "problem": problem}
        return Reply(200, answer | more)
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

    [request] = [one for one in backend_of_panel.requests if one.method == "POST"]
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

    [request] = [one for one in backend_of_panel.requests if one.method == "POST"]
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

    assert [one for one in backend_of_panel.requests if one.method == "POST"] == []


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
