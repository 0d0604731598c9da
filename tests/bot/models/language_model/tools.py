"""What the tests of the language model's adapter share."""

from decimal import Decimal
from typing import Any

from pydantic import BaseModel, ConfigDict

from bot.models.language_model import (
    Budget,
    ChatModel,
    ModelSettings,
    Prices,
    RetryPolicy,
)
from handlers.ports import Excerpt, ModelAnswer, ModelReply, ModelRequest, ModelSilence
from tests.rig.language_model import ModelServer

KEY = "sk-test-4f1d9c0b7a6e"
QUICK = RetryPolicy(
    timeout_s=20.0, attempts=3, first_wait_s=0.01, longest_wait_s=3.0, all_waits_s=5.0
)
GOOD = '{"verdict":"contradicts","quote":"exact words","explanation":"e"}'


class Judgement(BaseModel):
    """The form that the corpus of replies is about."""

    model_config = ConfigDict(extra="forbid", strict=True)

    verdict: str
    quote: str
    explanation: str


def request(
    text: str = "The clock was built in 1874.", instructions: str = "Judge."
) -> ModelRequest[Judgement]:
    return ModelRequest(
        instructions, (Excerpt("excerpt 1 of source 1", text),), Judgement
    )


def model(server: ModelServer | str, **changes: Any) -> ChatModel:
    given: dict[str, Any] = {
        "address": server if isinstance(server, str) else server.address,
        "name": "m",
        "budget": Budget(Decimal(1), 100),
        "user_agent": "Sidenote/test (tester@example.org)",
        "key": KEY,
        "prices": Prices(Decimal(1), Decimal(2)),
        "max_output_tokens": 300,
        "retry": QUICK,
        **changes,
    }
    return ChatModel(ModelSettings(**given))


def answered(reply: ModelReply[Judgement]) -> Judgement:
    assert isinstance(reply, ModelAnswer), reply
    return reply.value


def silent(reply: ModelReply[Judgement]) -> ModelSilence:
    assert isinstance(reply, ModelSilence), reply
    return reply
