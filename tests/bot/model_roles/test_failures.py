"""Whatever a real server does wrong, the run ends as without a model, and says so."""

import asyncio
from dataclasses import replace

import pytest

from bot.adapters.language_model import Patience
from handlers.model import Discovery, Setback, Stopped
from tests.bot.language_model.tools import QUICK, model
from tests.bot.model_roles.playing import Player, plays
from tests.bot.model_roles.scene import (
    PAGES,
    Place,
    Tools,
    embedded,
    run,
    tools,
    with_model,
)
from tests.rig.language_model import (
    Script,
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

_ROLES = ("criteria", "navigator", "extractor", "aggregator")
_HASTY = replace(QUICK, timeout_s=0.15, attempts=1)
_ALL_FIELDS = (
    '{"sections": [], "facts": [], "step": "", "decision": "", "surprise": true}'
)
FAILURES: dict[str, tuple[Script, str, Patience]] = {
    "500": (fails("500 Internal Server Error"), "out of order", QUICK),
    "busy": (fails("429 Too Many Requests", retry_after="99"), "429", QUICK),
    "key": (fails("401 Unauthorized"), "SIDENOTE_LANGUAGE_MODEL_KEY", QUICK),
    "credit": (fails("402 Payment Required"), "credit", QUICK),
    "no such model": (
        fails("404 Not Found", error_body("no m", "e", "model_not_found")),
        "no language model",
        QUICK,
    ),
    "too long": (
        fails("400 Bad Request", error_body("m", "e", "context_length_exceeded")),
        Setback.TOO_LONG.value,
        QUICK,
    ),
    "refuses": (says(None, refusal="I cannot"), Setback.REFUSED.value, QUICK),
    "filter": (says("", finish="content_filter"), Setback.REFUSED.value, QUICK),
    "cut off": (says('{"sec', finish="length"), Setback.CUT_OFF.value, QUICK),
    "prose": (says("Certainly! Here is what I think."), "JSON object", QUICK),
    "another form": (says(_ALL_FIELDS), "", QUICK),
    "a list": (says("[1, 2, 3]"), "JSON object", QUICK),
    "a page": (sends(http("200 OK", b"<html>")), "", QUICK),
    "hangs": (hangs, "within", _HASTY),
    "resets": (resets, "", _HASTY),
    "floods": (floods(b"HTTP/1.1 200 OK\r\n\r\n"), "bytes", QUICK),
}


@pytest.fixture(scope="module")
def of() -> Tools:
    return tools()


@pytest.fixture(scope="module")
def without(of: Tools) -> Discovery:
    return asyncio.run(run(of, embedded(of), Place(PAGES)))


def _facts(found: Discovery) -> list[tuple[object, ...]]:
    return [
        (one.number, one.kind, one.text, one.section, one.replaces, one.is_worded)
        for one in found.updates
    ]


@pytest.mark.parametrize("name", FAILURES)
async def test_a_server_that_fails_leaves_what_the_embedded_roles_find(
    of: Tools, without: Discovery, name: str
) -> None:
    failure, told, patience = FAILURES[name]
    async with (
        serving(failure) as server,
        model(server, patience=patience, max_answer_bytes=300_000) as chat,
    ):
        found = await run(of, with_model(of, chat), Place(PAGES))

    assert without.updates
    assert _facts(found) == _facts(without)
    assert found.stopped is Stopped.NOTHING_LEFT
    assert found.troubles
    assert all(one.startswith("the language model as ") for one in found.troubles)
    assert told in found.troubles[0]
    assert found.use.calls == len(server.asked) > 0


@pytest.mark.parametrize("role", _ROLES)
async def test_a_role_that_fails_alone_is_the_only_one_replaced(
    of: Tools, role: str
) -> None:
    player = Player()
    script = plays(player, **{role: says("no JSON")})
    async with serving(script) as server, model(server) as chat:
        found = await run(of, with_model(of, chat), Place(PAGES))

    assert found.updates
    told = f"the language model as {role}: it holds no whole JSON object"
    assert told in found.troubles
    assert not any("JSON" in one for one in found.troubles if one != told)
    assert all(player.count(one) for one in _ROLES)


async def test_a_model_that_goes_away_in_the_middle_leaves_what_was_found(
    of: Tools,
) -> None:
    player = Player()
    script = plays(player)
    away = fails("500 Internal Server Error")
    async with (
        serving(*[script] * 6, away) as server,
        model(server) as chat,
    ):
        found = await run(of, with_model(of, chat), Place(PAGES))

    assert any(one.is_worded for one in found.updates)
    assert len({one.sources[0].site for one in found.updates}) == len(PAGES)
    assert any("out of order" in one for one in found.troubles)
