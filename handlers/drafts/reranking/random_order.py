"""Orders chunks by chance: what any reranker must do better than (table 8). Pure."""

from collections.abc import Sequence
from random import Random

from handlers.model import Chunk


class RandomReranker:
    """The paper's baseline; the same seed, query and chunks give the same order."""

    name = "random"

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed

    async def scores(self, query: str, chunks: Sequence[Chunk]) -> Sequence[float]:
        """Return a number from 0 to 1 for each chunk."""
        draws = Random(f"{self._seed} {query}")  # noqa: S311 - an order, no secret
        return [draws.random() for _ in chunks]
