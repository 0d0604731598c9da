"""What strangers try with too much, or with what is none; a fault tells them nothing."""

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
from gadget.payloads.cards import PageAnswer
from handlers.ports import TemporaryError
from tests.bot.store.runs import WIKI
from tests.gadget.api.rig import ORIGIN, RULES, Asker, StoredCards, parts, served
from tests.gadget.api.strangers import ACCEPT, KEY, PAGE


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
