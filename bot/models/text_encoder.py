"""Tells how alike texts mean, by the encoder that ships; remembers what it encoded.

The same statements of an article are compared with many candidates, and encoding is
what costs: some 5 ms a sentence. Encoding runs in a thread, one at a time.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

import numpy as np
import numpy.typing as npt

from bot.models.encoder import Encoder

_REMEMBERED = 8_192  # vectors, 1.5 KiB each
_LONGEST_CHARS = 2_000  # the encoder reads 256 word pieces

Vector = npt.NDArray[np.float32]


class RememberingEncoder:
    """Fulfils `handlers.ports.TextEncoder`."""

    def __init__(self, encoder: Encoder | None = None) -> None:
        self._encoder = encoder or Encoder()
        self._known: OrderedDict[str, Vector] = OrderedDict()
        self._turn = Lock()

    async def likeness(
        self, texts: Sequence[str], others: Sequence[str]
    ) -> Sequence[Sequence[float]]:
        """Return for each of `texts` its cosine with each of `others`, -1 to 1."""
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
