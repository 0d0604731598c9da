"""The panel as axe-core sees it: every state, in each of its looks."""

from collections.abc import Callable
from importlib.resources import files
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from tests.gadget.script.answers import answer, card, claim, unchecked
from tests.gadget.script.backend import Backend, Said, problem
from tests.gadget.script.panel_page import PHONE, Opened, article

pytestmark = pytest.mark.browser

_AXE = (files("axe_playwright_python") / "axe.min.js").read_text("utf-8")
_RUN = """() => axe.run( { include: '.sidenote-panel, .sidenote-dialog' }, {
    resultTypes: [ 'violations' ],
    runOnly: [ 'wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice' ]
} ).then( ( found ) => found.violations.map( ( each ) => each.id + ': ' +
    each.nodes.map( ( node ) => node.target + ' ' + node.failureSummary ).join( '; ' ) ) )"""
_FULL = answer(outdated=1, unchecked=[unchecked()])
_LOST = card(1, claim=claim("Not one of these words stands on that page.", ""))


def _faults(shown: Opened) -> list[str]:
    # What moves has no colour yet.
    shown.page.wait_for_function(
        "() => document.getAnimations().every( each => each.playState !== 'running')"
    )
    shown.page.evaluate(_AXE)
    found: list[str] = shown.page.evaluate(_RUN)
    return found


@pytest.mark.parametrize(
    ("language", "theme", "context"),
    [
        ("en", "", {}),
        ("en", "skin-theme-clientpref-night", {}),
        ("ar", "", {}),
        ("en", "", {"viewport": PHONE, "has_touch": True, "is_mobile": True}),
        ("en", "", {"forced_colors": "active"}),
        ("en", "", {"color_scheme": "dark"}),
    ],
    ids=["light", "dark", "right-to-left", "phone", "forced-colours", "dark-by-system"],
)
def test_cards_with_everything_open_are_without_violations(
    chromium: Browser,
    backend_of_panel: Backend,
    language: str,
    theme: str,
    context: dict[str, Any],
) -> None:
    backend_of_panel.language, backend_of_panel.theme = language, theme
    with article(
        chromium,
        backend_of_panel,
        said=_FULL,
        signed_in=False,
        reduced_motion="reduce",
        **context,
    ) as shown:
        shown.cards.first.wait_for()
        foot = shown.cards.first.locator(".sidenote-acts__row button")
        for chip in shown.panel.locator(".sidenote-chip[aria-pressed=false]").all():
            chip.click()
        for folded in shown.panel.locator("summary").all():
            if folded.is_visible():
                folded.click()
        foot.nth(1).click()  # fails, as nobody is signed in
        expect(shown.panel.locator(".sidenote-trouble svg")).to_have_count(1)
        assert _faults(shown) == []

        foot.nth(2).click()
        assert _faults(shown) == []
        shown.page.keyboard.press("Escape")
        shown.cards.first.locator(".sidenote-menu button").first.click()
        assert _faults(shown) == []


def _asks(shown: Opened) -> None:
    shown.page.keyboard.press("?")
    shown.page.get_by_role("dialog").wait_for()


def _decides(shown: Opened) -> None:
    shown.button("Agree").first.click()
    shown.button("Decided (1)").click()


def _stops(shown: Opened) -> None:
    shown.cards.first.locator(".sidenote-menu button").first.click()
    shown.page.get_by_role("menuitem", name="Show no notes").click()


@pytest.mark.parametrize(
    ("said", "does"),
    [
        (answer([]), None),
        (answer([], looked=None), None),
        (problem(400, "bad-request", "`title` is missing."), None),
        (problem(429, "too-many", "Too many.", 600), None),
        (answer([_LOST]), None),
        (answer(), _asks),
        (answer(), _decides),
        (answer(), _stops),
    ],
    ids=["empty", "never", "fault", "busy", "missing", "keys", "decided", "stopped"],
)
@pytest.mark.parametrize("theme", ["", "skin-theme-clientpref-night"])
def test_each_state_is_without_violations(
    chromium: Browser,
    backend_of_panel: Backend,
    said: dict[str, Any] | Said,
    does: Callable[[Opened], None] | None,
    theme: str,
) -> None:
    backend_of_panel.theme = theme
    with article(
        chromium, backend_of_panel, said=said, reduced_motion="reduce"
    ) as shown:
        shown.panel.locator(".sidenote-state, .sidenote-card").first.wait_for()
        if does:
            does(shown)
        assert _faults(shown) == []
