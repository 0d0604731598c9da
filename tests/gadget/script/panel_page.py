"""Opens the panel beside an article in a real browser, and reads what it shows."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, Locator, Page

from tests.gadget.script.answers import ARTICLE, REVISION, TITLE, WIKI, answer
from tests.gadget.script.backend import Backend, Reply, Request, problem

OPEN = """given => {
    window.panel = window.sidenote.panel_gadget.open( { mw, page: {
        wiki: given.wiki, title: given.title, revision: given.revision,
        root: document.querySelector( '.mw-parser-output' )
    } } );
}"""
SIGNED_IN = """() => localStorage.setItem( 'sidenote-token', JSON.stringify( {
    token: 'a-token', user: 'Alice', expires_at: '2036-01-01T00:00:00Z'
} ) )"""
LIGHT, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 760}


def plan(answer: dict[str, Any] | Reply) -> Callable[[Request], Reply]:
    """Answer for the page with `answer`, and store each decision."""

    def answering(request: Request) -> Reply:
        if request.path == "/suggestions":
            return answer if isinstance(answer, Reply) else Reply(200, answer)
        if request.path == "/decisions":
            decision = {"id": 7, "kind": request.body["kind"]}
            more = {"reason": request.body.get("reason")}
            return Reply(
                201, {**decision, **more, "decided_at": "2026-11-20T10:00:00Z"}
            )
        if request.path.startswith("/decisions/"):
            return Reply(204)
        return problem(404, "unknown", "There is nothing here.")

    return answering


class Opened:
    """An article with the panel beside it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.panel: Locator = page.get_by_role("complementary")
        self.cards: Locator = self.panel.get_by_role("article")

    def button(self, name: str) -> Locator:
        return self.panel.get_by_role("button", name=name, exact=True)

    def focused(self) -> str:
        """Return the text of what has the focus."""
        text: str = self.page.evaluate(
            "() => document.activeElement.getAttribute( 'aria-label' )"
            " || document.activeElement.innerText"
        )
        return text

    def highlighted(self, name: str = "sidenote-focus") -> list[str]:
        """Return the words that are painted."""
        words: list[str] = self.page.evaluate(
            "name => Array.from( CSS.highlights.get( name ) || [], String )", name
        )
        return [" ".join(each.split()) for each in words]


@contextmanager
def article(
    browser: Browser,
    backend: Backend,
    *,
    reply: dict[str, Any] | Reply | None = None,
    html: str = ARTICLE,
    signed_in: bool = True,
    opens: bool = True,
    **context: Any,
) -> Iterator[Opened]:
    """Show an article, open the panel, and fail on any error of the script."""
    backend.plan = plan(answer() if reply is None else reply)
    backend.article = '<button id="opener">Source notes</button>' + html
    context_page = browser.new_context(**{"viewport": LIGHT, **context})
    page = context_page.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(f"{backend.address}/page")
    if signed_in:
        page.evaluate(SIGNED_IN)
    backend.requests.clear()
    backend.strays.clear()
    if opens:
        open_panel(page)
    yield Opened(page)
    context_page.close()
    assert faults == []


def open_panel(page: Page) -> None:
    page.focus("#opener")
    page.evaluate(OPEN, {"wiki": WIKI, "title": TITLE, "revision": REVISION})
