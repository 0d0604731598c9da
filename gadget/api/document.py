"""The OpenAPI document, made from the table of operations and the models that they name.

There is nothing in it that is not also what the server checks: a model that is checked
differently than it reads here does not exist.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from gadget.api.body import KEY_HEADER, KEY_PATTERN
from gadget.api.operations import Need, Operation
from gadget.api.parts import Rules
from gadget.api.problems import CODES, MEANINGS
from gadget.api.table import OPERATIONS
from gadget.payloads.answers import ProblemAnswer
from gadget.payloads.requests import Nothing

_REF = "#/components/schemas/{model}"
_SCHEME = "reader"
_JSON = "application/json"
_ABOUT = """\
What the panel beside an article asks its backend for. Reading is anonymous; acting takes
a reader who signed in. Every answer that is not what was asked for is a `ProblemAnswer`.
Only pages of known origins may ask, and writing takes the header `Origin` that browsers
send by themselves."""


def document_text(rules: Rules, prefix: str) -> str:
    """Return the document as JSON."""
    return json.dumps(document(rules, prefix), ensure_ascii=False)


def document(rules: Rules, prefix: str) -> dict[str, Any]:
    """Return the document of an API that stands under `prefix`."""
    paths: dict[str, dict[str, Any]] = {}
    for operation in OPERATIONS:
        described = _operation(operation, rules)
        paths.setdefault(operation.path, {})[operation.method.lower()] = described
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Sidenote",
            "version": rules.version,
            "description": _ABOUT,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": (rules.address or "") + prefix}],
        "paths": paths,
        "components": {
            "schemas": _schemas(),
            "responses": {str(one): _refusal(one) for one in CODES},
            "securitySchemes": {
                _SCHEME: {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The token that `finishSignIn` hands out.",
                }
            },
        },
    }


def _schemas() -> dict[str, Any]:
    answered = {one for each in OPERATIONS for one in each.answers.values() if one}
    sent = {each.body for each in OPERATIONS if each.body}
    known: list[tuple[type[BaseModel], Any]] = [
        *((one, "serialization") for one in _sorted(answered | {ProblemAnswer})),
        *((one, "validation") for one in _sorted(sent)),
    ]
    _, found = models_json_schema(known, ref_template=_REF)
    schemas: dict[str, Any] = found["$defs"]
    return schemas


def _sorted(models: set[type[BaseModel]]) -> list[type[BaseModel]]:
    return sorted(models, key=lambda one: one.__name__)


def _operation(operation: Operation, rules: Rules) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "parameters": [*_parameters(operation, rules), *_headers(operation, rules)],
        "responses": dict(_responses(operation)),
        "security": _security(operation.need),
    }
    if operation.about:
        described["description"] = operation.about
    if operation.body is not None:
        described["requestBody"] = {
            "required": True,
            "content": {_JSON: {"schema": _ref(operation.body)}},
        }
    return described


def _security(need: Need) -> list[dict[str, list[str]]]:
    signed_in: dict[str, list[str]] = {_SCHEME: []}
    return {
        Need.NOBODY: [],
        Need.ANYBODY: [{}, signed_in],
        Need.READER: [signed_in],
    }[need]


def _parameters(operation: Operation, rules: Rules) -> Iterator[dict[str, Any]]:
    for place, model in (("path", operation.names), ("query", operation.query)):
        if model is Nothing:
            continue
        told = model.model_json_schema(ref_template=_REF)
        required = set(told.get("required", ()))
        for name, schema in told["properties"].items():
            bare = _bare(schema)
            if name == "wiki":
                bare["enum"] = sorted(rules.wikis)
            yield {
                "name": name,
                "in": place,
                "required": place == "path" or name in required,
                "description": bare.pop("description", name),
                "schema": bare,
            }


def _bare(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return what may be sent: nothing is sent by leaving it out, not as a value."""
    choices = [one for one in schema.get("anyOf", ()) if one.get("type") != "null"]
    chosen = choices[0] if len(choices) == 1 else schema
    return {
        name: value
        for name, value in chosen.items()
        if name != "title" and not (name == "default" and value is None)
    }


def _headers(operation: Operation, rules: Rules) -> Iterator[dict[str, Any]]:
    if operation.method != "GET":
        origins = sorted(rules.origins.allowed)
        yield {
            "name": "Origin",
            "in": "header",
            "required": True,
            "description": "The page's origin; browsers send it by themselves.",
            "schema": {"type": "string", **({"enum": origins} if origins else {})},
        }
    if operation.is_repeatable:
        yield {
            "name": KEY_HEADER,
            "in": "header",
            "required": True,
            "description": (
                "New for each thing that is done, the same when it is sent again: then"
                " it is done once, and answered the same."
            ),
            "schema": {"type": "string", "pattern": KEY_PATTERN},
            "example": "3f1c0b9e5d7a4c2e8b6f",
        }


def _responses(operation: Operation) -> Iterator[tuple[str, dict[str, Any]]]:
    for status, model in operation.answers.items():
        yield str(status), _answer(operation, status, model)
    if operation.is_kept:
        yield "304", {"description": "The browser has it already.", "headers": _tag()}
    for status in sorted(_refusals(operation)):
        yield str(status), {"$ref": f"#/components/responses/{status}"}


def _answer(
    operation: Operation, status: int, model: type[BaseModel] | None
) -> dict[str, Any]:
    told: dict[str, Any] = {"description": _MEANS[status]}
    if operation.stream is not None:
        return {
            **told,
            "content": {"text/event-stream": {"schema": _EVENT}},
        }
    if model is not None:
        told["content"] = {_JSON: {"schema": _ref(model)}}
    if operation.is_kept:
        told["headers"] = _tag()
    return told


_EVENT = {
    "type": "object",
    "description": "Each event of the stream; the data of a `look` is a LookAnswer.",
    "properties": {
        "event": {"enum": ["look", "end"]},
        "data": {"type": "string", "contentMediaType": _JSON},
    },
}
_MEANS = {
    200: "What was asked for.",
    201: "It is done.",
    202: "It is under way.",
    204: "There is nothing to say.",
}


def _tag() -> dict[str, Any]:
    about = "Send it back in `If-None-Match`."
    return {"ETag": {"description": about, "schema": {"type": "string"}}}


def _refusals(operation: Operation) -> set[int]:
    found = {400, 403, 405, 421, 429, 500, 503}
    if operation.need is Need.READER:
        found |= {401}
    if operation.names is not Nothing or operation.query is not Nothing:
        found |= {404}
    if operation.body is not None:
        found |= {404, 408, 413, 415}
    if operation.is_repeatable:
        found |= {409}
    return found


def _refusal(status: int) -> dict[str, Any]:
    told: dict[str, Any] = {
        "description": MEANINGS[status],
        "content": {
            _JSON: {
                "schema": _ref(ProblemAnswer),
                "example": {
                    "error": {
                        "code": CODES[status],
                        "message": MEANINGS[status],
                        "retry_in_s": 5 if status in _WAITING else None,
                    }
                },
            }
        },
    }
    if status in _WAITING:
        told["headers"] = {
            "Retry-After": {
                "description": "In how many seconds to ask again.",
                "schema": {"type": "integer", "minimum": 1},
            }
        }
    return told


_WAITING = frozenset({429, 503})


def _ref(model: type[BaseModel]) -> dict[str, str]:
    return {"$ref": _REF.format(model=model.__name__)}
