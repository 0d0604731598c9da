"""The verifier that ships: a small cross-encoder, weighed beside the lexical features.

Both files are among the package's data. No network access, no service, some 20 ms of
one core a claim. A claim is judged in a thread of its own, for the network computes
without the interpreter's lock, so that sources are read on meanwhile.

A cell of a table or infobox is judged like a sentence: with what its row and column
say before its value.
"""

import asyncio
import os
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from importlib.resources import files
from typing import Any

from bot.models.cross_encoder import CrossEncoderModel
from bot.models.lexical_model import ModelFile, from_json
from handlers.citations.cues.reading import read
from handlers.citations.neural.answer import CrossEncoder
from handlers.citations.verification import verify
from handlers.model import Claim, Engine, Passage, Verification

_NAME = "minilm"
_REMEMBERED_TEXTS = 512  # as many as a long article needs, some 15 KiB each
_MOST_AT_ONCE = 4


class NeuralVerifier:
    """Fulfils `handlers.ports.Verifier`, and tells what it was fitted on."""

    def __init__(
        self, file: ModelFile | None = None, network: CrossEncoder | None = None
    ) -> None:
        """Name another model or network than those that ship."""
        self._given = file
        self.network = network or CrossEncoderModel(threads=1)
        self._read = lru_cache(maxsize=_REMEMBERED_TEXTS)(read)
        self._free = asyncio.Semaphore(min(_MOST_AT_ONCE, os.cpu_count() or 1))

    @cached_property
    def file(self) -> ModelFile:
        """The model file: the one given, else the one that ships."""
        return self._given or shipped_model()

    @property
    def engine(self) -> Engine:
        """Name and version, stored with each verdict."""
        return Engine(_NAME, self.file.model.version)

    def fitted_on(self, sha256: str) -> Mapping[str, Any] | None:
        """Return the figures cross-validated on the file with this fingerprint.

        `None` where the model has not seen the file.
        """
        return self.file.figures_on(sha256)

    async def verify(
        self, title: str, claim: Claim, passages: Sequence[Passage]
    ) -> Verification:
        """Judge `claim` of the article `title` by all the `passages` of its sources."""
        async with self._free:
            return await asyncio.to_thread(
                verify,
                title,
                claim,
                passages,
                model=self.file.model,
                engine=self.engine,
                read=self._read,
                network=self.network,
            )


def shipped_model() -> ModelFile:
    """Read the model file among the package's data."""
    return from_json(
        files("bot.models").joinpath("files", "neural.json").read_text("utf-8")
    )
