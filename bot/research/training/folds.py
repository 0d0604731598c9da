"""Which engines can be fitted again without the rows they are measured on."""

from bot.models.lexical import LexicalVerifier
from bot.models.neural import NeuralVerifier
from bot.research.evaluation.judging import OutOfFold
from bot.research.training.page_folds import PageFolds
from handlers.ports import Verifier


def folds_of(verifier: Verifier) -> OutOfFold | None:
    """Return the folds of `verifier`; `None` if it never saw data it may meet."""
    if isinstance(verifier, LexicalVerifier):
        return PageFolds(verifier.file, verifier.engine)
    if isinstance(verifier, NeuralVerifier):
        return PageFolds(verifier.file, verifier.engine, verifier.network)
    return None
