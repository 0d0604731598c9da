"""Asks a language model behind any OpenAI-compatible address, within a budget.

A prompt and the form of its answer go in; a checked answer comes out, or a failure. Start
with `chat`, which implements the port. `prompt` writes the request, `budget` sets its cost
aside, `sender` sends it until it is answered, `server` is the connection, and `replies`
checks what comes back.
"""

from bot.models.language_model.budget import (
    Budget,
    ModelSettings,
    Prices,
    RetryPolicy,
)
from bot.models.language_model.chat import ChatModel

__all__ = ["Budget", "ChatModel", "ModelSettings", "Prices", "RetryPolicy"]
