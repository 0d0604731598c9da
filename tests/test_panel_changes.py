"""A note about an edit on a real wiki: beside the article, above its diff, and put right."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect, sync_playwright
from playwright.sync_api import Page as Tab

from bot.report import PageReport
from bot.store import Store
from handlers.model import Page, PageId
from handlers.page import parse
from tests import builders
from tests.demo_program import Person, demo
from tests.gadget.cards.changes import moved_away
from tests.panel_place import beside_it, open_here, open_panel, write
from tests.rig.browser import open_chromium
from tests.rig.wiki.mediawiki import mediawiki_here

pytestmark = pytest.mark.mediawiki

TITLE = "An edit and its source"
WAS, IS = "The tower is 412 feet high.", "The tower is 412 metres high."
_CITED = "<ref>{{cite web |url=https://log.example/1 |title=Log of the tower}}</ref>"
_REST = f" It stands at the harbour.\n\n== More ==\nIt has a clock.{_CITED}"
OTHER = "It is kept by two sisters."
_IDS = "action=query&prop=revisions&rvprop=ids&rvlimit=10&format=json&formatversion=2"


@dataclass
class _Place:
    """Two readers of an article that was edited away from its source."""

    bob: Person
    somebody: Person
    revisions: list[int]  # the first, the edit, and one that has nothing to do with it
    chromium: Browser


def _text(words: str, more: str = "") -> str:
    return f"{words}{_CITED}{_REST}{more}"


def _revision(person: Person, wiki: str, text: str) -> Page:
    """Save a revision of the article, and return it as the program reads it."""
    write(person, {TITLE: text})
    asked = f"{person.wiki}/w/api.php?{_IDS}&titles={TITLE}"
    [page] = person.tab.request.get(asked).json()["query"]["pages"]
    at = datetime.now(UTC).replace(microsecond=0) - timedelta(hours=3)
    number = page["revisions"][0]["revid"]
    return parse(text, PageId(wiki, TITLE, revision_id=number, revised_at=at))


def _keep(store: Store, before: Page, after: Page) -> None:
    """Put the note about an edit into the store, as the worker does."""
    report = PageReport(after, (), builders.ENGINE, datetime.now(UTC), 1.0)
    store.save_check(report, (), beside={"changed": moved_away(before, after)})


@pytest.fixture(scope="module")
def place() -> Iterator[_Place]:
    mediawiki_here()
    with (
        demo() as running,
        beside_it(running) as store,
        sync_playwright() as playwright,
        open_chromium(playwright) as chromium,
    ):
        host = running.wiki.removeprefix("http://")
        bob, somebody = (
            Person(chromium.new_context().new_page(), running.wiki) for _ in range(2)
        )
        bob.log_in("Bob")
        before, after, later = (
            _revision(bob, host, text)
            for text in (_text(WAS), _text(IS), _text(IS, OTHER))
        )
        _keep(store, before, after)
        numbers = [one.id.revision_id or 0 for one in (before, after, later)]
        yield _Place(bob, somebody, numbers, chromium)


def _diff(person: Person, older: int, newer: int, more: str = "") -> Locator:
    """Open a diff; return where its notes are, if there are any."""
    address = f"{person.wiki}/w/index.php?diff={newer}&oldid={older}{more}"
    with person.tab.expect_response("**/load.php?*"):
        person.tab.goto(address)
    person.tab.wait_for_load_state("networkidle")
    return person.tab.locator(".sidenote-diff")


def _api(tab: Tab) -> list[str]:
    """Return the list of what a tab will ask the backend."""
    asked: list[str] = []
    tab.on("request", lambda one: "/api/v1/" in one.url and asked.append(one.url))
    return asked


def test_a_diff_shows_nothing_and_asks_nobody_before_the_reader_opens_the_notes(
    place: _Place,
) -> None:
    asked = _api(place.somebody.tab)
    open_panel(place.somebody, TITLE)
    assert asked
    asked.clear()

    notes = _diff(place.somebody, place.revisions[0], place.revisions[1])

    expect(notes).to_have_count(0)
    assert asked == []
    place.somebody.tab.locator("#ca-sidenote a").click()
    expect(notes.locator("ins")).to_contain_text("metres")


def test_the_card_stands_first_beside_the_article(place: _Place) -> None:
    panel = open_panel(place.somebody, TITLE)

    card = panel.locator(".sidenote-card").first
    expect(card.locator("del")).to_contain_text("feet")
    expect(card.locator("ins")).to_contain_text("metres")
    expect(card.get_by_text("Edited 3 hours ago")).to_be_visible()


def test_who_chose_that_sees_each_diffs_notes_at_once_and_none_where_there_are_none(
    place: _Place, tmp_path: Path
) -> None:
    tab = place.somebody.tab
    panel = open_panel(place.somebody, TITLE)
    panel.get_by_role("button", name="Preferences").click()
    tab.get_by_label("Show on every diff what the edit did to its sources").check()
    tab.get_by_role("button", name="Save").click()
    tab.wait_for_function(
        "() => localStorage[ 'userjs-sidenote' ].includes( '\"diffs\":true' )"
    )
    first, second, third = place.revisions
    for older, newer in ((first, second), (first, third)):
        notes = _diff(place.somebody, older, newer)
        expect(notes.locator(".sidenote-card")).to_have_count(1)
        to_the_diff = notes.get_by_role("link", name="Open the diff")
        expect(to_the_diff).to_have_count(int(newer == third))
        place.somebody.tab.screenshot(path=tmp_path / f"diff-{newer}.png")
    expect(_diff(place.somebody, second, third)).to_have_count(0)
    place.somebody.tab.goto(f"{place.somebody.wiki}/wiki/Special:Diff/{second}")
    expect(place.somebody.tab.locator(".sidenote-diff del")).to_contain_text("feet")


def test_the_old_words_are_filled_in_and_the_wikis_form_undoes_the_edit(
    place: _Place,
) -> None:
    bob = place.bob
    notes = _diff(bob, place.revisions[0], place.revisions[1])
    with bob.tab.expect_response("**/api.php"):  # his account keeps that he agrees
        open_here(bob)
    _diff(bob, place.revisions[0], place.revisions[1])
    bob.tab.locator("#ca-sidenote a").click()
    with bob.tab.context.expect_page() as opened:
        notes.get_by_role("button", name="Open the wiki’s undo form").click()
    form = opened.value
    form.wait_for_selector("#wpTextbox1")
    assert form.input_value("#wpTextbox1").rstrip() == _text(WAS, OTHER)
    form.close()

    notes.get_by_role("button", name="Put the old words back").click()
    bob.tab.wait_for_selector("#wikiPreview .mw-parser-output")

    assert bob.tab.input_value("#wpSummary") == (
        "Restored the words that “Log of the tower” supports"
        " ([[User:SidenoteBot|Sidenote]])"
    )
    bob.tab.click("#wpSave")
    bob.tab.wait_for_url("**/wiki/**")
    assert bob.source(TITLE).rstrip() == _text(WAS, OTHER)
    expect(open_panel(bob, TITLE).locator(".sidenote-card del")).to_have_count(0)
