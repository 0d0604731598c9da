"""Drafts with a language model behind a real address, well and in all its failures."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from bot.app.wiring.drafts import make_cast
from bot.models.encoder import RememberingEncoder
from bot.models.language_model import RetryPolicy
from bot.models.lexical import LexicalVerifier
from handlers.drafts.dossier import Cast, draft
from handlers.drafts.roles import EMBEDDED_RULES
from handlers.model import Draft, DraftDocument, DraftMethod
from handlers.ports import LanguageModel
from tests.bot.models.language_model.tools import model
from tests.bot.models.roles.test_failures import FAILURES
from tests.handlers.drafts.by_model.scene import (
    AID,
    BURST,
    RELIEF,
    RIVER,
    TOPIC,
    documents,
    headed,
)
from tests.rig.language_model import Asked, Script, completion, http, serving

_NAMED = "The Exampleton flood of 2024 is known by the name of the town."
REST = "\n" + "menu home news weather sport " * 100  # that nobody quotes
_RULES = replace(EMBEDDED_RULES, words=200)


def _cast(chat: LanguageModel | None, method: DraftMethod = DraftMethod.PRR) -> Cast:
    return make_cast(method, "bm25", RememberingEncoder(), LexicalVerifier(), chat)


async def _draft(
    chat: LanguageModel | None, method: DraftMethod = DraftMethod.PRR
) -> Draft:
    return await draft(TOPIC, _documents(), _cast(chat, method), _RULES)


def _documents() -> tuple[DraftDocument, ...]:
    return documents(f"{RIVER} {_NAMED}{REST}", f"{_NAMED} {RELIEF}{REST}")


def _number(request: Asked, words: str) -> int:
    """The number of the document that has these words."""
    labels = [label for label, text in request.parts.items() if words in text]
    return int(labels[-1].removeprefix("document "))


def _plays(request: Asked) -> dict[str, Any]:
    """Plan two sections, and write each of them, or both as an article."""
    if "titles of the documents" in request.parts:
        return {
            "lead": ["flood"],
            "sections": [{"heading": "Relief", "wants": ["money for homes"]}],
        }
    burst = (BURST, [_number(request, "burst its banks")])
    aid = (AID, [_number(request, "40 million")])
    if "length" in request.parts:
        return {"sections": [headed("", burst), headed("Relief", aid)]}
    is_relief = "Heading: Relief" in request.parts["section to write"]
    return {"sections": [headed("", aid if is_relief else burst)]}


async def _script(request: Asked, writer: asyncio.StreamWriter) -> None:
    body = completion(json.dumps(_plays(request)), sent=request)
    writer.write(http("200 OK", body))
    await writer.drain()


@pytest.mark.parametrize(
    ("method", "calls"), [(DraftMethod.PRR, 3), (DraftMethod.RR, 1)]
)
async def test_a_model_plans_and_writes_what_its_documents_support(
    method: DraftMethod, calls: int
) -> None:
    async with serving(_script) as server, model(server) as chat:
        drafted = await _draft(chat, method)

    assert [
        (one.heading, [s.text for s in one.sentences]) for one in drafted.sections
    ] == [
        ("", [BURST]),
        ("Relief", [AID]),
    ]
    assert all(cite.probability for one in drafted.sentences for cite in one.cites)
    assert drafted.is_worded
    assert drafted.engine == chat.engine
    assert drafted.troubles == ()
    assert drafted.use.calls == calls == len(server.asked)
    assert drafted.use.cost > 0


@pytest.mark.parametrize("name", FAILURES)
async def test_a_server_that_fails_leaves_the_embedded_draft_and_says_so(
    name: str,
) -> None:
    failure, message, retry = FAILURES[name]
    without = await _draft(None)
    drafted = await _failed(failure, retry)

    assert without.sections
    assert drafted.sections == without.sections
    assert not drafted.is_worded
    assert drafted.troubles
    assert all(one.startswith("the language model as ") for one in drafted.troubles)
    assert message in drafted.troubles[0]
    assert drafted.use.calls > 0


async def _failed(failure: Script, retry: RetryPolicy) -> Draft:
    async with (
        serving(failure) as server,
        model(server, retry=retry, max_answer_bytes=300_000) as chat,
    ):
        return await _draft(chat)
