"""A reader supplies a text, and is told what came of it; nobody else is."""

import base64
import json

import pytest

from bot.records.accounts import SuppliedQuote, SuppliedResult
from bot.records.tasks import TaskKind
from bot.store import Store
from bot.surfaces.messages import message, to_note
from handlers.model import Verdict
from tests.bot.store.runs import NOON, TITLE, WIKI
from tests.gadget.api.rig import ORIGIN, Asker, sign_in

PLACE = "/api/v1/supplied-texts"
ASKED: dict[str, object] = {"wiki": WIKI, "title": TITLE, "source": "isbn:1"}


async def test_a_text_is_supplied_and_its_answer_fetched(
    act: Asker, ask: Asker, store: Store
) -> None:
    pdf = b"%PDF-1.4 " + bytes(range(256)) * 1_500
    content = base64.b64encode(pdf).decode()
    body = {**ASKED, "content": content, "encoding": "base64"}
    begun = await act("POST", PLACE, json=body)
    assert begun.status == 202
    answer = json.loads(begun.text)
    assert (answer["has_ended"], answer["results"]) == (False, [])
    lease = store.tasks.lease([TaskKind.SUPPLIED], "worker", NOON)
    assert lease is not None
    assert (lease.task.body, lease.task.source_key) == (pdf, "isbn:1")

    quote = SuppliedQuote("rang", "It ", " twice", 3)
    found = (SuppliedResult("It rang.", Verdict.SUPPORTED, (quote,)),)
    store.supplied.answer(lease, found, NOON)

    where = f"{PLACE}/{answer['id']}?wiki={WIKI}"
    answered = json.loads((await act("GET", where)).text)
    assert answered["has_ended"]
    assert answered["results"] == [
        {
            "claim": "It rang.",
            "verdict": "supported",
            "quotes": [
                {"quote": "rang", "before": "It ", "after": " twice", "page": 3}
            ],
        }
    ]
    assert (await ask("GET", where)).status == 401
    other = ask.as_of(token=sign_in(store, "Another"))
    assert (await other("GET", where)).status == 404


@pytest.mark.parametrize(
    ("problem", "key", "english"),
    [
        (to_note(message("refusal-not-cited")), "refusal-not-cited", "cites"),
        ("w.example has no page", "refusal-check-failed", "w.example has no page"),
    ],
)
async def test_why_there_is_no_result_is_said_in_the_readers_language_too(
    act: Asker, store: Store, problem: str, key: str, english: str
) -> None:
    begun = json.loads((await act("POST", PLACE, json={**ASKED, "content": "A"})).text)
    lease = store.tasks.lease([TaskKind.SUPPLIED], "worker", NOON)
    assert lease is not None
    store.supplied.answer(lease, (), NOON, problem)

    answer = json.loads((await act("GET", f"{PLACE}/{begun['id']}?wiki={WIKI}")).text)

    assert answer["reason"]["key"] == key
    assert english in answer["problem"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (ASKED, 400),
        ({**ASKED, "content": ""}, 400),
        ({**ASKED, "content": "A", "encoding": "rot13"}, 400),
        ({**ASKED, "content": "A", "wiki": "other.example.org"}, 404),
    ],
)
async def test_what_makes_no_sense_is_refused(
    act: Asker, body: dict[str, object], status: int
) -> None:
    assert (await act("POST", PLACE, json=body)).status == status


async def test_strangers_may_not_send_so_much(ask: Asker) -> None:
    body = {**ASKED, "content": "x" * 20_000}

    refused = await ask("POST", PLACE, {"Origin": ORIGIN}, json=body)

    assert refused.status == 413
