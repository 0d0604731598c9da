"""A folder is indexed, changes, and is indexed again."""

import json
import os
from pathlib import Path

import pytest

from bot.models.encoder import Encoder
from bot.search.index import IndexedSources, IndexSearch, SearchMethod
from handlers.model import Origin, Query, Source, SourceForm, SourceOutcome
from handlers.ports import PermanentError
from tests.bot.search.index.documents import (
    BREAD,
    CLOCK,
    FERRY,
    Counting,
    HashEncoder,
    documents,
    files,
    folder_of,
    found,
    names,
    updater,
)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "index"


async def test_a_document_is_found_by_other_forms_of_its_words(
    tmp_path: Path, place: Path
) -> None:
    folder = folder_of(tmp_path / "pages", clock=CLOCK, ferry=FERRY, bread=BREAD)

    async with updater(place) as one:
        done = await one.update(documents(folder, place))

    assert (done.added, done.updated, done.removed, done.unchanged) == (3, 0, 0, 0)
    best = (await found(place, "Storms sinking ferries"))[0]
    assert best.address == (folder / "ferry.txt").as_uri()
    assert best.excerpt == FERRY
    assert best.search == "folder"


async def test_meaning_finds_what_no_word_is_shared_with(
    tmp_path: Path, place: Path
) -> None:
    folder = folder_of(tmp_path / "pages", clock=CLOCK, ferry=FERRY, bread=BREAD)
    encoder = Encoder()
    async with updater(place, encoder) as one:
        await one.update(documents(folder, place))

    claim = "A ship went down in bad weather"
    assert await found(place, claim, SearchMethod.SPARSE, encoder) == []
    by_meaning = await found(place, claim, SearchMethod.DENSE, encoder)
    assert names(by_meaning)[0] == "ferry.txt"
    assert names(await found(place, claim, SearchMethod.MERGED, encoder)) == names(
        by_meaning
    )


async def test_only_what_changed_is_read_again(tmp_path: Path, place: Path) -> None:
    folder = folder_of(tmp_path / "pages", clock=CLOCK, ferry=FERRY, bread=BREAD)
    async with updater(place) as one:
        await one.update(documents(folder, place))
    (folder / "clock.txt").write_text("The tower clock was removed in 1950.", "utf-8")
    (folder / "bread.txt").unlink()
    folder_of(folder, mill="The windmill of Sønderho turns on Sundays.")
    os.utime(folder / "ferry.txt", ns=(1, 1))  # touched, not changed

    progress = Counting()
    async with updater(place, progress=progress) as one:
        done = await one.update(documents(folder, place))

    assert (done.added, done.updated, done.removed, done.unchanged) == (1, 1, 1, 1)
    assert {Path(address).name for address in progress.read} == {
        "clock.txt",
        "ferry.txt",
        "mill.txt",
    }
    assert await found(place, "sourdough rye") == []
    assert await found(place, "Ada Penrose built it") == []
    assert names(await found(place, "clock removed")) == ["clock.txt"]
    assert names(await found(place, "windmill")) == ["mill.txt"]

    progress = Counting()
    async with updater(place, progress=progress) as one:
        again = await one.update(documents(folder, place))
    assert (again.unchanged, progress.read) == (3, [])
    assert progress.done == progress.total == 3


async def test_two_folders_live_in_one_index_and_leave_each_other_alone(
    tmp_path: Path, place: Path
) -> None:
    one_folder = folder_of(tmp_path / "one", clock=CLOCK)
    other = folder_of(tmp_path / "other", ferry=FERRY)
    async with updater(place) as one:
        await one.update(documents(one_folder, place))
        done = await one.update(documents(other, place))
        (one_folder / "clock.txt").unlink()
        after = await one.update(documents(one_folder, place))

    assert (done.added, done.removed, after.removed) == (1, 0, 1)
    assert names(await found(place, "clock ferry")) == ["ferry.txt"]


async def test_an_index_json_gives_addresses_titles_and_dates(
    tmp_path: Path, place: Path
) -> None:
    folder = folder_of(tmp_path / "pages", clock=CLOCK, unlisted=FERRY)
    entry = {
        "url": "https://www.example.org/clock/",
        "file": "clock.txt",
        "captured": "2024-05-31",
        "title": "Clocks of the coast",
    }
    (folder / "index.json").write_text(json.dumps([entry]))
    async with updater(place) as one:
        assert (await one.update(documents(folder, place))).added == 1

    [only] = await found(place, "clock ferry")
    assert (only.address, only.title) == (entry["url"], entry["title"])
    source = Source(SourceForm.URL, "", url="http://example.org/clock")
    fetch = await IndexedSources(place).read(source)
    assert fetch.outcome is SourceOutcome.READ
    assert fetch.origin is Origin.DISK
    assert (fetch.document.text, fetch.document.title) == (CLOCK, entry["title"])
    assert fetch.read_at.date().isoformat() == "2024-05-31"
    assert fetch.url == entry["url"]

    entry["title"] = "Other clocks"
    (folder / "index.json").write_text(json.dumps([entry]))
    async with updater(place) as one:
        assert (await one.update(documents(folder, place))).updated == 1
    assert (await found(place, "clock"))[0].title == "Other clocks"


async def test_what_was_found_can_be_read_from_the_index(
    tmp_path: Path, place: Path
) -> None:
    folder = folder_of(tmp_path / "pages", **{"a b#c%": CLOCK})
    async with updater(place) as one:
        await one.update(documents(folder, place))
    [only] = await found(place, "clock")

    reader = IndexedSources(place)
    fetch = await reader.read(Source(SourceForm.URL, "", url=only.address))
    missing = await reader.read(Source(SourceForm.URL, "", url="https://a.example/"))
    offline = await reader.read(Source(SourceForm.TEXT, "A book"))

    assert fetch.document.text == CLOCK
    assert missing.outcome is SourceOutcome.NOT_IN_FOLDER
    assert offline.outcome is SourceOutcome.OFFLINE


async def test_what_cannot_be_read_is_reported_and_not_tried_again(
    tmp_path: Path, place: Path
) -> None:
    folder = folder_of(tmp_path / "pages", clock=CLOCK)
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(500))
    (folder / "empty.txt").touch()
    (folder / "large.txt").write_bytes(b"word " * 300_000)
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7\n" + b"\0" * 2_000)
    (folder / "way out.txt").symlink_to("/etc/hostname")
    (folder / "circle").symlink_to(folder / "circle")
    (folder / ".hidden.txt").write_text(FERRY)
    os.mkfifo(folder / "pipe")

    async with updater(place) as one:
        done = await one.update(documents(folder, place))
    reasons = {Path(address).name: why for address, why in done.unreadable}
    assert done.added == 1
    assert reasons.keys() == {"picture.png", "empty.txt", "large.txt", "broken.pdf"}
    assert "more than 1,000,000 bytes" in reasons["large.txt"]

    progress = Counting()
    async with updater(place, progress=progress) as one:
        again = await one.update(documents(folder, place))
    assert (again.unchanged, progress.read) == (5, [])


async def test_a_claim_is_never_taken_for_the_search_language(
    tmp_path: Path, place: Path
) -> None:
    folder = folder_of(tmp_path / "pages", clock=CLOCK, ferry=FERRY)
    async with updater(place) as one:
        await one.update(documents(folder, place))

    for claim in (
        'text:* AND (clock"',
        "clock^1000 -ferry",
        "[a TO z] clock",
        "\0clock",
    ):
        assert "clock.txt" in names(await found(place, claim))
    for claim in ("", "   ", "the of and", "?!", "語", "\ud800"):
        assert await found(place, claim) == []
    assert len(await found(place, "clock ferry " * 100_000)) == 2


async def test_no_more_documents_come_than_were_asked_for(
    tmp_path: Path, place: Path
) -> None:
    folder = folder_of(tmp_path / "pages", **{f"p{n}": CLOCK for n in range(30)})
    encoder = HashEncoder()
    async with updater(place, encoder) as one:
        await one.update(documents(folder, place))

    for method in SearchMethod:
        results = await found(place, CLOCK, method, encoder, limit=7)
        assert len(results) == 7
        assert len({one.address for one in results}) == 7
        scores = [one.score for one in results]
        assert scores == sorted(scores, reverse=True)


async def test_a_document_counts_as_much_as_its_best_passage(
    tmp_path: Path, place: Path
) -> None:
    long = " ".join([f"{BREAD} {n}." for n in range(40)] + [FERRY] + [BREAD] * 40)
    folder = folder_of(tmp_path / "pages", long=long, short=f"{CLOCK} A storm.")
    encoder = HashEncoder()
    async with updater(place, encoder) as one:
        await one.update(documents(folder, place))

    best = (await found(place, "ferry Odin sank in a storm"))[0]
    assert Path(best.address).name == "long.txt"
    assert "ferry Odin" in best.excerpt
    assert len(best.excerpt.split()) <= 100


async def test_an_index_of_words_alone_answers_every_method(
    tmp_path: Path, place: Path
) -> None:
    folder = folder_of(tmp_path / "pages", clock=CLOCK)
    async with updater(place, encoder=None) as one:
        await one.update(documents(folder, place))

    for method in SearchMethod:
        assert names(await found(place, "clock", method)) == ["clock.txt"]
    assert not files(place, "vectors*")


async def test_vectors_of_documents_that_left_are_packed_away(
    tmp_path: Path, place: Path
) -> None:
    text = "\n".join(f"Sentence {n} speaks of nothing at all." for n in range(30_000))
    folder = folder_of(tmp_path / "pages", clock=CLOCK, ferry=FERRY)
    (folder / "a.txt").write_text(text[:900_000])
    encoder = HashEncoder()
    async with updater(place, encoder) as one:
        await one.update(documents(folder, place))
        [first] = files(place, "vectors-*")
        (folder / "a.txt").write_text(BREAD)
        await one.update(documents(folder, place))

    [second] = files(place, "vectors-*")
    assert second != first
    assert second.stat().st_size == 3 * 384 * 2
    for claim, name in ((CLOCK, "clock"), (FERRY, "ferry"), (BREAD, "a")):
        best = (await found(place, claim, SearchMethod.DENSE, encoder))[0]
        assert Path(best.address).stem == name
        assert best.score == pytest.approx(1, abs=0.01)


async def test_searching_where_no_index_is_says_how_to_make_one(place: Path) -> None:
    with pytest.raises(PermanentError, match="sidenote index"):
        await IndexSearch(place, HashEncoder()).search(Query("a", ""), limit=1)
    with pytest.raises(PermanentError, match="sidenote index"):
        await IndexedSources(place).read(Source(SourceForm.URL, "", url="http://a.b/"))


async def test_the_search_is_named_after_what_is_in_the_index(
    tmp_path: Path, place: Path
) -> None:
    folder = folder_of(tmp_path / "pages", clock=CLOCK)
    async with updater(place) as one:
        await one.update(documents(folder, place))

    assert IndexSearch(place, HashEncoder()).name == "folder"
