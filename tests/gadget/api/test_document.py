"""The document: what it says is what there is."""

import json
import re
from typing import Any

import jsonschema
import pytest

from bot.store import Store
from gadget.api.app import api_of
from gadget.api.backend import Backend
from tests.bot.store.runs import WIKI
from tests.gadget.api.conftest import FIRST
from tests.gadget.api.rig import ORIGIN, OTHER_WIKI, RULES, Asker, parts

OF_READERS = {
    "askForCheck",
    "decide",
    "nextComparison",
    "prefer",
    "queue",
    "reader",
    "review",
    "signOut",
    "suppliedText",
    "supplyText",
    "undo",
}
OF_ANYBODY = {
    "beginSignIn",
    "accuracy",
    "countSuggestions",
    "finishSignIn",
    "followCheck",
    "health",
    "check",
    "suggestion",
    "suggestionsOfPage",
    "waysToSignIn",
}


@pytest.fixture(scope="module")
def document(store: Store) -> dict[str, Any]:
    return api_of(Backend(parts(store), RULES)).openapi()


def test_every_operation_is_documented_with_its_refusals_and_examples(
    document: dict[str, Any],
) -> None:
    operations = {
        operation["operationId"]: operation
        for methods in document["paths"].values()
        for operation in methods.values()
    }

    assert set(operations) == OF_READERS | OF_ANYBODY
    for name, described in operations.items():
        assert {"400", "403", "429", "503"} <= set(described["responses"])
        assert ("401" in described["responses"]) is (name in OF_READERS)
        assert "422" not in described["responses"]
        assert described["summary"]
        problem = described["responses"]["429"]["content"]["application/json"]
        assert problem["example"]["error"]["code"] == "too-many"
    for name in ("decide", "prefer", "review"):
        headers = {one["name"]: one for one in operations[name]["parameters"]}
        assert headers["Idempotency-Key"]["required"]
        assert headers["Origin"]["schema"]["enum"] == sorted(RULES.origins.allowed)
    wiki = operations["suggestionsOfPage"]["parameters"][0]
    assert wiki["schema"]["enum"] == sorted([WIKI, OTHER_WIKI])
    assert {json.dumps(one) for one in operations["suggestionsOfPage"]["security"]} == {
        "{}",
        '{"reader": []}',
    }
    assert operations["queue"]["security"] == [{"reader": []}]
    assert not operations["health"].get("security")


def test_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    for found in re.findall(r'"\$ref": "#/([^"]+)"', json.dumps(document)):
        place: Any = document
        for step in found.split("/"):
            place = place[step]
        assert place


async def test_it_stands_where_the_server_says_and_counts_for_real_answers(
    ask: Asker, document: dict[str, Any]
) -> None:
    served = json.loads((await ask("GET", "/api/v1/openapi.json")).text)
    card = json.loads(
        (await ask("GET", f"/api/v1/suggestions/{FIRST.identity}?wiki={WIKI}")).text
    )

    assert served == document
    schema = {"$ref": "#/components/schemas/Card", "components": served["components"]}
    jsonschema.validate(card, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(card | {"place": "first"}, schema)


async def test_no_address_answers_that_is_not_in_it(
    ask: Asker, document: dict[str, Any]
) -> None:
    for template, methods in document["paths"].items():
        path = re.sub(r"\{id\}", "1", template)
        path = re.sub(r"\{\w+\}", "a" * 8, path)
        answer = await ask("PATCH", f"/api/v1{path}", {"Origin": ORIGIN})
        allowed = set(answer.headers["Allow"].split(", ")) - {"HEAD"}
        assert (answer.status, allowed) == (405, {name.upper() for name in methods})
