"""Asks a language model behind any OpenAI-compatible address, within a budget."""

from bot.models.language_model.budget import (
    Budget,
    ModelSettings,
    Prices,
    RetryPolicy,
)
from bot.models.language_model.chat import ChatModel

__all__ = ["Budget", "ChatModel", "ModelSettings", "Prices", "RetryPolicy"]
