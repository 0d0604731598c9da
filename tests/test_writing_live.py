"""From a word that a guideline warns of to a person's own mending, on a real wiki.

A watcher asks for `writing` where the community offers it; the worker reviews the page
as it looks at its citations, and what it finds stands in the watcher's report and beside
the article, on the words, until somebody mends them or takes the note away.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect, sync_playwright

from bot.app.wiring.demo import BOT
from bot.demo.loopback.wiki.building import ADMIN, ADMIN_PASSWORD
from tests.demo_program import Person, demo
from tests.panel_place import REPORT, open_panel, sign_in, write
from tests.rig.browser import open_chromium
from tests.rig.wiki.mediawiki import mediawiki_here

pytestmark = pytest.mark.mediawiki

_MILL = "Skarholm Mill"
_PRAISED = "Its iconic tower is a breathtaking landmark of the whole island."
_MENDED = "Its tower can be seen from the whole island."
_VAGUE = "Some people say that it was the first mill of the island."
_PRAISE, _NOBODY = "Praise in the article’s own voice", "Unsupported attribution"
_CITED = "<ref>{{cite web |url=https://old.example/mill |title=The mill}}</ref>"
_BUILT = f"It was built in 1890.{_CITED}"
_ARTICLE = f"""\
'''Skarholm Mill''' is a windmill on the island of Skarholm.{_CITED}

== Tower ==
{_PRAISED} {_BUILT}

== History ==
{_VAGUE} {_BUILT}
"""
_PAINTED = "() => [...CSS.highlights.values()].flatMap( h => [...h] ).map( String )"


@dataclass
class _Place:
    """Alice follows the mill, and somebody reads and edits."""

    anonymous: Person
    alice: Person


@pytest.fixture(scope="module")
def place() -> Iterator[_Place]:
    mediawiki_here()
    with (
        demo() as running,
        sync_playwright() as playwright,
        open_chromium(playwright) as chromium,
    ):
        somebody, alice, admin = (
            Person(chromium.new_context().new_page(), running.wiki) for _ in range(3)
        )
        admin.log_in(ADMIN, ADMIN_PASSWORD)
        offered = json.dumps({"checks": ["citations", "writing"]})
        write(admin, {_MILL: _ARTICLE, "MediaWiki:Sidenote.json": offered})
        alice.log_in("Alice")
        call = f"{{{{User:{BOT}/watch |pages={_MILL} |checks=writing}}}}"
        alice.save("User:Alice/Sidenote", lambda _: call)
        yield _Place(somebody, alice)


def _card(panel: Locator, title: str) -> Locator:
    return panel.locator(".sidenote-card:visible", has_text=title)


def test_the_report_names_words_and_their_guideline(
    place: _Place, tmp_path: Path
) -> None:
    place.alice.waits_for(REPORT, lambda text: _PRAISED in text and _VAGUE in text)

    puffery = place.alice.tab.get_by_role("link", name="MOS:PUFFERY")
    address = "https://en.wikipedia.org/wiki/MOS:PUFFERY"
    assert puffery.first.get_attribute("href") == address
    place.alice.tab.screenshot(path=tmp_path / "report.png")


def test_a_card_stands_on_the_words_with_their_guideline(
    place: _Place, tmp_path: Path
) -> None:
    tab = place.anonymous.tab
    tab.set_viewport_size({"width": 1280, "height": 1400})
    card = _card(open_panel(place.anonymous, _MILL), _PRAISE)

    expect(card).to_contain_text("landmark of the whole island.")
    marked = card.locator(".sidenote-meant")
    assert "iconic" in marked.first.inner_text()
    assert any("iconic" in words for words in tab.evaluate(_PAINTED))
    link = card.get_by_role("link", name="MOS:PUFFERY")
    address = "https://en.wikipedia.org/wiki/MOS:PUFFERY"
    assert link.get_attribute("href") == address
    assert card.get_by_role("button", name="Wrong verdict").count() == 0
    tab.screenshot(path=tmp_path / "light.png")
    card.screenshot(path=tmp_path / "card.png")


def test_who_dismisses_a_note_does_not_get_it_again(place: _Place) -> None:
    alice = place.alice
    card = _card(open_panel(alice, _MILL), _NOBODY)
    card.get_by_role("button", name="Dismiss").click()
    card.get_by_role("button", name="It is fine as it is").click()
    sign_in(alice)
    expect(alice.tab.get_by_role("button", name="Undo")).to_be_visible()

    expect(_card(open_panel(alice, _MILL), _NOBODY)).to_have_count(0)
    alice.waits_for(REPORT, lambda text: _VAGUE not in text and _PRAISED in text)


def test_a_note_goes_when_somebody_mends_the_words(place: _Place) -> None:
    person = place.anonymous
    card = _card(open_panel(person, _MILL), _PRAISE)
    card.get_by_role("button", name="Fix in the editor").click()
    box = person.tab.locator("#wpTextbox1")
    assert box.input_value().rstrip() == f"== Tower ==\n{_PRAISED} {_BUILT}"

    box.fill(f"== Tower ==\n{_MENDED} {_BUILT}")
    person.tab.click("#wpSave")
    person.tab.wait_for_url("**/wiki/**")

    expect(_card(open_panel(person, _MILL), _PRAISE)).to_have_count(0)
    place.alice.waits_for(REPORT, lambda text: _PRAISED not in text)
    assert _VAGUE not in place.alice.read(REPORT)
