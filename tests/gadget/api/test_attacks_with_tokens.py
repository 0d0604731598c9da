"""What strangers try with tokens: made-up ones, of another wiki, their own too often."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from bot.store import Store
from gadget.limits import Rate
from tests.bot.store.runs import WIKI
from tests.gadget.api.conftest import FIRST, SECOND
from tests.gadget.api.rig import OTHER_WIKI, RULES, Asker, served, sign_in
from tests.gadget.api.strangers import ACCEPT, KEY, PAGE


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

    for made_up in (
        name,
        f"{name}.",
        f"{name}.{'0' * len(mac)}",
        f"{name}x.{mac}",
        f"AAAAAAAA.{mac}",
        "....~~~~",
    ):
        path = f"/api/v1/comparisons/{made_up}"
        answer = await act("POST", path, KEY, json={"preferred": "first"})
        assert answer.status in {404, 409}, made_up


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
