"""What the script asks of the backend and of the wiki, and the words it has."""

import threading
from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from gadget.bundle import Sources, bundle, read_sources
from tests.gadget.script.backend import Backend, Reply, Request, problem, serve_backend

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
    backend.requests.clear()
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
    backend.plan = lambda _: Reply(200, {"cards": []})

    answer = ask(tab, "page", "en.wikipedia.org", "A & B", 12, bearer="secret-token")

    [request] = backend.requests
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
    backend.plan = lambda _: Reply(201, {"id": 7})
    body = {"wiki": "w.example", "identity": "a1", "kind": "accept"}

    for _ in range(2):
        assert ask(tab, "decide", body)["answer"] == {"id": 7}

    first, second = backend.requests
    assert first.headers["content-type"] == "application/json"
    assert first.body == body
    keys = {request.headers["idempotency-key"] for request in (first, second)}
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
        (Reply(429, None, {"Retry-After": "9"}, b"<html>"), "busy", 9),
        (problem(503, "out-of-reach", "The wiki is away.", 5), "fault", 5),
        (Reply(200, raw=b"<html>a proxy says hello"), "fault", None),
        (Reply(200, raw=b'"words"'), "fault", None),
        (Reply(200, raw=b'{"cards": [', is_cut=True), "offline", None),
        (Reply(302, None, {"Location": "/page"}), "offline", None),
    ],
)
def test_each_failure_has_a_kind(
    tab: Page, backend: Backend, answer: Reply, kind: str, retry_in_s: int | None
) -> None:
    backend.plan = lambda _: answer

    failed = ask(tab, "card", "w.example", "a1")

    assert failed["isFailure"]
    assert (failed["kind"], failed["retryInS"]) == (kind, retry_in_s)


def test_a_read_is_tried_once_more_and_a_write_never(
    tab: Page, backend: Backend
) -> None:
    answers = iter(
        [problem(503, "out-of-reach", "A moment."), Reply(200, {"cards": []})]
    )
    backend.plan = lambda _: next(answers, problem(503, "out-of-reach", "A moment."))

    assert "answer" in ask(tab, "queue")
    assert ask(tab, "decide", {})["kind"] == "fault"
    assert ask(tab, "queue")["kind"] == "fault"
    assert [request.method for request in backend.requests] == [
        *("GET", "GET"),
        "POST",
        *("GET", "GET"),
    ]


def test_an_answer_that_does_not_come_is_late_and_no_network_is_offline(
    tab: Page, backend: Backend
) -> None:
    goes_on = threading.Event()

    def hold(_: Request) -> Reply:
        goes_on.wait(10)
        return Reply(200, {})

    backend.plan = hold
    late = ask(tab, "reader", timeoutMs=150)
    goes_on.set()
    tab.context.set_offline(True)
    offline = ask(tab, "reader")

    assert (late["kind"], len(backend.requests)) == ("late", 1)
    assert offline["kind"] == "offline"


def test_a_revoked_token_is_reported(tab: Page, backend: Backend) -> None:
    backend.plan = lambda _: problem(401, "signed-out", "Sign in.")

    assert ask(tab, "undo", 3, bearer="an-old-one")["told"] == ["an-old-one"]
    assert ask(tab, "undo", 3)["told"] == []


def check(read: int, *, is_over: bool = False) -> str:
    ended = '"2026-11-01T00:01:00Z"' if is_over else "null"
    return f'event: check\ndata: {{"sources_read": {read}, "ended_at": {ended}}}\n\n'


def stream(*parts: str) -> Reply:
    return Reply(
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

    def plan(request: Request) -> Reply:
        return (
            problem(404, "unknown", "No.")
            if "events" in request.path
            else Reply(200, ended)
        )

    backend.plan = plan

    assert tab.evaluate(FOLLOW)["steps"] == [9]


TEXTS = {
    "en": {
        "notes": "{{PLURAL:$1|0=none|$1 note|$1 notes}} of $2",
        "plain": "“$1” and $2",
        "only": "English",
    },
    "de": {"notes": "{{PLURAL:$1|$1 Notiz|$1 Notizen}} von $2", "plain": "$1, $2"},
    "ar": {
        "notes": "{{PLURAL:$1|z|one|two|few|many|other}}",
        "plain": "قال $1 عن $2",
    },
}
PROBE = "module.exports = require( './messages.js' ); // Messages: *\n"
_LANGUAGE = """( [ language, content ] ) => mw.config.set( {
    wgUserLanguage: language, wgContentLanguage: content } )"""
_SAY = "( [ name, given ] ) => window.sidenote.probe[ name ]( ...given )"
Say = Callable[..., Any]


@pytest.fixture
def say(chromium: Browser) -> Iterator[Say]:
    """Return what asks the script, in one language, on a page without a wiki."""
    own = read_sources().scripts
    texts = {
        language: {f"sidenote-{key}": text for key, text in words.items()}
        for language, words in TEXTS.items()
    }
    script = bundle("probe.js", {}, Sources({**own, "probe.js": PROBE}, texts))
    tab = chromium.new_page()
    tab.set_content("<!DOCTYPE html><html lang=en><title>x</title>")
    stand_in = files("gadget") / "local_page" / "mw.js"
    tab.add_script_tag(content=stand_in.read_text("utf-8"))
    tab.add_script_tag(content=script)

    def message(language: str, name: str, *given: Any, content: str = "en") -> Any:
        tab.evaluate(_LANGUAGE, [language, content])
        return tab.evaluate(_SAY, [name, list(given)])

    yield message
    tab.close()


def test_a_number_has_the_form_of_its_language(say: Say) -> None:
    assert say("en", "msg", "notes", 0, "x") == "none of x"
    assert say("en", "msg", "notes", 1, "x") == "1 note of x"
    assert say("en", "msg", "notes", 12000, "x") == "12,000 notes of x"
    assert say("de", "msg", "notes", 12000, "x") == "12.000 Notizen von x"
    forms = {0: "z", 1: "one", 2: "two", 3: "few", 11: "many", 100: "other"}
    assert {n: say("ar", "msg", "notes", n) for n in forms} == forms


def test_what_is_put_in_is_never_read_again(say: Say) -> None:
    hostile = "$2 {{PLURAL:$1|a|b}} <b> [[x]] $&"
    assert say("en", "msg", "plain", hostile, "y") == f"“{hostile}” and y"
    new = {"key": "new", "english": "$1, $2", "values": [hostile, "y"]}
    assert say("de", "words", new) == f"{hostile}, y"


def test_values_of_the_other_direction_are_kept_apart(say: Say) -> None:
    assert say("ar", "msg", "plain", "example.org", "أحمد") == (
        "قال \u2068example.org\u2069 عن أحمد"
    )
    assert say("en", "msg", "plain", "أحمد", "x") == "“\u2068أحمد\u2069” and x"
    assert say("en", "content", "plain", "أحمد", "x") == "“أحمد” and x"


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("de-at", "1, 2"),
        ("gsw", "1, 2"),
        ("de-formal", "1, 2"),
        ("arz", "قال 1 عن 2"),
        ("nb", "“1” and 2"),
        ("zh-classical", "“1” and 2"),
        ("qqx", "(sidenote-plain: 1, 2)"),
    ],
)
def test_another_language_reads_the_nearest(
    say: Say, language: str, expected: str
) -> None:
    assert say(language, "msg", "plain", "1", "2").translate(
        {0x2068: None, 0x2069: None}
    ) == (expected)


def test_a_message_that_is_not_translated_is_in_english(say: Say) -> None:
    assert say("de", "msg", "only") == "English"
    assert say("de", "msg", "unknown", 1) == "(sidenote-unknown: 1)"


def test_summaries_are_in_the_wikis_language(say: Say) -> None:
    assert say("en", "content", "plain", "a", "b", content="de") == "a, b"
    assert say("en", "content", "plain", "a", "b", content="nb") == "“a” and b"


def test_numbers_and_dates_are_written_as_the_words_are(say: Say) -> None:
    assert say("nb", "number", 1234.5) == "1,234.5"
    assert say("en-gb", "day", "2024-05-03T23:59:00Z") == "3 May 2024"
    assert say("de", "day", "2024-05-03") == "3. Mai 2024"
    assert say("fr-ca", "day", "2024-05") == "May 2024"
    assert say("en", "day", "2024") == "2024"
    assert say("en", "day", "soon") == "soon"
    assert say("en", "ago", "2001-01-01T00:00:00Z").endswith("years ago")
    assert say("en", "ago", "soon") == "soon"


def test_the_words_know_their_language(say: Say) -> None:
    assert say("arz", "written") == {"lang": "ar", "dir": "rtl"}
    assert say("nb", "written") == {"lang": "en", "dir": "ltr"}
