"""A reader at the review queue, on the backend's own page."""

import itertools
import json
from typing import Any

from playwright.sync_api import Page

from gadget.payloads.cards import Card
from tests.gadget.script.backend import Backend, Reply, Request, problem
from tests.gadget.script.cards import WIKI, as_json, comparison, queue_answer

TOKEN = {"token": "t" * 20, "user": "Alice", "expires_at": "2099-01-01T00:00:00Z"}
OPEN = """() => {
    const { api, actions, identity, queue } = window.sidenote;
    let who = null;
    const asks = api.create( { address: '', token: () => who && who.token() } );
    who = identity.create( { api: asks, mw, wiki: 'en.wikipedia.org' } );
    const acts = actions.create( { mw, api: asks, identity: who, wiki: 'en.wikipedia.org' } );
    window.opened = queue.open( {
        mw, api: asks, identity: who, actions: acts, wiki: 'en.wikipedia.org',
        root: document.getElementById( 'place' )
    } );
}"""
ENTRIES = ("api.js", "actions.js", "identity.js", "queue.js")


class Shelf:
    """The reader's queue and what they decide, as the API answers."""

    def __init__(self, cards: list[Card], part: int = 20, pairs: int = 2) -> None:
        self.cards, self.part = cards, part
        self.pairs = [comparison(f"c{number}") for number in range(pairs)]
        self.decided: dict[int, dict[str, Any]] = {}
        self.reviews: list[dict[str, Any]] = []
        self.preferred: list[tuple[str, str]] = []
        self.is_signed_out = False
        self._numbers = itertools.count(1)

    def __call__(self, request: Request) -> Reply:
        if "authorization" not in request.headers or self.is_signed_out:
            return problem(401, "signed-out", "Sign in.")
        known = {
            ("GET", "queue"): self._queue,
            ("POST", "decisions"): self._decide,
            ("DELETE", "decisions"): self._undo,
            ("GET", "comparisons"): self._pair,
            ("POST", "comparisons"): self._prefer,
            ("POST", "reviews"): self._review,
        }
        name = request.path.split("/")[1]
        if (request.method, name) not in known:
            return problem(404, "unknown", request.path)
        return known[request.method, name](request)

    def _queue(self, request: Request) -> Reply:
        start = int(request.query.get("after", ["0"])[0])
        some = self.cards[start : start + self.part]
        end = start + self.part
        after = str(end) if end < len(self.cards) else None
        return Reply(200, queue_answer(some, len(self.cards), after))

    def _decide(self, request: Request) -> Reply:
        number = next(self._numbers)
        self.decided[number] = request.body
        stored = {
            "id": number,
            "kind": request.body["kind"],
            "decided_at": "2026-11-20T12:00:00Z",
        }
        return Reply(201, {**stored, "reason": request.body.get("reason")})

    def _undo(self, request: Request) -> Reply:
        del self.decided[int(request.path.rpartition("/")[2])]
        return Reply(204)

    def _pair(self, _: Request) -> Reply:
        left = self.pairs[len(self.preferred) :]
        return Reply(200, left[0]) if left else Reply(204)

    def _prefer(self, request: Request) -> Reply:
        self.preferred.append(
            (request.path.rpartition("/")[2], request.body["preferred"])
        )
        return Reply(201, {"kept_at": "2026-11-20T12:00:00Z"})

    def _review(self, request: Request) -> Reply:
        self.reviews.append(request.body)
        return Reply(201, {"kept_at": "2026-11-20T12:00:00Z"})


def sit_down(
    tab: Page, backend: Backend, served: Any, *, is_signed_in: bool = True
) -> None:
    """Open the queue; its first card or state is there when this returns."""
    backend.plan = served
    backend.requests.clear()
    if is_signed_in:
        encoded = json.dumps(json.dumps(TOKEN))
        tab.add_init_script(f"localStorage.setItem( 'sidenote-token', {encoded} )")
    tab.goto(f"{backend.address}/page")
    tab.evaluate(OPEN)
    tab.wait_for_selector(".sidenote-queue h2, .sidenote-queue__failure")


def where(tab: Page) -> str:
    return tab.inner_text(".sidenote-queue__progress span")


__all__ = ["ENTRIES", "TOKEN", "WIKI", "Shelf", "as_json", "sit_down", "where"]
