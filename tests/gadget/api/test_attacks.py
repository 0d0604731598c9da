"""Attacks on the API: from pages, with odd requests and with tokens."""

# ruff: noqa: ARG002 - the protocols name what these need not look at
import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

import pytest
from structlog.testing import capture_logs

from bot.records.accounts import Reader
from bot.store import Store
from gadget.limits import Rate
from gadget.payloads.cards import PageAnswer
from handlers.ports import TemporaryError
from tests.bot.store.runs import WIKI
from tests.gadget.api.conftest import FIRST, SECOND
from tests.gadget.api.rig import (
    ORIGIN,
    OTHER_WIKI,
    RULES,
    Asker,
    StoredCards,
    parts,
    served,
    sign_in,
)
from tests.gadget.api.strangers import ACCEPT, KEY, PAGE

FOREIGN = (
    "null",
    "https://evil.example",
    f"https://{WIKI}.evil.example",
    f"https://evil-{WIKI}",
    f"https://sub.{WIKI}",
    f"http://{WIKI}",
    f"https://{WIKI}:8443",
    f"https://{WIKI}/",
    f"https://{WIKI.upper()}",
    f"https://user@{WIKI}",
    "https://wikipedia.org",
    "*",
    "file://",
    f"https://{WIKI}, https://evil.example",
)


@pytest.mark.parametrize("origin", FOREIGN)
async def test_a_page_of_another_origin_gets_nothing(
    ask: Asker, token: str, origin: str
) -> None:
    other = ask.as_of(origin, token)
    preflight = {"Access-Control-Request-Method": "POST"}

    for answer in (
        await other("GET", PAGE),
        await other("OPTIONS", "/api/v1/decisions", preflight),
        await other("POST", "/api/v1/decisions", KEY, json=ACCEPT),
        await other("GET", f"/api/v1/checks/events?wiki={WIKI}&title=A"),
        await other("GET", "/api/v1/openapi.json"),
    ):
        assert answer.status == 403
        assert not [
            name for name in answer.headers if name.startswith("Access-Control")
        ]
        assert json.loads(answer.text)["error"]["code"] == "refused"


@pytest.mark.parametrize(
    "origin", [ORIGIN, "https://en.m.wikipedia.org", f"https://{OTHER_WIKI}"]
)
async def test_a_wikis_page_may_ask_and_is_named_exactly(
    ask: Asker, origin: str
) -> None:
    there = ask.as_of(origin)

    answer = await there("GET", PAGE)
    preflight = await there(
        "OPTIONS", "/api/v1/decisions", {"Access-Control-Request-Method": "POST"}
    )

    assert answer.headers["Access-Control-Allow-Origin"] == origin
    assert "Access-Control-Allow-Credentials" not in answer.headers
    assert preflight.status == 200
    assert "POST" in preflight.headers["Access-Control-Allow-Methods"].split(", ")
    assert "Idempotency-Key" in preflight.headers["Access-Control-Allow-Headers"]
    assert "Authorization" in preflight.headers["Access-Control-Allow-Headers"]
    assert int(preflight.headers["Access-Control-Max-Age"]) > 600
    assert preflight.headers["Access-Control-Allow-Origin"] == origin
    missing = await there("OPTIONS", "/api/v1/nothing")
    assert missing.status == 404


async def test_our_own_pages_may_ask_under_our_own_name_only(ask: Asker) -> None:
    port = ask.address.rpartition(":")[2]
    own = ask.as_of(ask.address)
    pointed = {"Host": f"evil.example:{port}"}

    assert (await own("GET", PAGE)).status == 200
    for origin in (f"http://evil.example:{port}", None):
        assert (await ask.as_of(origin)("GET", PAGE, pointed)).status == 421
    for host in (f"127.0.0.1:{port}@evil.example", "localhost:evil", "[::1]evil"):
        assert (await own("GET", PAGE, {"Host": host})).status == 421
    assert (await ask.as_of("http://127.0.0.1:1")("GET", PAGE)).status == 403


async def test_nobody_needs_an_origin_to_read_and_everybody_to_act(
    ask: Asker, token: str
) -> None:
    bare = ask.as_of(None, token)

    assert (await bare("GET", PAGE)).status == 200
    assert (await bare("POST", "/api/v1/decisions", KEY, json=ACCEPT)).status == 403
    assert (await bare("DELETE", "/api/v1/reader")).status == 403
    assert (await ask.as_of(token=token)("GET", "/api/v1/reader")).status == 200


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "text/json",
        "application/json; charset=utf-16",
        "",
    ],
)
async def test_what_a_form_can_send_is_not_taken(
    ask: Asker, token: str, kind: str
) -> None:
    answer = await ask.as_of(token=token)(
        "POST",
        "/api/v1/decisions",
        KEY | {"Content-Type": kind},
        data=json.dumps(ACCEPT),
    )

    assert answer.status == 415


async def test_the_operators_pages_stay_closed_to_other_pages(ask: Asker) -> None:
    answer = await ask("GET", "/status")

    assert "Access-Control-Allow-Origin" not in answer.headers


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[" * 8000,
        b'{"a":' * 3000,
        b"\xff\xfe{}",
        b'{"kind": "accept", "wiki": "\\ud800", "identity": "a"}',
        b'{"kind": "accept", "wiki": "a\\u0000b", "identity": "a"}',
        b'{"kind": NaN}',
        b'{"kind": "accept", "revision": ' + b"9" * 5000 + b"}",
        b"\xef\xbb\xbf{}",
        json.dumps(ACCEPT | {"identity": "../../etc/passwd"}).encode(),
        json.dumps(ACCEPT | {"identity": "' OR 1=1 --"}).encode(),
        json.dumps(ACCEPT | {"__proto__": {}}).encode(),
        json.dumps(ACCEPT | {"reader": "somebody else"}).encode(),
    ],
)
async def test_a_body_that_is_none_is_refused_in_words(
    ask: Asker, token: str, body: bytes
) -> None:
    answer = await ask.as_of(token=token)(
        "POST",
        "/api/v1/decisions",
        KEY | {"Content-Type": "application/json"},
        data=body,
    )

    assert answer.status == 400
    problem = json.loads(answer.text)["error"]
    assert problem["message"].startswith("Correct `")
    assert len(answer.text) < 1000


async def test_a_large_body_is_not_read(ask: Asker, token: str) -> None:
    act = ask.as_of(token=token)
    headers = KEY | {"Content-Type": "application/json"}

    async def endless() -> AsyncIterator[bytes]:
        for _ in range(64):
            yield b" " * 1024

    answer = await act("POST", "/api/v1/decisions", headers, data=b" " * 20_000)
    unsaid = await act("POST", "/api/v1/decisions", headers, data=endless())
    packed = await act(
        "POST", "/api/v1/decisions", headers | {"Content-Encoding": "br"}, data=b"{}"
    )

    assert (answer.status, unsaid.status) == (413, 413)
    assert packed.status in {400, 415}
    assert (await act("GET", "/api/v1/reader")).status == 200


async def test_a_body_that_drips_is_not_waited_for(
    store: Store, tmp_path: Path, token: str
) -> None:
    async with served(store, tmp_path, replace(RULES, body_s=0.2)) as ask:
        host, port = ask.address.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(
            f"POST /api/v1/decisions HTTP/1.1\r\nHost: {host}\r\nOrigin: {ORIGIN}\r\n"
            f"Authorization: Bearer {token}\r\nContent-Type: application/json\r\n"
            "Content-Length: 100\r\n\r\n{".encode()
        )
        reply = await asyncio.wait_for(reader.read(100), 5)
        writer.close()
    assert reply.startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize(
    ("path", "status"),
    [
        (f"{PAGE}&wiki={WIKI}", 400),
        (f"{PAGE}&title=Other", 400),
        (f"{PAGE}&further=1", 400),
        (f"{PAGE}&revision=0", 400),
        (f"{PAGE}&revision=-1", 400),
        (f"{PAGE}&revision=1e3", 400),
        (f"{PAGE}&revision=%D9%A1", 400),
        (f"{PAGE}&revision={'9' * 400}", 400),
        (f"/api/v1/suggestions?wiki={WIKI}", 400),
        (f"/api/v1/suggestions?wiki={WIKI}&title=", 400),
        (f"/api/v1/suggestions?wiki={WIKI}&title=a%00b", 400),
        (f"/api/v1/suggestions?wiki={WIKI}&title=a%0Ab", 400),
        (f"/api/v1/suggestions?wiki={WIKI}&title={'a' * 256}", 400),
        (f"/api/v1/suggestions?wiki={WIKI}&title=%ED%A0%80", 200),
        (f"/api/v1/suggestions?wiki={WIKI}&title=%C3%28", 200),
        (f"/api/v1/suggestions?wiki={WIKI}&title=No%20such%20page", 404),
        ("/api/v1/suggestions?wiki=other.example.org&title=A", 404),
        ("/api/v1/suggestions?wiki=127.0.0.1:6379&title=A", 404),
        ("/api/v1/suggestions?wiki=http://a/&title=A", 400),
        (f"/api/v1/suggestions/..%2f..%2fetc?wiki={WIKI}", 404),
        (f"/api/v1/suggestions/{'a' * 65}?wiki={WIKI}", 404),
        (f"/api/v1/counts?wiki={WIKI}" + "&title=a" * 51, 400),
        (f"/api/v1/checks/events?wiki={WIKI}&title=A&since=2026-01-01", 400),
        ("/api/v1/checks/events?wiki=other.example.org&title=A", 404),
        ("/api/v1/", 404),
        ("/api/v2/health", 404),
    ],
)
async def test_a_query_is_taken_at_its_word(ask: Asker, path: str, status: int) -> None:
    answer = await ask("GET", path)

    assert answer.status == status
    if status != 200:
        assert "secret" not in answer.text


@pytest.mark.parametrize(
    "title", ["<script>alert(1)</script>", "a|b", "{{x}}", "[[a]]"]
)
async def test_what_can_be_no_title_is_none(ask: Asker, title: str) -> None:
    answer = await ask("GET", f"/api/v1/counts?wiki={WIKI}&title={quote(title)}")

    assert answer.status == 400
    assert "<script" not in answer.text


async def test_headers_and_addresses_without_end_are_cut_off(ask: Asker) -> None:
    many = await ask("GET", f"{PAGE}&x={'a' * 5000}")
    assert many.status == 400
    host, port = ask.address.removeprefix("http://").split(":")
    for start in (b"GET /api/v1/health HTTP/1.1\r\nX: ", b"GET /api/v1/health?x="):
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(start + b"a" * 1_000_000)
        reply = await reader.read(100)
        writer.close()
        assert reply.startswith((b"HTTP/1.0 400", b"HTTP/1.1 400"))
    assert (await ask("GET", "/api/v1/health")).status == 200


async def test_of_a_request_that_cannot_be_read_the_log_says_nothing(
    ask: Asker, capfd: pytest.CaptureFixture[str]
) -> None:
    host, port = ask.address.removeprefix("http://").split(":")
    with capture_logs() as log:
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(b"GET / HTTP/1.1\r\nAuthorization: Bearer my-token\0\r\n\r\n")
        reply = await reader.read(100)
        writer.close()

    assert reply.startswith((b"HTTP/1.0 400", b"HTTP/1.1 400"))
    assert [one["event"] for one in log] == ["request could not be read"]
    written = json.dumps(log) + "".join(capfd.readouterr())
    assert "my-token" not in written
    assert "127.0.0.1" not in written


async def test_a_method_that_is_none_is_answered_with_those_that_are(
    ask: Asker,
) -> None:
    answer = await ask("PUT", "/api/v1/decisions", json={})

    assert (answer.status, answer.headers["Allow"]) == (405, "POST")
    assert (await ask("TRACE", "/api/v1/health")).status == 405
    assert (
        await ask("HEAD", f"/api/v1/checks/events?wiki={WIKI}&title=A")
    ).status == 405


class _Failing(StoredCards):
    async def page(
        self, wiki: str, title: str, revision: int | None, reader: Reader | None
    ) -> PageAnswer:
        if title == "Away":
            raise TemporaryError("mysql://user:password@db is away", retry_in_s=7)
        if title == "Slow":
            await asyncio.sleep(60)
        raise ValueError(f"inner workings of {title}, read for {reader}")


async def test_a_fault_shows_nothing_of_itself_not_even_in_the_log(
    store: Store, tmp_path: Path, token: str
) -> None:
    services = replace(parts(store), cards=_Failing(store))
    rules = replace(RULES, longest_s=0.2)
    path = f"/api/v1/suggestions?wiki={WIKI}&title="
    with capture_logs() as log:
        async with served(store, tmp_path, rules, services) as ask:
            act = ask.as_of(token=token)
            fault = await act("GET", f"{path}Hidden")
            away = await act("GET", f"{path}Away")
            slow = await act("GET", f"{path}Slow")

    assert (fault.status, away.status, slow.status) == (500, 503, 503)
    assert away.headers["Retry-After"] == "7"
    for answer in (fault, away, slow):
        for word in ("inner", "password", "Traceback", "ValueError"):
            assert word not in answer.text
    logged = json.dumps(log)
    assert "ValueError" in logged
    for word in ("Hidden", "inner", "password", "Example", token, "127.0.0.1", "Slow"):
        assert word not in logged
    assert {one["route"] for one in log if "route" in one} == {"/api/v1/suggestions"}


@pytest.mark.parametrize(
    "authorisation",
    [
        "Bearer not-a-token-of-anybody",
        "Bearer",
        "Basic dXNlcjpwYXNz",
        "Bearer a b",
        f"Bearer {'x' * 600}",
        "Bearer ' OR 1=1 --",
        "token-without-its-word",
    ],
)
async def test_a_token_that_is_none_may_read_and_nothing_else(
    ask: Asker, authorisation: str
) -> None:
    given = {"Authorization": authorisation}

    assert (await ask("GET", PAGE, given)).status == 200
    for method, path in (
        ("POST", "/api/v1/decisions"),
        ("DELETE", "/api/v1/decisions/1"),
        ("GET", "/api/v1/queue"),
        ("GET", "/api/v1/reader"),
        ("POST", "/api/v1/checks"),
        ("GET", "/api/v1/comparisons/next"),
    ):
        answer = await ask(method, path, given | KEY, json={})
        assert answer.status == 401, path
        assert json.loads(answer.text)["error"]["code"] == "signed-out"


async def test_a_reader_of_one_wiki_is_nobody_on_another(
    ask: Asker, store: Store
) -> None:
    there = ask.as_of(token=sign_in(store, "Foreigner", OTHER_WIKI))

    decided = await there("POST", "/api/v1/decisions", KEY, json=ACCEPT)
    reviewed = await there(
        "POST",
        "/api/v1/reviews",
        KEY,
        json={"wiki": WIKI, "identity": FIRST.identity, "outcome": "accept"},
    )
    answer = await there("POST", "/api/v1/checks", json={"wiki": WIKI, "title": "A"})

    assert {decided.status, reviewed.status, answer.status} == {403}
    reason = json.loads(decided.text)["error"]["reason"]
    assert reason["key"] == "refusal-other-wiki"
    assert reason["values"] == [OTHER_WIKI, WIKI]


async def test_other_peoples_decisions_cannot_be_found_by_counting(
    ask: Asker, token: str, store: Store
) -> None:
    mine = ask.as_of(token=token)
    details = json.loads(
        (await mine("POST", "/api/v1/decisions", KEY, json=ACCEPT)).text
    )
    thief = ask.as_of(token=sign_in(store, "Thief"))

    answers = [await thief("DELETE", f"/api/v1/decisions/{n}") for n in range(1, 18)]

    assert {one.status for one in answers} == {404}
    assert len({one.text for one in answers}) == 1
    card = json.loads((await mine("GET", PAGE)).text)["cards"][0]
    assert card["mine"]["id"] == details["id"]


async def test_a_comparison_cannot_be_made_up(ask: Asker, token: str) -> None:
    act = ask.as_of(token=token)
    real = json.loads((await act("GET", "/api/v1/comparisons/next")).text)["comparison"]
    name, _, mac = real.partition(".")

    of_none = (
        name,
        f"{name}.",
        f"{name}.{'0' * len(mac)}",
        f"{name}x.{mac}",
        f"AAAAAAAA.{mac}",
        "....~~~~",
    )
    for number, made_up in enumerate(of_none):
        path = f"/api/v1/comparisons/{made_up}"
        # With the key of another act, it would be refused for that.
        key = {"Idempotency-Key": f"a-key-of-comparison-{number}"}
        answer = await act("POST", path, key, json={"preferred": "first"})
        assert answer.status == 404, made_up


async def test_who_dismisses_everything_is_slowed_and_shuts_nothing_alone(
    store: Store, tmp_path: Path
) -> None:
    rules = replace(RULES, writes=Rate(1, at_once=5))
    async with served(store, tmp_path, rules) as ask:
        bot = ask.as_of(token=sign_in(store, "Dismisser"))
        body = ACCEPT | {
            "kind": "dismiss",
            "reason": "source says it",
            "identity": SECOND.identity,
        }
        answers = await asyncio.gather(
            *(
                bot(
                    "POST",
                    "/api/v1/decisions",
                    {"Idempotency-Key": f"dismissal-{number}"},
                    json=body,
                )
                for number in range(20)
            )
        )
    assert sorted(one.status for one in answers).count(201) == 5
    assert {one.status for one in answers} == {201, 429}
    assert not store.decisions.closed(WIKI, [SECOND.identity])
