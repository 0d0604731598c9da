"""One example of a draft: the question as RR asks it, and an answer that holds."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from bot.models.language_model.prompt import Message
from bot.research.training.chat import files
from bot.research.training.chat.talking import asked, said
from handlers.drafts.model import ArticleAnswer, article_request
from handlers.drafts.roles import Order
from handlers.model import (
    Chunk,
    DraftDocument,
    Engine,
    Outline,
    PlannedSection,
    Source,
    SourceForm,
    SourceOutcome,
    SourceReading,
    SourceText,
    Span,
    Topic,
)
from handlers.updates.by_model.asking import Sizes

MADE_BY = "sidenote train draft collect"
_LONGEST_TEXT = 20_000
_MOST_CHUNKS = 50
_NOBODY = Engine("none", "1")

Text = Annotated[str, Field(max_length=_LONGEST_TEXT)]


class ChunkRecord(BaseModel):
    """A chunk as it was shown, with what its page says of itself."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    address: Text
    title: Text
    published: Text = ""
    text: Text


class DraftExample(BaseModel):
    """A draft of a stronger model, less what its chunks do not bear out.

    `answer` cites chunks by their places from 1 on. `words` is the length that was
    asked for; `written` and `kept` count sentences. `output_tokens` and `input_bytes`
    bound the question, and are those that it was asked with.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    title: Text
    language: str
    words: int
    input_bytes: int
    output_tokens: int
    chunks: Annotated[tuple[ChunkRecord, ...], Field(max_length=_MOST_CHUNKS)]
    answer: ArticleAnswer
    written: int
    kept: int
    writer: str
    verifier: str

    @property
    def is_for_test(self) -> bool:
        """Whether its topic is among those that no model is trained on."""
        return files.is_held_out(self.title)

    @property
    def sizes(self) -> Sizes:
        """The bounds that the question was asked with."""
        return Sizes(self.input_bytes, self.output_tokens)


def from_lines(path: Path) -> Iterator[DraftExample]:
    """Yield the examples of a file.

    Raises:
        PermanentError: it cannot be read, or a line is no example.
    """
    return files.from_lines(path, DraftExample, MADE_BY)


def chunk_records(
    chunks: Sequence[Chunk], documents: Sequence[DraftDocument]
) -> tuple[ChunkRecord, ...]:
    """Return chunks as they are kept."""
    by_number = {one.number: one.reading for one in documents}
    return tuple(_chunk_record(one, by_number[one.document]) for one in chunks)


def order_of(example: DraftExample) -> Order:
    """Return what the writer of drafts was asked for."""
    lead = PlannedSection("")
    return Order(
        topic=Topic(example.title, example.language),
        outline=Outline((lead,), _NOBODY),
        section=None,
        chunks=tuple(
            Chunk(at, 0, one.text, Span(0, len(one.text)))
            for at, one in enumerate(example.chunks)
        ),
        documents=tuple(
            DraftDocument(at, _reading(one)) for at, one in enumerate(example.chunks)
        ),
        earlier=(),
        words=example.words,
    )


def question(example: DraftExample) -> list[Message]:
    """Return what a model is asked, in the words of RR."""
    return asked(article_request(order_of(example), example.sizes), example.id)


def conversation(example: DraftExample) -> list[Message]:
    """Return question and answer."""
    return [*question(example), said(example.answer.model_dump_json())]


def _chunk_record(chunk: Chunk, reading: SourceReading) -> ChunkRecord:
    """Keep more of a chunk than a model is ever shown, however long its words are."""
    document = reading.document or SourceText("")
    day = document.imprint.published or document.published or ""
    return ChunkRecord(
        address=(reading.url or reading.source.key)[:_LONGEST_TEXT],
        title=(document.title or "")[:_LONGEST_TEXT],
        published=day[:_LONGEST_TEXT],
        text=chunk.text[:_LONGEST_TEXT],
    )


def _reading(one: ChunkRecord) -> SourceReading:
    return SourceReading(
        source=Source(SourceForm.URL, one.address, url=one.address),
        outcome=SourceOutcome.READ,
        detail="an example",
        url=one.address,
        document=SourceText(
            one.text, title=one.title or None, published=one.published or None
        ),
    )
