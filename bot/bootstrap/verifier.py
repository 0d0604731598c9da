"""The engine that judges claims."""

from bot.adapters.lexical_verifier import LexicalVerifier
from bot.settings import Settings
from handlers.ports import Verifier


def open_verifier(_: Settings) -> Verifier:
    """Give the engine that judges, in runs and in evaluations alike."""
    return LexicalVerifier()
