"""The parts of a draft's making as ports: each has an embedded and a model's implementation.

A model's part that gets no usable answer falls back on the embedded one and says so in
its turn; nothing a model does makes a part raise.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from handlers.drafts.plan import Surveyor
from handlers.model import (
    Chunk,
    DraftDocument,
    DraftMethod,
    DraftSection,
    Engine,
    Outline,
    PlannedSection,
    Topic,
)
from handlers.ports import PermanentError, TextEncoder, Verifier
from handlers.updates.roles import Turn


class NothingToDraftError(PermanentError):
    """No draft can be made; the message says what to do where documents can be named.

    `why` is the same without that, for who can only name a topic.
    """

    def __init__(self, why: str, remedy: str) -> None:
        super().__init__(f"{why}; {remedy}")
        self.why = why


class Reranker(Protocol):
    """Orders chunks by how well they answer a query (WikiGenBench §5.1)."""

    @property
    def name(self) -> str:
        """As the command line has it: "tfidf", "bm25", "encoder", "merged" …."""
        ...

    async def scores(self, query: str, chunks: Sequence[Chunk]) -> Sequence[float]:
        """Return a score for each chunk, higher is better; comparable in one answer."""
        ...


class Planner(Protocol):
    """Makes the outline of an article to be."""

    async def plan(
        self,
        topic: Topic,
        documents: Sequence[DraftDocument],
        chunks: Sequence[Chunk],
    ) -> Turn[Outline]:
        """Return headings with what each section is to tell, the lead first.

        Args:
            topic: what is drafted.
            documents: all of them, by number.
            chunks: of the documents, the best for the topic first.
        """
        ...


@dataclass(frozen=True, slots=True)
class Order:
    """What a writer is asked for: one section, or with `section` `None` all of it.

    `chunks` are the best first. `earlier` is what a lead sums up: the sections behind
    it, empty for any other. About `words` words are wanted.
    """

    topic: Topic
    outline: Outline
    section: PlannedSection | None
    chunks: tuple[Chunk, ...]
    documents: tuple[DraftDocument, ...]
    earlier: tuple[DraftSection, ...]
    words: int


class Writer(Protocol):
    """Writes sections out of chunks."""

    async def write(self, order: Order) -> Turn[tuple[DraftSection, ...]]:
        """Return the section asked for, or all; each sentence cites some of the chunks."""
        ...


@dataclass(frozen=True, slots=True)
class Cast:
    """Who makes a draft; `engine` names the writer, where it is not the planner's."""

    method: DraftMethod
    reranker: Reranker
    planner: Planner
    writer: Writer
    verifier: Verifier
    encoder: TextEncoder
    engine: Engine | None = None
    surveyor: Surveyor | None = None  # that planner and writer share, if they do


@dataclass(frozen=True, slots=True)
class Rules:
    """How a draft is made: the paper's figures, but for the length that is asked for.

    `chunks` are read at most for a section (PRR), or for all of it (RR).
    """

    chunk_words: int = 256
    chunks: int = 5
    words: int = 1_600
    sections: int = 8
    least_probability: float = 0.5  # that what a sentence cites supports it


# No model has to read the chunks, so that there is no need to read but some of them.
EMBEDDED_RULES = Rules(chunks=2_000)
