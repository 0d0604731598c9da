"""What strangers try from other pages: other origins, other names, forms."""

import json

import pytest

from tests.bot.store.runs import WIKI
from tests.gadget.api.rig import ORIGIN, OTHER_WIKI, Asker
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
