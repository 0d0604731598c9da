"""Verifiers that have read nothing yet, with models that are loaded already.

A daemon loads them once. What a verifier remembers of texts is of its own, so that no
round profits from the one before.
"""

from collections.abc import Callable
from functools import partial

from bot.models.lexical import LexicalVerifier
from bot.models.lexical import shipped_lexical as lexical_model
from bot.models.neural import NeuralVerifier
from bot.models.neural import shipped_neural as neural_model
from handlers.citations.network_input import CrossEncoder
from handlers.ports import Verifier


def lexical() -> Callable[[], Verifier]:
    """Return what makes verifiers without a network."""
    return partial(LexicalVerifier, lexical_model())


def without_cache(known: Verifier) -> Verifier:
    """Return a verifier with the same models that remembers nothing."""
    if isinstance(known, NeuralVerifier):
        return NeuralVerifier(known.file, known.network)
    assert isinstance(known, LexicalVerifier)
    return LexicalVerifier(known.file)


def neural(network: CrossEncoder) -> Callable[[], Verifier]:
    """Return what makes verifiers with this network."""
    return partial(NeuralVerifier, neural_model(), network)
