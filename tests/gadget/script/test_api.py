"""The script's client, in a real browser over real connections."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.gadget.script.backend import Asked, Backend, Said, problem, serve_backend

pytestmark = pytest.mark.browser

ASK = """given => {
    const api = window.sidenote.api.create( {
        address: '', token: () => given.bearer || null, timeoutMs: given.timeoutMs
    } );
    const told = [];
    api.onSignedOut( ( token ) => told.push( token ) );
    return api[ given.name ]( ...given.with ).then(
        ( answer ) => ( { answer, told } ),
        ( error ) => ( {
            kind: error.kind, retryInS: error.retryInS, text: error.text, told,
            isFailure: error.name === 'Failure'
        } )
    );
}"""
FOLLOW = """() => {
    const api = window.sidenote.api.create( { address: '', token: () => null } );
    const steps = [];
    return api.follow( 'w.example', 'Clock', '2026-11-01T00:00:00Z', ( step ) => steps.push( step.sources_read ) )
        .promise.then( ( last ) => ( { steps, last } ), ( error ) => ( { steps, kind: error.kind, retryInS: error.retryInS } ) );
}"""


@pytest.fixture(scope="module")
def backend() -> Iterator[Backend]:
    with serve_backend("api.js") as served:
        yield served


@pytest.fixture
def tab(chromium: Browser, backend: Backend) -> Iterator[Page]:
    context = chromium.new_context()
    page = context.new_page()
    page.goto(f"{backend.address}/page")
    backend.asked.clear()
    yield page
    context.close()


def ask(tab: Page, name: str, *values: object, **more: object) -> dict[str, Any]:
    answer: dict[str, Any] = tab.evaluate(
        ASK, {"name": name, "with": values, "timeoutMs": 5000, **more}
    )
    return answer


def test_what_is_asked_is_named_in_the_address_and_the_token_goes_along(
    tab: Page, backend: Backend
) -> None:
    backend.plan = lambda _: Said(200, {"cards": []})

    answer = ask(tab, "page", "en.wikipedia.org", "A & B", 12, bearer="secret-token")

    [request] = backend.asked
    assert answer["answer"] == {"cards": []}
    assert request.path == "/suggestions"
    assert request.query == {
        "wiki": ["en.wikipedia.org"],
        "title": ["A & B"],
        "revision": ["12"],
    }
    assert request.headers["authorization"] == "Bearer secret-token"
    assert "cookie" not in request.headers


def test_a_decision_is_json_with_a_key_of_its_own(tab: Page, backend: Backend) -> None:
    backend.plan = lambda _: Said(201, {"id": 7})
    body = {"wiki": "w.example", "identity": "a1", "kind": "accept"}

    for _ in range(2):
        assert ask(tab, "decide", body)["answer"] == {"id": 7}

    first, second = backend.asked
    assert first.headers["content-type"] == "application/json"
    assert first.body == body
    keys = {asked.headers["idempotency-key"] for asked in (first, second)}
    assert len(keys) == 2
    assert all(len(key) == 32 for key in keys)


@pytest.mark.parametrize(
    ("answer", "kind", "retry_in_s"),
    [
        (problem(401, "signed-out", "Sign in."), "signed-out", None),
        (problem(403, "refused", "Not from here."), "refused", None),
        (problem(404, "unknown", "There is none."), "unknown", None),
        (problem(409, "key-reused", "Another body."), "fault", None),
        (problem(429, "too-many", "Slower.", 17), "busy", 17),
        (Said(429, None, {"Retry-After": "9"}, b"<html>"), "busy", 9),
        (problem(503, "out-of-reach", "The wiki is away.", 5), "fault", 5),
        (Said(200, raw=b"<html>a proxy says hello"), "fault", None),
        (Said(200, raw=b'"words"'), "fault", None),
        (Said(200, raw=b'{"cards": [', is_cut=True), "offline", None),
        (Said(302, None, {"Location": "/page"}), "offline", None),
    ],
)
def test_each_failure_has_a_kind(
    tab: Page, backend: Backend, answer: Said, kind: str, retry_in_s: int | None
) -> None:
    backend.plan = lambda _: answer

    failed = ask(tab, "card", "w.example", "a1")

    assert failed["isFailure"]
    assert (failed["kind"], failed["retryInS"]) == (kind, retry_in_s)


def test_a_read_is_tried_once_more_and_a_write_never(
    tab: Page, backend: Backend
) -> None:
    answers = iter(
        [problem(503, "out-of-reach", "A moment."), Said(200, {"cards": []})]
    )
    backend.plan = lambda _: next(answers, problem(503, "out-of-reach", "A moment."))

    assert "answer" in ask(tab, "queue")
    assert ask(tab, "decide", {})["kind"] == "fault"
    assert ask(tab, "queue")["kind"] == "fault"
    assert [request.method for request in backend.asked] == [
        *("GET", "GET"),
        "POST",
        *("GET", "GET"),
    ]


def test_an_answer_that_does_not_come_is_late_and_no_network_is_offline(
    tab: Page, backend: Backend
) -> None:
    goes_on = threading.Event()

    def hold(_: Asked) -> Said:
        goes_on.wait(10)
        return Said(200, {})

    backend.plan = hold
    late = ask(tab, "reader", timeoutMs=150)
    goes_on.set()
    tab.context.set_offline(True)
    offline = ask(tab, "reader")

    assert (late["kind"], len(backend.asked)) == ("late", 1)
    assert offline["kind"] == "offline"


def test_a_revoked_token_is_reported(tab: Page, backend: Backend) -> None:
    backend.plan = lambda _: problem(401, "signed-out", "Sign in.")

    assert ask(tab, "undo", 3, bearer="an-old-one")["told"] == ["an-old-one"]
    assert ask(tab, "undo", 3)["told"] == []


def check(read: int, *, is_over: bool = False) -> str:
    ended = '"2026-11-01T00:01:00Z"' if is_over else "null"
    return f'event: check\ndata: {{"sources_read": {read}, "ended_at": {ended}}}\n\n'


def stream(*parts: str) -> Said:
    return Said(
        200, None, {"Content-Type": "text/event-stream"}, "".join(parts).encode()
    )


def test_a_check_is_followed_through_a_cut_to_its_end(
    tab: Page, backend: Backend
) -> None:
    streams = iter(
        [
            stream(
                "retry: 20\n\n", check(1), "event: check\ndata: {broken\n\n", check(2)
            ),
            stream(
                ": still here\n\n", check(3, is_over=True), "event: end\ndata: {}\n\n"
            ),
        ]
    )
    backend.plan = lambda _: next(streams)

    followed = tab.evaluate(FOLLOW)

    assert followed["steps"] == [1, 2, 3]
    assert followed["last"]["sources_read"] == 3
    assert [request.query["since"] for request in backend.of("/checks/events")] == [
        ["2026-11-01T00:00:00Z"]
    ] * 2


def test_why_a_stream_is_refused_is_found_out(tab: Page, backend: Backend) -> None:
    backend.plan = lambda _: problem(429, "too-many", "Slower.", 30)

    assert tab.evaluate(FOLLOW) == {"steps": [], "kind": "busy", "retryInS": 30}


def test_a_stream_that_is_not_to_be_had_is_no_reason_to_know_nothing(
    tab: Page, backend: Backend
) -> None:
    ended = {"sources_read": 9, "ended_at": "2026-11-01T00:01:00Z"}

    def plan(request: Asked) -> Said:
        return (
            problem(404, "unknown", "No.")
            if "events" in request.path
            else Said(200, ended)
        )

    backend.plan = plan

    assert tab.evaluate(FOLLOW)["steps"] == [9]
