"""The sparse half of the index: words of passages, ranked by BM25, in tantivy.

A passage is one entry with its document's number and its own in there; the text
itself is kept by the catalogue. Terms are looked up one by one and never parsed, so
nothing in a claim can be taken for the search language.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import tantivy

from bot.search.index.vectors import DamagedError
from handlers.search import Part

if TYPE_CHECKING:
    from types import TracebackType

_TOKENIZER = "english"
_LONGEST_WORD = 40  # bytes; longer ones are addresses and debris
_MOST_TERMS = 200
_HEAP_BYTES = 50_000_000
# What the library raises when its files are not what it wrote.
_TROUBLES = (ValueError, OSError, KeyError, RuntimeError)


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that was found, by its document and its number in there."""

    document: int
    passage: int
    score: float


class Words:
    """One folder of tantivy's; many may read it while one process writes.

    Raises:
        DamagedError: its files cannot be used.
    """

    def __init__(self, folder: Path) -> None:
        try:
            self._index = tantivy.Index(_schema(), path=str(folder))
            self._index.register_tokenizer(_TOKENIZER, _analyzer())
            self._searcher = self._index.searcher()
        except _TROUBLES as error:
            raise DamagedError(f"{folder.name}: {error}") from error

    def search(self, parts: Sequence[Part], limit: int) -> list[Hit]:
        """Return the `limit` best passages that hold a word of `parts`."""
        query = _query(parts)
        if query is None or limit < 1:
            return []
        try:
            found = self._searcher.search(query, limit=limit, count=False).hits
            at = [address for _, address in found]
            documents = self._searcher.fast_field_values("document", at)
            passages = self._searcher.fast_field_values("passage", at)
        except _TROUBLES as error:
            raise DamagedError(f"the words cannot be searched: {error}") from error
        return [
            Hit(int(document or 0), int(passage or 0), float(score))
            for (score, _), document, passage in zip(
                found, documents, passages, strict=True
            )
        ]

    def write(self) -> "Writing":
        """Return a writer; the process must hold the index's lock."""
        try:
            return Writing(self._index.writer(_HEAP_BYTES, num_threads=1))
        except _TROUBLES as error:
            raise DamagedError(f"the words cannot be written: {error}") from error


class Writing:
    """Changes that count from `commit` on, all of them or none; a context manager."""

    def __init__(self, writer: tantivy.IndexWriter) -> None:
        self._writer = writer

    def __enter__(self) -> "Writing":
        return self

    def __exit__(
        self,
        kind: "type[BaseException] | None",
        error: "BaseException | None",
        trace: "TracebackType | None",
    ) -> None:
        self._writer.wait_merging_threads()

    def add(self, document: int, texts: Iterable[str]) -> None:
        """Add the passages of a document, numbered from 0."""
        for number, text in enumerate(texts):
            entry = tantivy.Document()
            entry.add_unsigned("document", document)
            entry.add_unsigned("passage", number)
            entry.add_text("text", text)
            self._writer.add_document(entry)

    def remove(self, documents: Iterable[int]) -> None:
        """Remove all passages of the documents."""
        for document in documents:
            self._writer.delete_documents_by_term("document", document)

    def commit(self) -> None:
        """Make the changes lasting.

        Raises:
            OSError: the disk is full or cannot be written.
        """
        try:
            self._writer.commit()
        except ValueError as error:  # the library's name for every failure
            raise OSError(None, str(error)) from error


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("document", indexed=True, fast=True)
    builder.add_unsigned_field("passage", fast=True)
    builder.add_text_field("text", tokenizer_name=_TOKENIZER, index_option="freq")
    return builder.build()


def _analyzer() -> tantivy.TextAnalyzer:
    return (
        tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
        .filter(tantivy.Filter.remove_long(_LONGEST_WORD))
        .filter(tantivy.Filter.lowercase())
        .filter(tantivy.Filter.ascii_fold())
        .filter(tantivy.Filter.stopword(_TOKENIZER))
        .filter(tantivy.Filter.stemmer(_TOKENIZER))
        .build()
    )


@cache
def _shared_analyzer() -> tantivy.TextAnalyzer:
    return _analyzer()


def terms(parts: Sequence[Part]) -> dict[str, float]:
    """Return the stems of `parts` with their weights, the heaviest first."""
    weights: Counter[str] = Counter()
    for part in parts:
        for word in _shared_analyzer().analyze(part.text):
            weights[word] += part.weight  # type: ignore[assignment] # weights are no counts
    return dict(weights.most_common(_MOST_TERMS))


def _query(parts: Sequence[Part]) -> tantivy.Query | None:
    schema = _schema()
    wanted = [
        (
            tantivy.Occur.Should,
            tantivy.Query.boost_query(
                tantivy.Query.term_query(schema, "text", term, "freq"), weight
            ),
        )
        for term, weight in terms(parts).items()
    ]
    return tantivy.Query.boolean_query(wanted) if wanted else None
