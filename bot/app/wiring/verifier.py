"""The engine that judges claims."""

from bot.settings import Settings, VerifierChoice
from handlers.ports import Verifier


def open_verifier(settings: Settings) -> Verifier:
    """Give the engine that judges, in runs and in evaluations alike."""
    if settings.verifier is VerifierChoice.LEXICAL:
        from bot.models.lexical import LexicalVerifier  # noqa: PLC0415 - imports numpy, which only those who judge need

        return LexicalVerifier()
    from bot.models.neural import NeuralVerifier  # noqa: PLC0415 - only where it is used

    return NeuralVerifier()
