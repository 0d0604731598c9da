"""From what two papers print to a person's own saved edit, on a real wiki.

A watcher asks for `updates`; the daemon asks search services, reads what they find, and
the newer facts stand in the report and beside the article, until somebody has put them
there. Under *pointer* a citation and a tag are offered, under *wording* a model's edit.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, sleep

import pytest
from playwright.sync_api import Browser, Locator, expect, sync_playwright

from bot.app.wiring.demo import BOT
from bot.demo.loopback.wiki.building import ADMIN, ADMIN_PASSWORD
from bot.store import Store
from tests.demo_program import Person, demo
from tests.panel_place import REPORT, beside_it, open_panel, write
from tests.rig.browser import open_chromium
from tests.rig.wiki.mediawiki import mediawiki_here
from tests.updates_web import (
    BANNED,
    BRIDGE,
    CLOSED,
    COUNTED,
    CROSSED,
    INSERTED,
    LENS,
    LIGHTHOUSE,
    PERSON,
    STAFF,
    News,
    Web,
    serve_web,
)

pytestmark = pytest.mark.mediawiki

_BY = "([[User:SidenoteBot|Sidenote]])"
_CARS = "As of May 2024, Harbour Bridge carries 12,000 vehicles a day."
_PEOPLE = "As of May 2024, Skarholm Lighthouse employs 12 people."
_PAINTED = "Its walls were painted in 1998."
_OLD = "<ref>{{cite web |url=https://old.example/2024 |title=Figures |date=May 2024}}</ref>"
_LIGHT = (
    '<ref name="light">{{cite web |url=https://old.example/l |title=The light}}</ref>'
)
_ARTICLES = {
    BRIDGE: f"""\
'''Harbour Bridge''' is a road bridge in Port Example.

== History ==
Harbour Bridge was opened in 1932 by the mayor, Ada Stone.

== Traffic ==
{_CARS}{_OLD}
""",
    LIGHTHOUSE: f"""\
'''Skarholm Lighthouse''' is a lighthouse on the island of Skarholm.{_LIGHT}

== Upkeep ==
{_PEOPLE}{_OLD} {_PAINTED}<ref name="light" />
""",
    PERSON: """\
'''Clara Stone''' (born 1970) is a politician of Port Example.

== Career ==
Clara Stone has been a member of the city council since 2015.

[[Category:Living people]]
""",
}
_NIGHT = """() => {
    document.documentElement.classList.add( 'skin-theme-clientpref-night' );
    return new Promise( requestAnimationFrame ).then( () =>
        Promise.all( document.getAnimations().map( ( each ) => each.finished ) )
    ).then( () => null );
}"""
_MINUTE_S = 180.0


@dataclass
class _Place:
    """The wiki, the web, and people at both."""

    web: Web
    store: Store
    host: str
    chromium: Browser
    anonymous: Person
    alice: Person
    admin: Person

    def ask(self, *titles: str) -> None:
        pages = "; ".join(titles)
        call = f"{{{{User:{BOT}/watch |pages={pages} |checks=updates |surface=report, gadget}}}}"
        self.alice.save("User:Alice/Sidenote", lambda _: call)

    def allow(self, policy: str) -> None:
        checks = ["citations", "better-sources", "drift", "updates"]
        page = json.dumps({"policy": policy, "checks": checks})
        write(self.admin, {"MediaWiki:Sidenote.json": page})

    def searched(self, title: str) -> int:
        """Wait for the search about a page; return how many updates it found."""
        until_s = monotonic() + _MINUTE_S
        while (run := self.store.discoveries.last(self.host, title)) is None:
            assert monotonic() < until_s, f"nobody searched for {title}"
            sleep(0.1)
        return run.updates

    def cited(self, page: News) -> str:
        """Return the footnote that cites a page."""
        return (
            f"<ref>{{{{cite web |date={page.day} |url={self.web.address(page)}"
            f" |title={page.title} |language=en"
            f" |access-date={datetime.now(UTC):%Y-%m-%d}}}}}</ref>"
        )


@pytest.fixture(scope="module")
def place() -> Iterator[_Place]:
    mediawiki_here()
    with (
        serve_web() as web,
        demo(web.settings) as running,
        beside_it(running) as store,
        sync_playwright() as playwright,
        open_chromium(playwright) as chromium,
    ):
        somebody, alice, admin = (
            Person(chromium.new_context().new_page(), running.wiki) for _ in range(3)
        )
        host = running.wiki.removeprefix("http://")
        new_place = _Place(web, store, host, chromium, somebody, alice, admin)
        admin.log_in(ADMIN, ADMIN_PASSWORD)
        write(admin, _ARTICLES)
        new_place.allow("pointer")
        alice.log_in("Alice")
        new_place.ask(BRIDGE, PERSON)
        yield new_place


def _card(panel: Locator, words: str) -> Locator:
    """Return the card that shows these words, be it folded among the doubtful ones."""
    for each in panel.locator(".sidenote-chip[aria-pressed=false]:visible").all():
        each.click()
    return panel.locator(".sidenote-card:visible", has_text=words)


def _edited(person: Person, card: Locator, button: str, title: str) -> tuple[str, str]:
    """Open the editor from a card and save; return the summary and the page's text."""
    card.get_by_role("button", name=button).click()
    person.tab.wait_for_selector("#wikiPreview .mw-parser-output")
    summary = person.tab.input_value("#wpSummary")
    person.tab.click("#wpSave")
    person.tab.wait_for_url("**/wiki/**")
    return summary, person.source(title)


def test_newer_facts_stand_in_the_report_with_both_papers(place: _Place) -> None:
    assert place.searched(BRIDGE) == 2

    place.alice.waits_for(
        REPORT, lambda text: COUNTED.quote in text and CLOSED.quote in text
    )

    assert place.alice.tab.get_by_role("link", name="127.0.0.2").count()


def test_of_living_persons_nothing_stands_on_public_pages(place: _Place) -> None:
    assert place.searched(PERSON) == 1

    assert PERSON not in place.alice.read(REPORT)
    panel = open_panel(place.anonymous, PERSON)
    expect(panel.locator(".sidenote-card")).to_have_count(0)


def test_a_card_has_the_old_sentence_beside_the_newer_ones(
    place: _Place, tmp_path: Path
) -> None:
    tab = place.anonymous.tab
    tab.set_viewport_size({"width": 1280, "height": 1400})
    card = _card(open_panel(place.anonymous, BRIDGE), COUNTED.quote)

    card.get_by_text("Why was this found?").click()

    for words in (_CARS, CROSSED.quote, COUNTED.title, CROSSED.title):
        expect(card).to_contain_text(words)
    expect(card).to_contain_text("2 independent")
    tab.screenshot(path=tmp_path / "light.png")
    tab.evaluate(_NIGHT)
    tab.screenshot(path=tmp_path / "dark.png")


def test_pointer_offers_a_citation_and_a_mark_and_no_words(place: _Place) -> None:
    person = place.anonymous
    card = _card(open_panel(person, BRIDGE), COUNTED.quote)

    summary, after = _edited(person, card, "Cite", BRIDGE)

    mark = f"{{{{Update inline|date={datetime.now(UTC):%B %Y}}}}}"
    cited = f"{_CARS}{_OLD}{place.cited(COUNTED)}{mark}"
    assert after == _ARTICLES[BRIDGE].replace(_CARS + _OLD, cited).rstrip()
    assert summary == f"Cited “{COUNTED.title}” and tagged as outdated {_BY}"
    expect(_card(open_panel(person, BRIDGE), COUNTED.quote)).to_have_count(0)
    place.alice.waits_for(REPORT, lambda text: COUNTED.quote not in text)
    assert CLOSED.quote in place.alice.read(REPORT)


def test_a_new_fact_goes_once_somebody_has_written_it(place: _Place) -> None:
    person = place.anonymous
    card = _card(open_panel(person, BRIDGE), CLOSED.quote)
    expect(card).to_contain_text(BANNED.quote)
    sentence = f"Lorries are banned since a check of its girders.{place.cited(BANNED)}"

    person.save(BRIDGE, lambda text: f"{text}\n{sentence}")

    expect(_card(open_panel(person, BRIDGE), CLOSED.quote)).to_have_count(0)
    place.alice.waits_for(REPORT, lambda text: CLOSED.quote not in text)


def test_wording_fills_the_form_with_the_smallest_edit(
    place: _Place, tmp_path: Path
) -> None:
    place.allow("wording")
    place.ask(BRIDGE, PERSON, LIGHTHOUSE)
    assert place.searched(LIGHTHOUSE) == 2
    place.alice.waits_for(REPORT, lambda text: _PEOPLE in text)
    person, before = place.anonymous, _ARTICLES[LIGHTHOUSE].rstrip()

    card = _card(open_panel(person, LIGHTHOUSE), STAFF.quote)
    marked = card.locator(".sidenote-wording")
    expect(marked.locator("del")).to_have_text(["May 2024,", "12"])
    expect(marked.locator("ins")).to_have_text(
        [f"{STAFF.month},", "15", f"<ref>{STAFF.title}</ref>"]
    )
    card.screenshot(path=tmp_path / "wording.png")
    _, after = _edited(person, card, "Open the suggested wording", LIGHTHOUSE)

    newer = _PEOPLE.replace("May 2024", STAFF.month).replace("12 people", "15 people")
    changed = before.replace(_PEOPLE + _OLD, newer + _OLD + place.cited(STAFF))
    assert after.rstrip() == changed

    card = _card(open_panel(person, LIGHTHOUSE), LENS.quote)
    expect(_card(open_panel(person, LIGHTHOUSE), STAFF.quote)).to_have_count(0)
    _, after = _edited(person, card, "Open the suggested wording", LIGHTHOUSE)

    painted = f'{_PAINTED}<ref name="light" />'
    sentence = f"{painted} {INSERTED}{place.cited(LENS)}"
    assert after.rstrip() == changed.replace(painted, sentence)
    panel = open_panel(person, LIGHTHOUSE)
    expect(panel.locator(".sidenote-card")).to_have_count(0)
    place.alice.waits_for(REPORT, lambda text: LIGHTHOUSE not in text)
