"""Turns texts into vectors: the closer two vectors, the closer the texts' meanings.

The model is all-MiniLM-L6-v2 as int8 ONNX, shipped with the package. Mean pooling and
normalising to length 1 are part of its graph. Encoding takes about 5 ms a sentence, so
vectors are cached.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bot.models.onnx import WORD_PIECES, load_network, load_word_pieces, shipped

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

DIMENSIONS = 384
NAME = "all-MiniLM-L6-v2 int8 1"  # vectors of different models cannot be compared
_MOST_TOKENS = 256  # what the model was trained for; longer texts are cut
_MODEL = "encoder.onnx"


class Encoder:
    """Encodes texts; the model is loaded on first use (0.2 s)."""

    name = NAME

    def __init__(self) -> None:
        self._loaded: tuple[InferenceSession, Tokenizer] | None = None

    def encode(self, text: str) -> npt.NDArray[np.float32]:
        """Return the vector of `text`: `DIMENSIONS` numbers, of length 1.

        Raises:
            PermanentError: the model is not installed.
        """
        self._loaded = self._loaded or _load()
        session, tokenizer = self._loaded
        ids = np.array([tokenizer.encode(text).ids], dtype=np.int64)
        [found] = session.run(None, {"input_ids": ids})
        return np.asarray(found[0], dtype=np.float32)

    def encode_all(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return the vectors of `texts`, one per row."""
        if not texts:
            return np.zeros((0, DIMENSIONS), dtype=np.float32)
        return np.stack([self.encode(text) for text in texts])


def _load() -> "tuple[InferenceSession, Tokenizer]":
    tokenizer = load_word_pieces(shipped(WORD_PIECES))
    tokenizer.enable_truncation(_MOST_TOKENS)
    return load_network(shipped(_MODEL), threads=1), tokenizer


_REMEMBERED = 8_192  # vectors, 1.5 KiB each
_LONGEST_CHARS = 2_000  # the encoder reads only 256 word pieces

Vector = npt.NDArray[np.float32]


class RememberingEncoder:
    """Implements `handlers.ports.TextEncoder`."""

    def __init__(self, encoder: Encoder | None = None) -> None:
        self._encoder = encoder or Encoder()
        self._known: OrderedDict[str, Vector] = OrderedDict()
        self._turn = Lock()

    async def likeness(
        self, texts: Sequence[str], others: Sequence[str]
    ) -> Sequence[Sequence[float]]:
        """Return the cosine of each of `texts` with each of `others`, -1 to 1."""
        if not texts or not others:
            return [[] for _ in texts]
        return await asyncio.to_thread(self._likeness, texts, others)

    def _likeness(
        self, texts: Sequence[str], others: Sequence[str]
    ) -> list[list[float]]:
        with self._turn:
            first = np.stack([self._vector(text) for text in texts])
            second = np.stack([self._vector(text) for text in others])
        cosines: list[list[float]] = (first @ second.T).tolist()
        return cosines

    def _vector(self, text: str) -> Vector:
        text = text[:_LONGEST_CHARS].encode("utf-8", "replace").decode("utf-8")
        vector = self._known.get(text)
        if vector is None:
            vector = self._known[text] = self._encoder.encode(text)
            if len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        else:
            self._known.move_to_end(text)
        return vector
