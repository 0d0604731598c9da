"""Whatever a real server does wrong, the run ends without an error, and says so."""

from dataclasses import replace

import pytest

from bot.models.language_model import RetryPolicy
from handlers.model import Ignored, ModelFailure, Role, Stopped, UpdateKind
from tests.bot.models.language_model.tools import QUICK, model
from tests.bot.models.roles.playing import Player, plays
from tests.bot.models.roles.scene import (
    CITY,
    NEWS,
    PAGES,
    TIMES,
    Place,
    Tools,
    run,
    tools,
    with_model,
)
from tests.rig.language_model import (
    Script,
    fails,
    hangs,
    says,
    serving,
)

_HASTY = replace(QUICK, timeout_s=0.15, attempts=1)
_ALL_FIELDS = (
    '{"sections": [], "facts": [], "step": "", "decision": "", "surprise": true}'
)
# One of each kind: what every failure of a server is called, the tests of
# `bot/models/language_model` show.
FAILURES: dict[str, tuple[Script, str, RetryPolicy]] = {
    "500": (fails("500 Internal Server Error"), "out of order", QUICK),
    "key": (fails("401 Unauthorized"), "SIDENOTE_LANGUAGE_MODEL_KEY", QUICK),
    "refuses": (says(None, refusal="I cannot"), ModelFailure.REFUSED.value, QUICK),
    "prose": (says("Certainly! Here is what I think."), "JSON object", QUICK),
    "another form": (says(_ALL_FIELDS), "", QUICK),
    "hangs": (hangs, "within", _HASTY),
}


@pytest.fixture(scope="module")
def of() -> Tools:
    return tools()


@pytest.mark.parametrize("name", FAILURES)
async def test_a_server_that_fails_ends_the_run_with_the_reason(
    of: Tools, name: str
) -> None:
    failure, message, retry = FAILURES[name]
    place = Place(PAGES)
    async with (
        serving(failure) as server,
        model(server, retry=retry, max_answer_bytes=300_000) as chat,
    ):
        found = await run(of, with_model(of, chat), place)

    assert found.updates == ()
    assert place.opened == []  # nobody plays in its place
    assert found.stopped is Stopped.FAILED
    assert found.troubles
    assert all(one.startswith("the language model as ") for one in found.troubles)
    assert message in found.troubles[0]
    assert found.use.calls > 0
    assert len(server.asked) <= found.use.calls  # who resets may not have read
    assert found.failed[Role.CRITERIA] == found.turns[Role.CRITERIA] == 1


async def test_without_criteria_the_headings_speak_for_themselves(of: Tools) -> None:
    player = Player()
    script = plays(player, criteria=says("no JSON"))
    async with serving(script) as server, model(server) as chat:
        found = await run(of, with_model(of, chat), Place(PAGES))

    assert len(found.updates) == len(PAGES)
    assert found.troubles == (
        "the language model as criteria: it contains no complete JSON object",
    )
    assert found.failed == {Role.CRITERIA: 1}


async def test_a_page_that_the_model_gives_nothing_on_counts_as_not_checked(
    of: Tools,
) -> None:
    player = Player()
    script = plays(player, extractor=says("no JSON"))
    place = Place({NEWS: PAGES[NEWS], TIMES: PAGES[TIMES]})
    async with serving(script) as server, model(server) as chat:
        found = await run(of, with_model(of, chat), place)

    assert found.updates == ()
    unchecked = [one for one in found.trace if one.ignored is Ignored.NOT_READ]
    assert {one.address for one in unchecked} == {NEWS, TIMES}
    assert all("could not be checked" in one.what for one in unchecked)
    assert found.failed[Role.EXTRACTOR] == found.turns[Role.EXTRACTOR] == 2


async def test_what_needs_a_second_look_and_gets_none_is_no_outdated_statement(
    of: Tools,
) -> None:
    player = Player()
    script = plays(player, **{"second look": says("no JSON")})
    async with serving(script) as server, model(server) as chat:
        found = await run(of, with_model(of, chat), Place({CITY: PAGES[CITY]}))

    [update] = found.updates
    assert update.kind is UpdateKind.NEW_FACT
    assert "12,000 vehicles a day, of which" in update.after.text
    assert found.troubles


async def test_a_model_that_goes_away_in_the_middle_leaves_what_was_found(
    of: Tools,
) -> None:
    player = Player()
    away = fails("500 Internal Server Error")
    async with (
        serving(*[plays(player)] * 4, away) as server,
        model(server) as chat,
    ):
        found = await run(of, with_model(of, chat), Place(PAGES))

    assert len(found.updates) == 1
    assert found.stopped is Stopped.FAILED
    assert any("out of order" in one for one in found.troubles)
