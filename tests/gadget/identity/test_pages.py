"""The page that a wiki sends people back to works in a browser, under its own policy."""

from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, Route

from bot.surfaces.messages import LANGUAGES, Words, message
from gadget.identity.pages import CallbackPage, asking, done, failed
from handlers.model import Message
from tests.gadget.identity.place import CALLBACK
from tests.rig.axe import violations

pytestmark = pytest.mark.browser
_HOSTILE = '"><img src=x onerror=alert(1)><script>alert(1)</script>'


def _open(chromium: Browser, callback_page: CallbackPage, **context: Any) -> Page:
    """Show `shown` as the backend would answer; its answer to the form is `done`."""
    page = chromium.new_page(**context)
    page.route("**/*", lambda route: _fulfil(route, callback_page))
    page.goto(f"{CALLBACK}?code=c&state=s")
    return page


def _fulfil(route: Route, page: CallbackPage) -> None:
    answer = done() if "confirm=" in route.request.url else page
    route.fulfill(
        status=answer.status,
        headers={**answer.headers, "Content-Type": "text/html; charset=utf-8"},
        body=answer.html(),
    )


def test_the_button_brings_the_persons_word(chromium: Browser) -> None:
    page = _open(chromium, asking("en.wikipedia.org", "Ada", "of this one", "f" * 64))

    page.get_by_role("button", name="Yes, sign me in").click()

    assert page.get_by_role("heading").text_content() == "You are signed in"
    address = urlsplit(page.url)
    assert f"{address.scheme}://{address.netloc}{address.path}" == CALLBACK
    assert parse_qs(address.query) == {"state": ["of this one"], "confirm": ["f" * 64]}
    page.close()


def test_hostile_words_are_shown_and_do_nothing(chromium: Browser) -> None:
    dialogs: list[str] = []
    page = _open(chromium, asking(*[_HOSTILE] * 4, Message("", _HOSTILE)))
    page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    shown = page.locator("main").inner_text()

    assert _HOSTILE in shown
    assert page.locator("img, script").count() == 0
    assert page.locator("input").count() == 2
    assert not dialogs
    page.close()


@pytest.mark.parametrize(
    "callback_page",
    [
        asking("en.wikipedia.org", "علي", "s", "c"),
        done(),
        failed(message("refusal-sign-in-denied"), HTTPStatus.FORBIDDEN),
    ],
    ids=["asking", "done", "failed"],
)
def test_axe_finds_nothing(chromium: Browser, callback_page: CallbackPage) -> None:
    page = _open(
        chromium,
        callback_page,
        bypass_csp=True,
        viewport={"width": 360, "height": 640},
    )
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        assert violations(page) == [], scheme
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.close()


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_the_page_is_in_the_language_of_the_browser(language: str) -> None:
    html = asking("a.example", "علي", "s", "c").html(language)

    direction = "rtl" if language == "ar" else "ltr"
    assert f'<html lang="{language}" dir="{direction}">' in html
    assert Words(language).plain(message("callback-yes")) in html
    assert "<bdi>a.example</bdi>" in html
