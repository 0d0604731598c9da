"""The demo in a browser, as a newcomer sees it: the panel, the report, a talk page."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from playwright.sync_api import Locator, expect, sync_playwright

from bot.app.wiring.demo import BOT
from bot.demo.loopback.wiki.building import ADMIN, ADMIN_PASSWORD
from bot.records.panel_edits import CHANGE_TAG
from tests.bot.writing.people import Person as Api
from tests.demo_program import Person, demo
from tests.rig.browser import open_chromium
from tests.rig.wiki.mediawiki import mediawiki_here

pytestmark = pytest.mark.mediawiki
_WATCHED = "Lighthouse of Skarholm"
_REPORT = "User:Alice/Sidenote report"
_SOURCE = "https://www.weather.gov/lzk/2020.htm"
_CITED = "<ref>{{cite web |url=" + _SOURCE + " |title=2020}}</ref>"
_PEACOCKS = "The keeper of the lighthouse bred four hundred white peacocks in 1787."
_ORGAN = "Its lantern room holds a pipe organ that was built by Swedish monks in 1702."
_TEXT = (
    f"'''Skarholm''' is a lighthouse. The tornado was rated EF3.{_CITED}\n\n"
    f"{_PEACOCKS}{_CITED}\n\n== Organ ==\n{_ORGAN}{_CITED}\n"
)


def _panel(person: Person) -> Locator:
    """Open the panel beside the article, as a reader does."""
    person.read(_WATCHED)
    person.tab.locator("#ca-sidenote a").click()
    panel = person.tab.locator(".sidenote-panel")
    panel.wait_for()
    consent = panel.get_by_role("button", name="Fetch notes")
    settled = panel.locator(".sidenote-card:visible, [role=status]:visible").first
    expect(consent.or_(settled).first).to_be_visible()
    if consent.is_visible():
        consent.click()
    return panel


def _card(panel: Locator, words: str) -> Locator:
    return panel.locator(".sidenote-card:visible").filter(has_text=words)


def _dismiss(person: Person, card: Locator, why: str) -> None:
    card.get_by_role("button", name="Dismiss").click()
    card.get_by_role("button", name=why).click()
    sign_in = person.tab.get_by_role("button", name="Sign in")
    done = person.tab.get_by_role("button", name="Undo")
    expect(sign_in.or_(done).first).to_be_visible()
    if sign_in.is_visible():
        sign_in.click()
        person.tab.get_by_role("button", name="Save it on my page").click()
    expect(done).to_be_visible()


@dataclass
class _Readers:
    """Alice asked for notes; Bob edits; somebody reads without an account."""

    alice: Person
    bob: Person
    anonymous: Person
    reports: Person  # Alice again, in a second tab
    status: str  # the address of its page

    def report_says(self, words: str, *, is_there: bool) -> None:
        self.reports.waits_for(_REPORT, lambda text: (words in text) is is_there)


@pytest.fixture(scope="module")
def readers() -> Iterator[_Readers]:
    mediawiki_here()
    with (
        demo() as (address, status, _),
        sync_playwright() as playwright,
        open_chromium(playwright) as chromium,
    ):
        alice, bob, anonymous = (
            Person(chromium.new_context().new_page(), address) for _ in range(3)
        )
        signed_in = _Readers(
            alice.log_in("Alice"),
            bob.log_in("Bob"),
            anonymous,
            Person(alice.tab.context.new_page(), address),
            status,
        )
        bob.save(_WATCHED, lambda _: _TEXT)
        watch = f"{{{{User:{BOT}/watch |pages={_WATCHED} |surface=report, gadget}}}}"
        alice.save("User:Alice/Sidenote", lambda _: watch)
        for words in ("peacocks", "organ"):
            signed_in.report_says(words, is_there=True)
        yield signed_in


def test_anybody_reads_the_notes_beside_their_sentences(
    readers: _Readers, tmp_path: Path
) -> None:
    panel = _panel(readers.anonymous)

    card = _card(panel, "peacocks")
    expect(card).to_be_visible()
    assert "weather.gov" in card.inner_text()
    marked = "[...CSS.highlights.values()].flatMap(h => [...h]).map(r => r.toString())"
    assert any("peacocks" in words for words in readers.anonymous.tab.evaluate(marked))
    readers.anonymous.tab.screenshot(path=tmp_path / "anonymous.png")


def test_a_saved_edit_takes_its_card_and_its_note_away(
    readers: _Readers, tmp_path: Path
) -> None:
    alice = readers.alice
    card = _card(_panel(alice), "organ")
    card.get_by_role("button", name="Add {{Failed verification}}").click()
    alice.tab.wait_for_selector("#wikiPreview")

    assert "failed verification" in alice.tab.inner_text("#wikiPreview").lower()
    assert "{{Failed verification}}" in alice.tab.input_value("#wpSummary")
    assert alice.tab.input_value("#wpTextbox1").startswith("== Organ ==")
    alice.tab.screenshot(path=tmp_path / "editor.png")
    alice.tab.click("#wpSave")
    alice.tab.wait_for_url("**/wiki/**")

    text = alice.source(_WATCHED)
    [line] = [line for line in text.splitlines() if "{{Failed verification" in line]
    assert text.replace(line, f"{_ORGAN}{_CITED}").rstrip() == _TEXT.rstrip()
    panel = _panel(alice)
    expect(_card(panel, "peacocks")).to_be_visible()
    expect(_card(panel, "organ")).to_have_count(0)
    readers.report_says("organ", is_there=False)


def test_the_same_note_stands_in_the_visual_editor(
    readers: _Readers, tmp_path: Path
) -> None:
    tab = readers.alice.tab
    _panel(readers.alice)  # and agrees that the notes are fetched
    kept = "JSON.parse( mw.user.options.get( 'userjs-sidenote' ) || '{}' ).noticed"
    tab.wait_for_function(kept)
    title = _WATCHED.replace(" ", "_")
    tab.goto(f"{readers.alice.wiki}/wiki/{title}?veaction=edit&ecenable=1")

    cards = tab.locator(".ve-ui-editCheckDialog .sidenote-check")
    expect(cards.filter(has_text="peacocks")).to_contain_text("weather.gov")
    tab.screenshot(path=tmp_path / "visual-editor.png")


def test_an_edit_saved_there_carries_the_change_tag(readers: _Readers) -> None:
    wiki, title = readers.alice.wiki, "Windmill of Skarholm"
    readers.bob.save(title, lambda _: "A windmill.\n")
    admin = Api(urlsplit(wiki).netloc, ADMIN).log_in(ADMIN_PASSWORD)
    admin.post("managetags", operation="create", tag=CHANGE_TAG, reason="notes")
    tab = readers.alice.tab
    summary = quote(f"checked against the source ([[User:{BOT}|Sidenote]])")
    query = f"title={title.replace(' ', '_')}&veaction=edit&summary={summary}"
    tab.goto(f"{wiki}/w/index.php?{query}")

    target = "window.ve && ve.init && ve.init.target"
    tab.wait_for_function(f"() => !!( {target} && {target}.saveFields?.tags )")
    tab.evaluate(
        """() => ve.init.target.getSurface().getModel().getLinearFragment(
            new ve.Range( 1 ) ).insertContent( 'White: ' )"""
    )
    tab.evaluate("() => ve.init.target.showSaveDialog()")
    tab.locator(".oo-ui-processDialog-actions-primary a").first.click()
    readers.alice.waits_for(title, lambda text: "White:" in text)

    answer = admin.get(action="query", titles=title, prop="revisions", rvprop="tags")
    [newest] = answer["query"]["pages"][0]["revisions"]
    assert CHANGE_TAG in newest["tags"]
    admin.web.close()


def test_a_refusal_goes_from_ones_own_report_and_comes_back_when_undone(
    readers: _Readers, tmp_path: Path
) -> None:
    alice, panel = readers.alice, _panel(readers.alice)

    _dismiss(alice, _card(panel, "peacocks"), "The source says it")

    alice.tab.screenshot(path=tmp_path / "dismissed.png")
    expect(_card(panel, "peacocks")).to_have_count(0)
    readers.report_says("peacocks", is_there=False)
    alice.tab.get_by_role("button", name="Undo").click()
    expect(_card(panel, "peacocks")).to_be_visible()
    readers.report_says("peacocks", is_there=True)


def test_what_two_readers_refuse_is_closed_for_everybody(readers: _Readers) -> None:
    for one, why in ((readers.alice, "The source says it"), (readers.bob, "Not worth")):
        _dismiss(one, _card(_panel(one), "peacocks"), why)

    panel = _panel(readers.anonymous)
    expect(panel.get_by_role("button", name="Check this page now")).to_be_visible()
    expect(_card(panel, "peacocks")).to_have_count(0)
    readers.report_says("peacocks", is_there=False)


def test_a_requested_check_is_shown_step_by_step(readers: _Readers) -> None:
    new = "A choir of forty herrings sings there every night since 1850."
    readers.bob.save(_WATCHED, lambda text: f"{text.rstrip()}\n\n{new}{_CITED}\n")
    panel = _panel(readers.alice)

    panel.get_by_role("button", name="Check this page now").click()

    expect(_card(panel, "herrings")).to_be_visible()


def test_a_talk_page_gets_notes_and_peoples_answers_stay(
    readers: _Readers, tmp_path: Path
) -> None:
    alice, bob = readers.alice, readers.bob
    article, talk = "Windmill of Skarholm", "Talk:Windmill of Skarholm"
    false = f"{_PEACOCKS}{_CITED}"
    bob.save(article, lambda _: f"It was rated EF3.{_CITED}\n\n{false}\n")

    alice.save(talk, lambda _: f"{{{{User:{BOT}/watch |surface=talk}}}}\n")
    alice.waits_for(talk, lambda text: "peacocks" in text)
    answer = "\n: I will look it up. ~~~~"
    alice.save(talk, lambda text: text.rstrip() + answer)
    alice.tab.screenshot(path=tmp_path / "talk.png", full_page=True)
    before = alice.source(talk)
    bob.save(article, lambda text: text.replace(false, ""))
    alice.waits_for(talk, lambda text: "the sentence has been changed" in text)

    after = alice.source(talk)
    assert after == before.replace("(open)", "(the sentence has been changed)")
    alice.tab.goto(f"{readers.status}/status")
    assert "Last posted" in alice.tab.inner_text("body")
