"""Turns a text into a vector whose nearness to others says how alike they mean.

The model is all-MiniLM-L6-v2 as int8 ONNX, shipped with the package; mean of the
tokens and length 1 are part of its graph.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bot.models.onnx import WORD_PIECES, load_network, load_word_pieces, shipped

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

DIMENSIONS = 384
NAME = "all-MiniLM-L6-v2 int8 1"  # another one makes vectors that cannot be compared
_MOST_TOKENS = 256  # what the model was made for; more words are not read
_MODEL = "encoder.onnx"


class Encoder:
    """Encodes texts; the model is loaded with the first one (a fifth of a second)."""

    name = NAME

    def __init__(self, *, threads: int = 1) -> None:
        self._threads = threads
        self._loaded: tuple[InferenceSession, Tokenizer] | None = None

    def encode(self, text: str) -> npt.NDArray[np.float32]:
        """Return the vector of `text`: `DIMENSIONS` numbers, of length 1.

        Raises:
            PermanentError: the installation lacks the model.
        """
        self._loaded = self._loaded or _load(self._threads)
        session, tokenizer = self._loaded
        ids = np.array([tokenizer.encode(text).ids], dtype=np.int64)
        [found] = session.run(None, {"input_ids": ids})
        return np.asarray(found[0], dtype=np.float32)

    def encode_all(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return the vectors of `texts`, one a row."""
        if not texts:
            return np.zeros((0, DIMENSIONS), dtype=np.float32)
        return np.stack([self.encode(text) for text in texts])


def _load(threads: int) -> "tuple[InferenceSession, Tokenizer]":
    tokenizer = load_word_pieces(shipped(WORD_PIECES))
    tokenizer.enable_truncation(_MOST_TOKENS)
    return load_network(shipped(_MODEL), threads=threads), tokenizer
