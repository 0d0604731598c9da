"""The folder of an index: its words, who may write to it, whether it is usable."""

import fcntl
import os
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import tantivy

from bot.search.index.catalogue import FILE, Catalogue, DamagedError
from bot.search.index.vectors import open_rows
from handlers.ports import PermanentError, TemporaryError
from handlers.search import Part

if TYPE_CHECKING:
    from types import TracebackType

_TOKENIZER = "english"
_LONGEST_WORD = 40  # bytes; longer ones are addresses and noise
_MOST_TERMS = 200
_HEAP_BYTES = 50_000_000
# What the library raises when its files are damaged.
_TROUBLES = (ValueError, OSError, KeyError, RuntimeError)


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that was found, by its document and its number in it."""

    document: int
    passage: int
    score: float


class Words:
    """One tantivy folder; many may read it while one process writes.

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
    """Changes that take effect with `commit`, all or none; a context manager."""

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
        """Make the changes permanent.

        Raises:
            OSError: the disk is full or cannot be written.
        """
        try:
            self._writer.commit()
        except ValueError as error:  # the library raises it for every failure
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


FORMAT = "1"
NO_VECTORS = "none"  # the encoder of an index of words alone
_WORDS = "words"
_WORDS_META = "meta.json"  # tantivy's own list of its files
_LOCK = "lock"
_FIRST_VECTORS = "vectors-1.f16"
_RETRY_S = 30.0


@dataclass(frozen=True, slots=True)
class Files:
    """The parts of an open index."""

    folder: Path
    catalogue: Catalogue
    words: Words

    @property
    def has_vectors(self) -> bool:
        """Whether passages can be found by what they mean."""
        return self.catalogue.about().get("encoder") != NO_VECTORS

    @property
    def vectors(self) -> Path:
        """Where the vectors are now."""
        return self.folder / self.catalogue.vectors()


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock the folder against other writers; created if missing.

    Raises:
        PermanentError: it cannot be made or written, or holds other things.
        TemporaryError: another process is writing.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _refuse_other_folders(folder)
        handle = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise unwritable(folder, error) from error
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise TemporaryError(
                f"another process is updating the index {folder}; wait until it is done",
                retry_in_s=_RETRY_S,
            ) from error
        except OSError as error:
            raise unwritable(folder, error) from error
        yield
    finally:
        os.close(handle)


def open_to_write(folder: Path, encoder: str) -> tuple[Files, str | None]:
    """Open or create the index; the second value says why it was rebuilt.

    The caller holds the lock.

    An index can always be rebuilt from its documents, so one with another format or a
    damaged file is started again.

    Raises:
        OSError: the place cannot be written.
    """
    why = None
    if (folder / FILE).exists():
        try:
            return _open_sound(folder, encoder), None
        except DamagedError as error:
            why = str(error)
    return rebuild(folder, encoder), why


def rebuild(folder: Path, encoder: str) -> Files:
    """Throw away what the index held, and make an empty one."""
    for file in (*folder.glob(f"{FILE}*"), *folder.glob("vectors-*.f16")):
        file.unlink()
    if (folder / _WORDS).exists():
        shutil.rmtree(folder / _WORDS)
    (folder / _WORDS).mkdir()
    words = Words(folder / _WORDS)
    catalogue = Catalogue.begin(
        folder,
        {
            "format": FORMAT,
            "encoder": encoder,
            "vectors": _FIRST_VECTORS,
            "next_document": "1",
            "next_row": "0",
        },
    )
    return Files(folder, catalogue, words)


def open_to_read(folder: Path) -> Files:
    """Open an existing index.

    Raises:
        PermanentError: there is none, or it cannot be used; the message says what
            to do.
    """
    if not (folder / FILE).is_file():
        raise PermanentError(
            f"there is no index in {folder}; create one with `sidenote index FOLDER`"
        )
    try:
        catalogue = Catalogue(folder, write=False)
        _require_format(catalogue)
        return Files(folder, catalogue, _words(folder))
    except DamagedError as error:
        raise unusable(folder, error) from error
    except OSError as error:
        why = error.strerror or str(error)
        raise PermanentError(
            f"the index {folder} cannot be read ({why}); check its path and rights"
        ) from error


def unusable(folder: Path, error: DamagedError) -> PermanentError:
    """Say that an index must be made again."""
    return PermanentError(
        f"the index {folder} cannot be used ({error}); run `sidenote index` on your"
        " documents again to rebuild it"
    )


def unwritable(folder: Path, error: OSError) -> PermanentError:
    """Say that the index cannot be written there."""
    why = error.strerror or str(error)
    return PermanentError(
        f"the index {folder} cannot be written ({why}); free some space, or use another"
        " folder with --index"
    )


def _open_sound(folder: Path, encoder: str) -> Files:
    catalogue = Catalogue(folder, write=True)
    try:
        catalogue.check()
        about = _require_format(catalogue)
        if about.get("encoder") != encoder:
            raise DamagedError(
                f"it was made with the encoder {about.get('encoder')!r}, not {encoder!r}"
            )
        if encoder != NO_VECTORS:
            open_rows(folder / catalogue.vectors(), catalogue.rows())
        return Files(folder, catalogue, _words(folder))
    except DamagedError:
        catalogue.close()
        raise


def _require_format(catalogue: Catalogue) -> dict[str, str]:
    about = catalogue.about()
    if about.get("format") != FORMAT:
        raise DamagedError(
            f"its format is {about.get('format', 'unknown')}, and this version of"
            f" Sidenote has {FORMAT}"
        )
    return about


def _words(folder: Path) -> Words:
    if not (folder / _WORDS / _WORDS_META).is_file():
        raise DamagedError(f"{_WORDS} is missing")  # and would be made again, empty
    return Words(folder / _WORDS)


def _refuse_other_folders(folder: Path) -> None:
    names = {file.name for file in folder.iterdir()}
    if names and not names & {FILE, _LOCK}:
        raise PermanentError(
            f"{folder} has other files and is not an index; use an empty or new folder"
            " with --index"
        )
