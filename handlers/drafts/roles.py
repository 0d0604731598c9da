"""The roles in making a draft as ports, each implemented with and without a model.

A role that gets no usable answer from its model falls back on the embedded one and says
so in its turn; nothing that a model does makes a role raise.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from handlers.model import (
    Chunk,
    DraftDocument,
    DraftSection,
    Outline,
    PlannedSection,
    Topic,
)
from handlers.ports import PermanentError
from handlers.updates.roles import Turn


class NothingToDraftError(PermanentError):
    """No draft can be made; the message says what to do if documents can be named.

    `why` is the message without that advice, for people who can only name a topic.
    """

    def __init__(self, why: str, remedy: str) -> None:
        super().__init__(f"{why}; {remedy}")
        self.why = why


class Reranker(Protocol):
    """Orders chunks by how well they answer a query (WikiGenBench §5.1)."""

    @property
    def name(self) -> str:
        """The name on the command line: "tfidf", "bm25", "encoder", "merged" …."""
        ...

    async def scores(self, query: str, chunks: Sequence[Chunk]) -> Sequence[float]:
        """Return a score for each chunk, comparable within a call; higher is better."""
        ...


class Planner(Protocol):
    """Makes the outline of a future article."""

    async def plan(
        self,
        topic: Topic,
        documents: Sequence[DraftDocument],
        chunks: Sequence[Chunk],
    ) -> Turn[Outline]:
        """Return headings with what each section should cover, the lead first.

        Args:
            topic: what is drafted.
            documents: all of them, by number.
            chunks: the chunks of the documents, the best for the topic first.
        """
        ...


@dataclass(frozen=True, slots=True)
class Order:
    """What a writer is asked for: one section, or the whole if `section` is `None`.

    `chunks` are ordered, best first. `earlier` is what a lead sums up: the sections
    after it; it is empty for other sections. About `words` words are wanted.
    """

    topic: Topic
    outline: Outline
    section: PlannedSection | None
    chunks: tuple[Chunk, ...]
    documents: tuple[DraftDocument, ...]
    earlier: tuple[DraftSection, ...]
    words: int


class Writer(Protocol):
    """Writes sections from chunks."""

    async def write(self, order: Order) -> Turn[tuple[DraftSection, ...]]:
        """Return the section asked for, or all; each sentence cites some of the chunks."""
        ...


@dataclass(frozen=True, slots=True)
class Rules:
    """How a draft is made: the paper's figures, except for the length.

    At most `chunks` are read for a section (PRR), or for the whole draft (RR).
    """

    chunk_words: int = 256
    chunks: int = 5
    words: int = 1_600
    sections: int = 8
    least_probability: float = 0.5  # that a sentence is supported by what it cites


# No model reads the chunks, so there is no need to limit them to a few.
EMBEDDED_RULES = Rules(chunks=2_000)
