"""What `sidenote demo` promises, done in a browser as a newcomer does it."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Page as Tab
from playwright.sync_api import sync_playwright

from bot.bootstrap.loopback_wiki import BOT, PASSWORD
from bot.loopback.wiki.serving import free_port
from tests.rig.browser import open_chromium
from tests.rig.fixtures import changes_port, wiki, wiki_proxy

__all__ = ["changes_port", "wiki", "wiki_proxy"]

pytestmark = pytest.mark.mediawiki
_ROOT = Path(__file__).parents[1]
_WATCHED = "Lighthouse of Skarholm"
_SOURCE = "https://www.weather.gov/lzk/2020.htm"
_TRUE = (
    "The tornado was rated EF3.<ref>{{cite web |url=" + _SOURCE + " |title=2020}}</ref>"
)
_FALSE = (
    "The keeper of the lighthouse bred four hundred white peacocks in 1787.<ref>"
    "{{cite web |url=" + _SOURCE + " |title=2020}}</ref>"
)
_MINUTE_S = 60.0


@dataclass
class Person:
    """Somebody at a browser, logged in."""

    tab: Tab
    wiki: str

    def log_in(self, name: str) -> "Person":
        self.tab.goto(f"{self.wiki}/w/index.php?title=Special:UserLogin")
        self.tab.fill("#wpName1", name)
        self.tab.fill("#wpPassword1", PASSWORD)
        self.tab.click("#wpLoginAttempt")
        self.tab.wait_for_selector("#pt-userpage, #pt-userpage-2, #p-personal")
        return self

    def read(self, title: str) -> str:
        """Return what a reader sees of a page."""
        self.tab.goto(f"{self.wiki}/wiki/{title.replace(' ', '_')}")
        return self.tab.inner_text("#mw-content-text")

    def source(self, title: str) -> str:
        self.tab.goto(f"{self.wiki}/w/index.php?title={title}&action=edit")
        return self.tab.input_value("#wpTextbox1")

    def save(self, title: str, change: Callable[[str], str]) -> None:
        """Edit a page in the wiki's own form."""
        self.tab.goto(f"{self.wiki}/w/index.php?title={title}&action=edit")
        self.tab.fill("#wpTextbox1", change(self.tab.input_value("#wpTextbox1")))
        self.tab.click("#wpSave")
        self.tab.wait_for_url("**/wiki/**")

    def waits_for(self, title: str, is_there: Callable[[str], bool]) -> float:
        """Read a page again and again, and return the seconds it took to be so."""
        began_s = time.monotonic()
        while not is_there(self.read(title)):
            took_s = time.monotonic() - began_s
            assert took_s < _MINUTE_S, self.tab.inner_text("#mw-content-text")
            time.sleep(0.3)
        return time.monotonic() - began_s


@contextmanager
def demo() -> Iterator[tuple[str, str]]:
    """Run it; give the addresses of the wiki and of the status page."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "bot", "demo", "--port", str(port)],
        cwd=_ROOT,
        env={
            **os.environ,
            "SIDENOTE_DATA_DIR": str(_ROOT / ".cache" / "data"),
            "SIDENOTE_SERVE_PORT": "0",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert process.stdout
        told = "".join(
            iter(
                process.stdout.readline,
                "What is changed there is gone at the end. Ctrl-C ends it.\n",
            )
        )
        [status] = re.findall(r"How the bot is doing: +(\S+)", told)
        yield f"http://127.0.0.1:{port}", status
    finally:
        process.terminate()
        process.communicate(timeout=10)
    assert process.returncode == 0


@pytest.mark.usefixtures("wiki")  # skips where there is none
def test_a_newcomer_sees_a_note_come_and_go_and_is_answered_on_the_talk_page(
    tmp_path: Path,
) -> None:
    with (
        demo() as (address, status),
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
