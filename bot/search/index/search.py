"""Finds documents of a local index: by words, by meaning, or by both.

A document ranks by its best passage (SIDE: the highest ranked passage of a document
determines its rank).
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from threading import Lock

import numpy as np
import numpy.typing as npt

from bot.models.encoder import Encoder
from bot.search.index.catalogue import Catalogue, DamagedError, Entry
from bot.search.index.storage import Files, open_to_read, unusable
from bot.search.index.vectors import likeness, open_rows, unpacked
from handlers.model import Found, Origin, Query, Source, SourceFetch, SourceOutcome
from handlers.ports import PermanentError
from handlers.search import Key, merge, parts, wording
from handlers.sources.addresses import address_of, keys_of

_FEWEST_HITS = 1_000  # passages to rank, at least
_HITS_A_DOCUMENT = 20
_MOST_HITS = 100_000
_NEAREST = 500  # documents that the vectors propose, at least


class SearchMethod(Enum):
    """How documents are ranked."""

    SPARSE = "sparse"  # by words, BM25
    DENSE = "dense"  # by meaning, cosine of vectors
    MERGED = "merged"

    def scores(
        self, words: dict[Key, float], meaning: dict[Key, float]
    ) -> dict[Key, float]:
        """Return the scores by which documents are ranked."""
        if self is SearchMethod.SPARSE:
            return words
        return meaning if self is SearchMethod.DENSE else merge(words, meaning)


@dataclass(frozen=True, slots=True)
class _Best:
    """The best passage of a document: its score and its number in the document."""

    score: float
    passage: int


@dataclass(frozen=True, slots=True)
class _Open:
    """What is held in memory: where each row of the vectors belongs."""

    files: Files
    documents: npt.NDArray[np.int64]  # of each row that counts
    passages: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int64]
    vectors: npt.NDArray[np.float16] | npt.NDArray[np.float32]


class IndexSearch:
    """Fulfils `handlers.ports.Search` over one index, as it is at the first search.

    Args:
        folder: of the index.
        encoder: needed for all but `SPARSE`.
        method: how documents are ranked. An index without vectors is searched by words,
            whatever the method.
    """

    def __init__(
        self,
        folder: Path,
        encoder: Encoder,
        method: SearchMethod = SearchMethod.MERGED,
    ) -> None:
        self._folder = folder
        self._encoder = encoder
        self._method = method
        self._opened: _Open | None = None
        self._turn = Lock()

    @property
    def name(self) -> str:
        """What the index covers: "folder", "cache", or both."""
        with self._turn, _explained(self._folder):
            return " and ".join(sorted(self._open().files.catalogue.kinds())) or "index"

    async def search(self, query: Query, *, limit: int) -> Sequence[Found]:
        """Return at most `limit` documents, each once, best first.

        Raises:
            PermanentError: there is no index, or it cannot be used.
        """
        return await asyncio.to_thread(self._search, query, limit)

    def _search(self, query: Query, limit: int) -> list[Found]:
        with self._turn, _explained(self._folder):
            opened = self._open()
            method = self._method if len(opened.vectors) else SearchMethod.SPARSE
            words, meaning = dict[int, _Best](), dict[int, _Best]()
            if method is not SearchMethod.DENSE:
                words = self._by_words(opened, query, limit)
            if method is not SearchMethod.SPARSE:
                meaning = self._by_meaning(opened, query, limit)
            scores = method.scores(
                {document: best.score for document, best in words.items()},
                {document: best.score for document, best in meaning.items()},
            )
            return self._found(opened, scores, {**meaning, **words}, limit)

    def _by_words(self, opened: _Open, query: Query, limit: int) -> dict[int, _Best]:
        best: dict[int, _Best] = {}
        wanted = max(_FEWEST_HITS, limit * _HITS_A_DOCUMENT)
        while True:
            hits = opened.files.words.search(parts(query), wanted)
            for hit in hits:
                best.setdefault(hit.document, _Best(hit.score, hit.passage))
            if len(best) >= limit or len(hits) < wanted or wanted > _MOST_HITS:
                return best
            wanted *= 4  # long documents took all the places

    def _by_meaning(self, opened: _Open, query: Query, limit: int) -> dict[int, _Best]:
        text = wording(query)
        if not text:
            return {}
        likely = likeness(opened.vectors, self._encoder.encode(text))[opened.rows]
        order = np.argsort(-likely, kind="stable")
        documents, first = np.unique(opened.documents[order], return_index=True)
        nearest = np.argsort(first, kind="stable")[: max(_NEAREST, limit)]
        if self._method is SearchMethod.MERGED:
            nearest = np.arange(len(documents))  # hits by words need it, too
        return {
            int(documents[at]): _Best(
                float(likely[order[first[at]]]), int(opened.passages[order[first[at]]])
            )
            for at in nearest
        }

    def _found(
        self,
        opened: _Open,
        scores: Mapping[int, float],
        best: Mapping[int, _Best],
        limit: int,
    ) -> list[Found]:
        found: dict[str, Found] = {}
        for document in sorted(scores, key=lambda one: (-scores[one], one)):
            if len(found) >= limit:
                break
            entry = opened.files.catalogue.entry(document)
            if entry is not None:  # otherwise a killed update left it
                one = _as_found(entry, best[document].passage, scores[document])
                found.setdefault(one.address, one)
        return list(found.values())

    def _open(self) -> _Open:
        if self._opened is None:
            files = open_to_read(self._folder)
            rows = files.catalogue.passages()
            has_rows = files.has_vectors and len(rows) > 0
            count = files.catalogue.rows() if has_rows else 0
            vectors = open_rows(files.vectors, count)
            self._opened = _Open(
                files, rows[:, 1], rows[:, 2], rows[:, 0], unpacked(vectors)
            )
        return self._opened


def _as_found(entry: Entry, passage: int, score: float) -> Found:
    document = entry.extraction.document
    place = entry.passages[passage : passage + 1]
    return Found(
        address=entry.address,
        title=document.title if document else None,
        excerpt=place[0].of(document.text) if document and place else "",
        score=score,
        search=entry.kind,
    )


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    """Turn damage and unreadable places into errors with messages for people."""
    try:
        yield
    except DamagedError as error:
        raise unusable(folder, error) from error
    except OSError as error:
        raise PermanentError(
            f"the index {folder} cannot be read ({error.strerror or error}); check its"
            " rights, and that no update is running on it"
        ) from error


# Reads sources from an index, for what a search there found.


class IndexedSources:
    """A `SourceReader` over the documents of one index, as they were when indexed.

    Raises:
        PermanentError: there is no index, or it cannot be used.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._catalogue: Catalogue | None = None
        self._turn = Lock()

    async def read(self, source: Source) -> SourceFetch:
        """Return the text of `source`, or the outcome that the index has none."""
        keys = keys_of(source)
        if not keys:
            return SourceFetch(
                source, SourceOutcome.OFFLINE, "the citation gives no address"
            )
        entry = await asyncio.to_thread(self._entry, keys)
        if entry is None:
            return SourceFetch(
                source,
                SourceOutcome.NOT_IN_FOLDER,
                f"the index {self._folder.name} has no copy of {address_of(source)}",
            )
        return SourceFetch(
            source,
            entry.extraction.outcome,
            entry.extraction.detail,
            origin=Origin.DISK,
            url=entry.address,
            read_at=entry.captured,
            content_sha256=entry.sha256,
            document=entry.extraction.document,
        )

    def _entry(self, keys: tuple[str, ...]) -> Entry | None:
        with self._turn:
            self._catalogue = self._catalogue or open_to_read(self._folder).catalogue
            try:
                found = (self._catalogue.entry_of(key) for key in keys)
                return next((entry for entry in found if entry), None)
            except DamagedError as error:
                raise unusable(self._folder, error) from error
