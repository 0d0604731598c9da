"""The lexical verifier, which the network has to beat: no downloads, milliseconds.

Its model is a JSON file among the package's data, read when the first claim comes.
Claims are judged in a thread, one after the other: a page has hundreds, and whatever
else the event loop has to do goes on meanwhile.
"""

import asyncio
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from importlib.resources import files
from typing import Any

from bot.models.lexical_model import ModelFile, from_json
from handlers.citations.cues.reading import read
from handlers.citations.verification import verify
from handlers.model import Claim, Engine, Passage, Verification

_NAME = "lexical"
# Claims of one article often cite the same source; its passages and their
# sentences are then read once. A long article needs some 500, of some 15 KiB each.
_REMEMBERED_TEXTS = 512


class LexicalVerifier:
    """Fulfils `handlers.ports.Verifier`, and tells what it was fitted on."""

    def __init__(self, file: ModelFile | None = None) -> None:
        self._given = file
        self._read = lru_cache(maxsize=_REMEMBERED_TEXTS)(read)
        self._turn = asyncio.Semaphore()

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
        async with self._turn:
            return await asyncio.to_thread(
                verify,
                title,
                claim,
                passages,
                model=self.file.model,
                engine=self.engine,
                read=self._read,
            )


def shipped_model() -> ModelFile:
    """Read the model file among the package's data."""
    return from_json(
        files("bot.models").joinpath("files", "lexical.json").read_text("utf-8")
    )
