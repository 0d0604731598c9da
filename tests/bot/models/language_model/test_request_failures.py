"""Servers that fail: what is asked again, what ends the asking, and for how long."""

import asyncio
import ssl
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from handlers.model import Setback
from handlers.ports import ModelOutOfReachError, ModelUnusableError
from tests.bot.models.language_model.tools import (
    GOOD,
    KEY,
    QUICK,
    answered,
    model,
    request,
    silent,
)
from tests.rig.language_model import (
    Script,
    drips,
    error_body,
    fails,
    floods,
    hangs,
    http,
    resets,
    says,
    sends,
    serving,
)


@pytest.mark.parametrize(
    "failure",
    [
        pytest.param(fails("500 Internal Server Error"), id="500"),
        pytest.param(fails("503 Service Unavailable", retry_after="0"), id="503"),
        pytest.param(fails("529 Overloaded"), id="529"),
        pytest.param(fails("429 Too Many Requests", retry_after="0"), id="429"),
        pytest.param(fails("429 Too Many Requests", retry_after="soon"), id="garbage"),
        pytest.param(resets, id="resets"),
        pytest.param(sends(b""), id="closes without a word"),
        pytest.param(
            sends(http("200 OK", b"{}", {"content-length": "100000"})), id="stops short"
        ),
    ],
)
async def test_what_may_pass_is_tried_again(failure: Script) -> None:
    async with serving(failure, says(GOOD)) as server, model(server) as chat:
        reply = await chat.ask(request())

    assert answered(reply).verdict == "contradicts"
    assert reply.use.calls == len(server.asked) == 2


@pytest.mark.parametrize("failure", [hangs, drips])
async def test_an_answer_that_takes_too_long_is_given_up_and_booked_in_full(
    failure: Script,
) -> None:
    retry = replace(QUICK, timeout_s=1.0, attempts=1)
    async with serving(failure) as server, model(server, retry=retry) as chat:
        with pytest.raises(ModelOutOfReachError, match="within 1 s") as caught:
            await chat.ask(request())

    assert caught.value.use.output_tokens == 300
    assert chat.ledger.spent == caught.value.use.cost > 0


@pytest.mark.parametrize("form", ["seconds", "date"])
async def test_the_wait_that_a_server_asks_for_is_kept(form: str) -> None:
    then = format_datetime(datetime.now(UTC) + timedelta(seconds=2), usegmt=True)
    busy = fails(
        "429 Too Many Requests", retry_after="1" if form == "seconds" else then
    )
    async with serving(busy, says(GOOD)) as server, model(server) as chat:
        loop = asyncio.get_running_loop()
        began = loop.time()
        answered(await chat.ask(request()))
        took_s = loop.time() - began

    assert took_s >= 0.9
    assert len(server.asked) == 2


async def test_a_wait_beyond_the_bound_ends_the_asking_for_that_long() -> None:
    busy = fails("429 Too Many Requests", retry_after="999999999")
    async with serving(busy) as server, model(server) as chat:
        with pytest.raises(
            ModelOutOfReachError, match=r"fewer requests \(429\)"
        ) as caught:
            await chat.ask(request())
        with pytest.raises(ModelOutOfReachError):
            await chat.ask(request("another question"))

    assert caught.value.retry_in_s == 86_400
    assert caught.value.use.calls == len(server.asked) == 1
    assert chat.ledger.spent == 0


async def test_tries_are_bounded_and_a_server_that_is_down_is_left_alone() -> None:
    async with (
        serving(fails("500 Internal Server Error")) as server,
        model(server) as chat,
    ):
        for text in ("one", "two", "three"):
            with pytest.raises(ModelOutOfReachError, match="out of order"):
                await chat.ask(request(text))

    assert len(server.asked) == 3


@pytest.mark.parametrize(
    ("failure", "message"),
    [
        pytest.param(
            fails(
                "401 Unauthorized", error_body(f"Bad key {KEY}", "e", "invalid_api_key")
            ),
            "SIDENOTE_LANGUAGE_MODEL_KEY",
            id="401",
        ),
        pytest.param(fails("402 Payment Required"), "credit", id="402"),
        pytest.param(fails("403 Forbidden"), "SIDENOTE_LANGUAGE_MODEL_KEY", id="403"),
        pytest.param(
            fails("404 Not Found", error_body("no m", "e", "model_not_found")),
            "no language model 'm'",
            id="404",
        ),
        pytest.param(
            fails(
                "429 Too Many Requests", error_body("You", "e", "insufficient_quota")
            ),
            "credit",
            id="429 without credit",
        ),
        pytest.param(
            fails("307 Temporary Redirect", location="http://127.0.0.1:9/"),
            "elsewhere",
            id="redirect",
        ),
        pytest.param(fails("405 Method Not Allowed"), "405", id="another service"),
    ],
)
async def test_what_cannot_pass_stops_the_asking_at_once(
    failure: Script, message: str
) -> None:
    async with serving(failure) as server, model(server) as chat:
        for text in ("one", "two"):
            with pytest.raises(ModelUnusableError, match=message) as caught:
                await chat.ask(request(text))

    assert len(server.asked) == 1
    assert KEY not in str(caught.value)
    assert chat.ledger.spent == 0


async def test_a_redirect_never_takes_the_key_along() -> None:
    async with serving(says(GOOD)) as trap:
        away = fails(
            "307 Temporary Redirect", location=f"{trap.address}/chat/completions"
        )
        async with serving(away) as server, model(server) as chat:
            with pytest.raises(ModelUnusableError):
                await chat.ask(request())

    assert trap.asked == []


async def test_a_refused_connection_costs_calls_and_no_money() -> None:
    async with serving(says(GOOD)) as server:
        pass
    async with model(server) as chat:
        with pytest.raises(ModelOutOfReachError, match="cannot be reached") as caught:
            await chat.ask(request())

    assert caught.value.use.calls == 3
    assert chat.ledger.spent == 0


async def test_a_certificate_of_no_known_authority_is_not_trusted(
    tls: ssl.SSLContext,
) -> None:
    async with serving(says(GOOD), tls=tls) as server, model(server) as chat:
        with pytest.raises(ModelUnusableError, match="TLS"):
            await chat.ask(request())

    assert server.asked == []


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> ssl.SSLContext:
    import subprocess  # noqa: PLC0415 - for this fixture alone

    folder: Path = tmp_path_factory.mktemp("tls")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
         "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
         "-keyout", "key.pem", "-out", "cert.pem"],
        cwd=folder, check=True, capture_output=True,
    )  # fmt: skip
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    return context


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n",
        b"HTTP/1.1 500 Oh\r\ncontent-type: application/json\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 104857600\r\n\r\n",
    ],
)
async def test_an_endless_answer_is_broken_off(head: bytes) -> None:
    async with (
        serving(floods(head)) as server,
        model(server, max_answer_bytes=300_000) as chat,
    ):
        reply = silent(await chat.ask(request()))

    assert reply.why is Setback.UNREADABLE
    assert "300,000 bytes" in reply.detail
    assert len(server.asked) == 1


async def test_an_answer_that_comes_packed_is_not_unpacked() -> None:
    bomb = http("200 OK", b"\x1f\x8b" + b"x" * 100, {"content-encoding": "gzip"})
    async with serving(sends(bomb)) as server, model(server) as chat:
        reply = silent(await chat.ask(request()))

    assert reply.why is Setback.UNREADABLE
