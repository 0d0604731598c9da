"""Small folders of documents, and what the tests need to index them."""

import asyncio
import hashlib
import resource
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
import numpy.typing as npt

from bot.models.encoder import DIMENSIONS, Encoder
from bot.search.index import (
    FolderCollection,
    IndexSearch,
    SearchMethod,
    Updater,
    update,
)
from bot.sources.extraction import Extractor
from handlers.model import Found, Query
from handlers.ports import PermanentError

CLOCK = "The clock on the customs quay was built in 1874 by Ada Penrose."
FERRY = "The ferry Odin sank in the harbour of Esbjerg during the storm of 1911."
BREAD = "Rye bread is baked with sourdough and kept for two weeks in a dry place."
MAX_BYTES = 1_000_000


class HashEncoder(Encoder):
    """Vectors without meaning, and without the work: the same text, the same one."""

    name = "hash"

    def encode(self, text: str) -> npt.NDArray[np.float32]:
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
        vector = np.random.default_rng(seed).normal(size=DIMENSIONS)
        return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)


class Counting:
    """Progress that remembers."""

    def __init__(self) -> None:
        self.total = self.done = 0
        self.read: list[str] = []

    def started(self, total: int, /) -> None:
        self.total = total

    def reading(self, place: str, /) -> None:
        self.read.append(place)

    def advance(self) -> None:
        self.done += 1


def folder_of(path: Path, **texts: str) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (path / f"{name}.txt").write_text(text, "utf-8")
    return path


def documents(folder: Path, index: Path) -> FolderCollection:
    return FolderCollection(folder, max_bytes=MAX_BYTES, leave_out=index)


@asynccontextmanager
async def updater(
    index: Path, encoder: Encoder | None = None, progress: Counting | None = None
) -> AsyncIterator[Updater]:
    async with Extractor() as extractor:
        yield Updater(index, extractor, encoder, progress or Counting())


async def found(
    index: Path,
    claim: str,
    method: SearchMethod = SearchMethod.SPARSE,
    encoder: Encoder | None = None,
    limit: int = 10,
) -> list[Found]:
    search = IndexSearch(index, encoder or HashEncoder(), method)
    return list(await search.search(Query(claim, ""), limit=limit))


def names(results: list[Found]) -> list[str]:
    return [Path(one.address).name for one in results]


def files(index: Path, pattern: str) -> list[Path]:
    return sorted(index.glob(pattern))


def update_slowly(
    folder: Path, index: Path, pipe: Connection, most_bytes: int | None
) -> None:
    """Update in small batches; say when that begins, and what it fails with.

    No file may grow beyond `most_bytes`.
    """
    update._BATCH_DOCUMENTS = 3
    if most_bytes is not None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))

    async def run() -> None:
        async with updater(index, HashEncoder()) as one:
            pipe.send("begins")
            await one.update(documents(folder, index))

    try:
        asyncio.run(run())
    except PermanentError as error:
        pipe.send(str(error))
