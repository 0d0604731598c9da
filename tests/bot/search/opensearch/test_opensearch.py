"""Documents go into OpenSearch, are found there, and its failures are told apart."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.models.encoder import Encoder
from bot.search.index import SearchMethod
from bot.search.opensearch import Cluster, OpenSearchSearch, OpenSearchUpdater
from bot.sources.extraction import Extractor
from handlers.model import Found, Query
from handlers.ports import PermanentError, TemporaryError
from tests.bot.search.index.documents import (
    BREAD,
    CLOCK,
    FERRY,
    Counting,
    HashEncoder,
    documents,
    folder_of,
    names,
)
from tests.bot.search.opensearch import standin


@pytest.fixture
def there() -> Iterator[standin.Cluster]:
    with standin.running(standin.Cluster()) as cluster:
        yield cluster


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return folder_of(tmp_path / "pages", clock=CLOCK, ferry=FERRY, bread=BREAD)


@asynccontextmanager
async def client(there: standin.Cluster, **settings: str) -> AsyncIterator[Cluster]:
    cluster = Cluster(there.address, index="sidenote", timeout_s=5, **settings)
    try:
        yield cluster
    finally:
        cluster.close()


async def update(
    there: standin.Cluster,
    folder: Path,
    encoder: Encoder | None = None,
    **settings: str,
) -> tuple[int, int, int, int]:
    async with client(there, **settings) as cluster, Extractor() as extractor:
        found = await OpenSearchUpdater(cluster, extractor, encoder, Counting()).update(
            documents(folder, folder / "none")
        )
    return found.added, found.updated, found.removed, found.unchanged


async def search(
    there: standin.Cluster,
    claim: str,
    method: SearchMethod = SearchMethod.SPARSE,
    limit: int = 10,
) -> list[Found]:
    async with client(there) as cluster:
        searching = OpenSearchSearch(cluster, HashEncoder(), method)
        return list(await searching.search(Query(claim, ""), limit=limit))


async def test_documents_are_put_in_and_found(
    there: standin.Cluster, folder: Path
) -> None:
    assert await update(there, folder, HashEncoder()) == (3, 0, 0, 0)

    best, *_ = await search(there, "The ferry Odin sank")
    assert (best.address, best.excerpt) == ((folder / "ferry.txt").as_uri(), FERRY)
    assert best.search == "OpenSearch"
    by_meaning = await search(there, BREAD, SearchMethod.DENSE)
    assert names(by_meaning)[0] == "bread.txt"
    assert by_meaning[0].score == pytest.approx(1, abs=0.01)
    merged = await search(there, CLOCK, SearchMethod.MERGED)
    assert names(merged)[0] == "clock.txt"
    assert merged[0].score == pytest.approx(1, abs=0.01)
    assert len(merged) == 3
    assert len(await search(there, CLOCK, SearchMethod.MERGED, limit=2)) == 2


async def test_only_what_changed_is_sent_again(
    there: standin.Cluster, folder: Path
) -> None:
    (folder / "clock.txt").write_text(f"{CLOCK} It stopped. " * 60)
    await update(there, folder)
    (folder / "clock.txt").write_text("The tower clock was removed.")
    (folder / "bread.txt").unlink()
    there.asked.clear()

    assert await update(there, folder) == (0, 1, 1, 1)

    assert there.paths().count("/sidenote/_bulk") == 1
    assert {one["text"] for one in there.passages.values()} == {
        "The tower clock was removed.",
        FERRY,
    }
    there.asked.clear()
    assert await update(there, folder) == (0, 0, 0, 2)
    assert "/sidenote/_bulk" not in there.paths()


async def test_what_a_person_wrote_of_a_document_counts_as_its_content(
    there: standin.Cluster, folder: Path
) -> None:
    entry = {
        "url": "https://www.example.org/clock/",
        "file": "clock.txt",
        "captured": "2024-05-31",
        "title": "Clocks of the coast",
    }
    (folder / "index.json").write_text(json.dumps([entry]))
    await update(there, folder)
    assert await update(there, folder) == (0, 0, 0, 1)

    (folder / "index.json").write_text(json.dumps([{**entry, "title": "Others"}]))
    assert await update(there, folder) == (0, 1, 0, 0)
    assert [one.title for one in await search(there, CLOCK)] == ["Others"]


async def test_a_document_that_was_cut_short_is_written_again(
    there: standin.Cluster, folder: Path
) -> None:
    (folder / "clock.txt").write_text(f"{CLOCK} It stopped. " * 200)
    there.full_queue_after = 4
    with pytest.raises(TemporaryError, match="queue is full"):
        await update(there, folder)

    there.full_queue_after = None
    added, _, _, unchanged = await update(there, folder)

    assert added + unchanged == 3
    assert names(await search(there, "stopped clock"))[0] == "clock.txt"


async def test_an_index_without_vectors_answers_every_method(
    there: standin.Cluster, folder: Path
) -> None:
    await update(there, folder, encoder=None)

    for method in SearchMethod:
        assert names(await search(there, "the ferry", method))[0] == "ferry.txt"


async def test_many_documents_are_listed_page_by_page(
    there: standin.Cluster, tmp_path: Path
) -> None:
    folder = folder_of(tmp_path / "many", **{f"p{n}": f"Page {n}" for n in range(210)})
    assert await update(there, folder) == (210, 0, 0, 0)

    assert await update(there, folder) == (0, 0, 0, 210)


async def test_the_user_and_password_are_sent(
    there: standin.Cluster, folder: Path
) -> None:
    there.login = ("anna", "secret")

    assert (await update(there, folder, user="anna", password="secret"))[0] == 3  # noqa: S106 - a test's
    with pytest.raises(PermanentError, match="SIDENOTE_OPENSEARCH_PASSWORD"):
        await update(there, folder, user="anna", password="wrong")  # noqa: S106 - a test's


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (429, TemporaryError),
        (502, TemporaryError),
        (503, TemporaryError),
        (504, TemporaryError),
        (400, PermanentError),
        (403, PermanentError),
        (413, PermanentError),
        (500, PermanentError),
    ],
)
async def test_what_passes_by_itself_is_told_from_what_does_not(
    there: standin.Cluster, folder: Path, status: int, error: type[Exception]
) -> None:
    await update(there, folder)
    there.failing["_search"] = (status, "some_exception")

    with pytest.raises(error, match=f"{status}: some_exception"):
        await search(there, "clock")
    assert there.paths().count("/sidenote/_search") == 2  # one of them is the update's


async def test_no_index_says_how_to_make_one(there: standin.Cluster) -> None:
    with pytest.raises(PermanentError, match="sidenote index FOLDER --opensearch"):
        await search(there, "clock")


async def test_an_index_of_another_kind_is_left_alone(
    there: standin.Cluster, folder: Path
) -> None:
    there.indices["sidenote"] = {"mappings": {"properties": {}}}

    with pytest.raises(PermanentError, match="SIDENOTE_OPENSEARCH_INDEX"):
        await update(there, folder)
    assert there.passages == {}


@pytest.mark.parametrize("garbage", [b"<html>", b"", b"[]", b'{"hits": 3}'])
async def test_an_answer_that_is_not_opensearch_is_reported(
    there: standin.Cluster, folder: Path, garbage: bytes
) -> None:
    await update(there, folder)
    there.garbage = garbage

    with pytest.raises(PermanentError, match="does not answer as OpenSearch does"):
        await search(there, "clock")


async def test_a_cluster_that_does_not_answer_may_come_back() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        cluster = Cluster(f"http://127.0.0.1:{port}", index="a", timeout_s=0.3)
        with pytest.raises(TemporaryError, match="does not answer"):
            await asyncio.to_thread(cluster.prepare, None)
        cluster.close()
    cluster = Cluster(f"http://127.0.0.1:{port}", index="a", timeout_s=0.3)
    with pytest.raises(TemporaryError, match="does not answer"):
        await asyncio.to_thread(cluster.prepare, None)
    cluster.close()
