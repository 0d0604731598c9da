"""A newcomer's first look at the panel: `sidenote run`, a browser, and no wiki."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, expect

from bot.app.wiring.store import make_folder
from tests.gadget.local_page.running import Running
from tests.rig.axe import violations

pytestmark = pytest.mark.browser

_ANT = f"/panel/en.wikipedia.org/{quote('Parasitic ant')}"
_TORNADO = f"/panel/en.wikipedia.org/{quote('2020 Jonesboro tornado')}"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("data")
    make_folder(folder)
    with Running(folder) as served:
        yield served


@contextmanager
def _visit(
    chromium: Browser, running: Running, path: str, **how: Any
) -> Iterator[tuple[Page, list[str]]]:
    """Open a page; the list fills with whatever a browser complains about."""
    how.setdefault("viewport", {"width": 1280, "height": 900})
    context = chromium.new_context(reduced_motion="reduce", **how)
    trouble: list[str] = []
    try:
        tab = context.new_page()
        tab.on("console", lambda message: trouble.append(message.text))
        tab.on("pageerror", lambda error: trouble.append(str(error)))
        tab.on(
            "request",
            lambda request: (
                None
                if request.url.startswith((running.address, "data:"))
                else trouble.append(request.url)
            ),
        )
        tab.goto(running.address + path)
        yield tab, trouble
    finally:
        context.close()


def _opened(tab: Page) -> Page:
    """Open the panel, with the doubtful notes."""
    tab.locator("#local-open").click()
    doubtful = tab.locator("[data-kind=doubtful]")
    doubtful.wait_for()
    if doubtful.get_attribute("aria-pressed") == "false":
        doubtful.click()
    tab.locator(".sidenote-card:visible").first.wait_for()
    return tab


def _known(tab: Page) -> int:
    """Return how many notes the backend counts."""
    counted = tab.evaluate(
        "title => fetch('/api/v1/counts?wiki=en.wikipedia.org&title=' + title)"
        ".then(answer => answer.json())",
        quote("Parasitic ant"),
    )
    return int(counted["counts"]["Parasitic ant"])


def _doubtful(tab: Page) -> int:
    """Return how many doubtful notes the panel counts."""
    chip = tab.locator("[data-kind=doubtful]").inner_text()
    return int(re.sub(r"\D", "", chip))


def test_from_the_list_to_the_notes_beside_their_sentences(
    chromium: Browser, running: Running
) -> None:
    with _visit(chromium, running, "/panel/") as (tab, trouble):
        text = tab.locator(".local-list").inner_text()
        tab.get_by_role("link", name="Parasitic ant").click()
        _opened(tab)
        known, doubtful = _known(tab), _doubtful(tab)
        expect(tab.locator(".sidenote-card:visible")).to_have_count(known + doubtful)
        tab.wait_for_function(
            "known => [...CSS.highlights.values()]"
            ".reduce((all, one) => all + one.size, 0) === known",
            arg=known + doubtful,
        )

    assert "Being checked" not in text
    assert f"Notes: {known}" in text
    assert known + doubtful > 3
    assert trouble == []


def test_a_note_that_is_dismissed_stays_away_until_that_is_undone(
    chromium: Browser, running: Running
) -> None:
    with _visit(chromium, running, _ANT) as (tab, trouble):
        _opened(tab)
        cards = tab.locator(".sidenote-card:visible")
        before = _known(tab) + _doubtful(tab)
        expect(cards).to_have_count(before)
        first = cards.first
        first.get_by_role("button", name="Dismiss").click()
        first.get_by_role("button", name="Already fixed").click()
        expect(cards).to_have_count(before - 1)
        tab.reload()
        _opened(tab)
        expect(cards).to_have_count(before - 1)
        cards.first.get_by_role("button", name="Dismiss").click()
        cards.first.get_by_role("button", name="Something else").click()
        expect(cards).to_have_count(before - 2)
        tab.get_by_role("button", name="Undo").first.click()
        expect(cards).to_have_count(before - 1)

    assert trouble == []


def test_instead_of_an_editor_the_change_is_shown(
    chromium: Browser, running: Running
) -> None:
    with _visit(chromium, running, _ANT) as (tab, trouble):
        opener = _opened(tab).get_by_role("button", name="Add {{Failed")
        opener.first.click()
        dialog = tab.get_by_role("dialog", name="The change your edit would make")
        added = dialog.locator("ins").inner_text()
        tab.keyboard.press("Escape")
        expect(dialog).to_have_count(0)

    assert "{{Failed verification|date=" in added
    assert trouble == []


def test_the_queue_has_the_notes_of_all_articles(
    chromium: Browser, running: Running
) -> None:
    with _visit(chromium, running, "/queue") as (tab, trouble):
        tab.locator(".sidenote-queue .sidenote-card").first.wait_for()
        text = tab.locator(".sidenote-queue").inner_text()

    assert "You, on this machine" in text
    assert trouble == []


@pytest.mark.parametrize(
    ("path", "how"),
    [
        pytest.param("/panel/", {}, id="list"),
        pytest.param(_ANT, {}, id="light"),
        pytest.param(_TORNADO, {"color_scheme": "dark"}, id="dark"),
        pytest.param(f"{_TORNADO}?theme=night", {}, id="night of the skin"),
        pytest.param(f"{_TORNADO}?lang=ar", {}, id="right to left"),
        pytest.param(_TORNADO, {"viewport": {"width": 375, "height": 800}}, id="phone"),
        pytest.param("/queue", {}, id="queue"),
        pytest.param("/queue?lang=ar", {"color_scheme": "dark"}, id="queue, other way"),
    ],
)
def test_axe_finds_nothing_and_nothing_hangs_over(
    chromium: Browser, running: Running, path: str, how: dict[str, Any]
) -> None:
    # The page's policy forbids scripts of others; axe is let in past it.
    with _visit(chromium, running, path, bypass_csp=True, **how) as (tab, trouble):
        if path.startswith("/panel/en"):
            _opened(tab)
        elif path.startswith("/queue"):
            tab.locator(".sidenote-queue .sidenote-card").first.wait_for()
        found = violations(tab)
        hangs_over = tab.evaluate("document.documentElement.scrollWidth > innerWidth")

    assert found == []
    assert not hangs_over
    assert trouble == []


def test_words_come_in_the_readers_language(
    chromium: Browser, running: Running
) -> None:
    with _visit(chromium, running, "/panel/", locale="fr-CA") as (tab, _):
        french = tab.locator("h1").inner_text(), tab.evaluate("document.dir")
        with tab.expect_navigation():
            tab.locator(".local-languages").get_by_text("ar").click()
        arabic = tab.locator("h1").inner_text(), tab.evaluate("document.dir")
        with tab.expect_navigation():
            tab.get_by_role("link", name="Parasitic ant").click()
        language = tab.evaluate("document.documentElement.lang")

    assert french == ("Articles vérifiés", "ltr")
    assert arabic == ("المقالات التي فُحصت", "rtl")
    assert language == "ar"


def test_no_script_of_the_page_is_let_in_by_its_policy(
    chromium: Browser, running: Running
) -> None:
    with _visit(chromium, running, _ANT) as (tab, trouble):
        tab.evaluate(
            "document.body.appendChild(Object.assign(document.createElement('script'),"
            " {textContent: 'window.isIn = true'}))"
        )
        is_in = tab.evaluate("window.isIn")

    assert is_in is None
    assert any("Content Security Policy" in one for one in trouble)
