"""Verifiers and an encoder for tests, whose answers can be foreseen."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bot.models.encoder import DIMENSIONS, Encoder
from handlers.model import Claim, Engine, Passage, Probabilities, Verdict, Verification
from tests.fakes import FAKE_ENGINE


@dataclass(frozen=True)
class Sure:
    """A verifier that is always as sure."""

    likely: float = 0.9
    engine: Engine = FAKE_ENGINE

    async def verify(
        self, title: str, claim: Claim, passages: Sequence[Passage]
    ) -> Verification:
        assert title
        assert claim.text
        assert passages
        likely = Probabilities(self.likely, 0.0, 1 - self.likely, 0.0)
        return Verification(
            verdict=Verdict.SUPPORTED,
            probabilities=likely,
            evidence=(),
            unsupported=(),
            engine=self.engine,
        )


class WordEncoder(Encoder):
    """Texts are as alike as they share words."""

    name = "words"

    def encode(self, text: str) -> npt.NDArray[np.float32]:
        vector = np.zeros(DIMENSIONS, dtype=np.float32)
        for word in text.lower().split():
            vector[zlib.crc32(word.strip(".,").encode()) % DIMENSIONS] += 1
        return np.asarray(
            vector / (float(np.linalg.norm(vector)) or 1.0), dtype=np.float32
        )

    async def likeness(
        self, texts: Sequence[str], others: Sequence[str]
    ) -> Sequence[Sequence[float]]:
        ones, second = map(self.encode, texts), [self.encode(one) for one in others]
        return [[float(one @ other) for other in second] for one in ones]
