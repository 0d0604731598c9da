"""What `sidenote demo` promises, done in a browser as a newcomer does it."""

from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from bot.bootstrap.loopback_wiki import BOT
from tests.demo_program import Person, demo
from tests.rig.browser import open_chromium
from tests.rig.fixtures import changes_port, wiki, wiki_proxy

__all__ = ["changes_port", "wiki", "wiki_proxy"]

pytestmark = pytest.mark.mediawiki
_WATCHED = "Lighthouse of Skarholm"
_SOURCE = "https://www.weather.gov/lzk/2020.htm"
_TRUE = (
    "The tornado was rated EF3.<ref>{{cite web |url=" + _SOURCE + " |title=2020}}</ref>"
)
_FALSE = (
    "The keeper of the lighthouse bred four hundred white peacocks in 1787.<ref>"
    "{{cite web |url=" + _SOURCE + " |title=2020}}</ref>"
)


@pytest.mark.usefixtures("wiki")  # skips where there is none
def test_a_newcomer_sees_a_note_come_and_go_and_is_answered_on_the_talk_page(
    tmp_path: Path,
) -> None:
    with (
        demo() as (address, status, _),
        sync_playwright() as playwright,
        open_chromium(playwright) as chromium,
    ):
        alice = Person(chromium.new_context().new_page(), address).log_in("Alice")
        bob = Person(chromium.new_context().new_page(), address).log_in("Bob")
        bob.save(_WATCHED, lambda _: f"'''Skarholm''' is a lighthouse. {_TRUE}\n")

        # A report in one's own space.
        alice.save(
            "User:Alice/Sidenote",
            lambda _: f"Mine.\n\n{{{{User:{BOT}/watch |pages={_WATCHED}}}}}",
        )
        alice.waits_for("User:Alice/Sidenote", lambda text: "watches 1 page" in text)
        bob.save(_WATCHED, lambda text: f"{text}\n{_FALSE}\n")
        report = "User:Alice/Sidenote report"
        alice.waits_for(report, lambda text: "four hundred white peacocks" in text)
        alice.tab.screenshot(path=tmp_path / "report.png", full_page=True)
        assert "weather.gov" in alice.tab.inner_text("#mw-content-text")
        bob.save(_WATCHED, lambda text: text.replace(_FALSE, ""))
        alice.waits_for(report, lambda text: "There are no notes" in text)

        # The talk page, with an answer of a person in between.
        talk = f"Talk:{_WATCHED}"
        alice.save(talk, lambda _: f"{{{{User:{BOT}/watch |surface=talk}}}}\n")
        bob.save(_WATCHED, lambda text: f"{text}\n{_FALSE}\n")
        alice.waits_for(talk, lambda text: "peacocks" in text)
        answer = "\n: I will look it up. ~~~~"
        alice.save(talk, lambda text: text.rstrip() + answer)
        alice.tab.screenshot(path=tmp_path / "talk.png", full_page=True)
        before = alice.source(talk)
        bob.save(_WATCHED, lambda text: text.replace(_FALSE, ""))
        alice.waits_for(talk, lambda text: "the sentence has been changed" in text)
        alice.tab.screenshot(path=tmp_path / "settled.png", full_page=True)
        after = alice.source(talk)
        assert after == before.replace("(open)", "(the sentence has been changed)")

        alice.tab.goto(f"{status}/status")
        assert "Last posted" in alice.tab.inner_text("body")
