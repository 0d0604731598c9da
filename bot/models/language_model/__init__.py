"""Asks a language model behind any OpenAI-compatible address, within a budget."""

from bot.models.language_model.chat import ChatModel
from bot.models.language_model.settings import (
    Budget,
    ModelSettings,
    Patience,
    Prices,
)

__all__ = ["Budget", "ChatModel", "ModelSettings", "Patience", "Prices"]
