"""The document: what it says is what there is."""

import json
import re
from typing import Any

import jsonschema
import pytest

from gadget.api.document import document
from gadget.api.operations import Need
from gadget.api.table import OPERATIONS
from tests.bot.store.runs import WIKI
from tests.gadget.api.conftest import FIRST
from tests.gadget.api.rig import ORIGIN, OTHER_WIKI, RULES, Asker

_DOCUMENT = document(RULES, "/api/v1")


def _operations() -> dict[str, Any]:
    return {
        told["operationId"]: told
        for methods in _DOCUMENT["paths"].values()
        for told in methods.values()
    }


def test_every_operation_is_told_with_its_refusals_and_examples() -> None:
    told = _operations()

    assert set(told) == {one.name for one in OPERATIONS}
    assert len(told) == 18
    for one in OPERATIONS:
        described = told[one.name]
        assert {"400", "403", "429", "503"} <= set(described["responses"])
        assert ("401" in described["responses"]) is (one.need is Need.READER)
        assert described["summary"]
    for name in ("decide", "prefer", "review"):
        headers = {one["name"]: one for one in told[name]["parameters"]}
        assert headers["Idempotency-Key"]["required"]
        assert headers["Origin"]["schema"]["enum"] == sorted(RULES.origins.allowed)
    wiki = told["suggestionsOfPage"]["parameters"][0]
    assert wiki["schema"]["enum"] == sorted([WIKI, OTHER_WIKI])
    assert told["suggestionsOfPage"]["security"] == [{}, {"reader": []}]


def test_every_reference_leads_somewhere() -> None:
    for found in re.findall(r'"\$ref": "#/([^"]+)"', json.dumps(_DOCUMENT)):
        place: Any = _DOCUMENT
        for step in found.split("/"):
            place = place[step]
        assert place


async def test_it_stands_where_the_server_says_and_counts_for_real_answers(
    ask: Asker,
) -> None:
    served = json.loads((await ask("GET", "/api/v1/openapi.json")).text)
    card = json.loads(
        (await ask("GET", f"/api/v1/suggestions/{FIRST.identity}?wiki={WIKI}")).text
    )

    assert served == _DOCUMENT
    schema = {"$ref": "#/components/schemas/Card", "components": served["components"]}
    jsonschema.validate(card, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(card | {"place": "first"}, schema)


async def test_no_address_answers_that_is_not_in_it(ask: Asker) -> None:
    for one in OPERATIONS:
        path = re.sub(r"\{id\}", "1", one.path)
        path = re.sub(r"\{\w+\}", "a" * 8, path)
        told = await ask("PATCH", f"/api/v1{path}", {"Origin": ORIGIN})
        allowed = set(told.headers["Allow"].split(", ")) - {"HEAD"}
        documented = {name.upper() for name in _DOCUMENT["paths"][one.path]}
        assert (told.status, allowed) == (405, documented)
