"""Dumps, whole and damaged: what is read of them, and what is reported of the rest."""

import bz2
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.research.sweep.dump_layout import (
    DumpForm,
    RawPages,
    Streams,
    default_index,
    form_of_dump,
    read_index,
    stream_starts,
)
from bot.research.sweep.dump_pages import (
    MAX_PAGE_BYTES,
    BrokenPage,
    Damage,
    DumpPage,
    Expanding,
    cut,
    pages_of_streams,
    read,
)
from handlers.ports import PermanentError
from tests.benchmarks.sweep_dump import (
    HEAD,
    TAIL,
    Written,
    write_multistream,
)

HARBOUR = Written("Harbour & Clock", 7, "Tall <ref>{{cite web|url=http://a}}</ref> ü…")


def written(count: int, start: int = 1) -> list[Written]:
    return [
        Written(f"Page {n}", n, f"Words <b>of</b> page {n}. & ]]> {'x' * (n % 7) * 30}")
        for n in range(start, start + count)
    ]


def texts(pages: Iterator[DumpPage | BrokenPage | Damage]) -> list[str | None]:
    found = []
    for page in pages:
        assert isinstance(page, DumpPage), page
        found.append(page.text)
    return found


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    path = tmp_path / "enwiki-20260101-pages-articles-multistream.xml.bz2"
    write_multistream(path, written(25), per_stream=10)
    return path


@pytest.fixture
def index(dump: Path) -> Path:
    found = default_index(dump)
    assert found is not None
    return found


@pytest.fixture
def streams(dump: Path) -> Streams:
    found = stream_starts(dump)
    assert found is not None
    return found


def test_a_page_comes_out_as_it_was_saved() -> None:
    page = read(HARBOUR.to_xml().encode())

    assert isinstance(page, DumpPage)
    assert (page.title, page.text) == (HARBOUR.title, HARBOUR.text)
    assert (page.page_id, page.revision_id, page.namespace) == (7, 1_000_007, 0)
    assert page.revised_at is not None
    assert page.revised_at.isoformat() == "2026-01-02T03:04:05+00:00"


def test_the_last_revision_counts_a_hidden_text_is_none_and_a_redirect_says_so() -> (
    None
):
    old = "<revision><id>1</id><text deleted='deleted'/></revision><revision>"
    page = read(HARBOUR.to_xml().replace("<revision>", old, 1).encode())
    hidden = read(
        b"<page><title>A</title><revision><text deleted='d'/></revision></page>"
    )
    moved = Written("A", 1, "#REDIRECT [[B]]", redirect_to="B")
    redirect = read(moved.to_xml().encode())

    assert isinstance(page, DumpPage)
    assert (page.revision_id, page.text) == (1_000_007, HARBOUR.text)
    assert isinstance(hidden, DumpPage)
    assert hidden.text is None
    assert isinstance(redirect, DumpPage)
    assert redirect.is_redirect


@pytest.mark.parametrize(
    ("xml", "reason"),
    [
        ("<page><title>A &lol9;</title></page>", "undefined entity"),
        ("<page><!DOCTYPE a [<!ENTITY b 'c'>]></page>", "not well-formed"),
        ("<page><title>A</title><text>\x0b</text></page>", "not well-formed"),
        ("<page><title>A</title><id>9" + "9" * 4000 + "</id></page>", "number"),
        ("<page><title>A</title>" + "<i>" * 40 + "</page>", "nested too deeply"),
        ("<page><id>1</id></page>", "no title"),
        ("<page><title>A</title><revision><timestamp>x</timestamp></revision></page>", "Invalid isoformat"),
    ],
)  # fmt: skip
def test_broken_xml_breaks_its_page_alone(xml: str, reason: str) -> None:
    whole = HARBOUR.to_xml()
    raws = list(cut([f"{whole}{xml}{whole}".encode()]))

    first, broken, last = [read(raw) for raw in raws if isinstance(raw, bytes)]
    assert isinstance(first, DumpPage)
    assert first == last
    assert isinstance(broken, BrokenPage)
    assert reason in broken.reason


def test_a_page_without_its_end_is_named_and_the_next_one_read() -> None:
    whole = HARBOUR.to_xml().encode()
    lost, found, cut_off = cut([b"<page><title>Lost</title> " + whole + whole[:200]])

    assert lost == BrokenPage("Lost", "its end is missing")
    assert isinstance(found, bytes)
    assert found.startswith(b"<page>")
    assert cut_off == BrokenPage("Harbour &amp; Clock", "it is cut off")


def test_a_page_without_end_does_not_fill_the_memory() -> None:
    piece = b"x" * (4 * 1024**2)
    pieces = (piece for _ in range(2 * MAX_PAGE_BYTES // len(piece)))

    def chunks() -> Iterator[bytes]:
        yield b"<page><title>Endless</title>"
        yield from pieces
        yield b"</page>" + HARBOUR.to_xml().encode()

    too_large, found = cut(chunks())
    assert isinstance(too_large, BrokenPage)
    assert too_large.title == "Endless"
    assert isinstance(found, bytes)


@given(st.integers(1, 3000), st.integers(0, 6))
@settings(max_examples=40, deadline=None)
def test_pages_are_the_same_however_the_bytes_come(size: int, count: int) -> None:
    pages = [page.to_xml().encode().strip() for page in written(count)]
    xml = HEAD.encode() + b"\n".join(pages) + TAIL.encode()

    assert list(cut(xml[at : at + size] for at in range(0, len(xml), size))) == pages


def test_streams_are_read_by_their_offsets_with_and_without_an_index(
    dump: Path, index: Path, streams: Streams
) -> None:
    by_index = read_index(index, dump)

    shape = form_of_dump(dump)
    assert (shape.form, shape.wiki) == (DumpForm.BZIP2, "en.wikipedia.org")
    assert by_index.pages == (10, 10, 5)
    assert streams.starts[1:-1] == by_index.starts
    expected = [page.text for page in written(25)]
    for one in (by_index, streams):
        assert texts(pages_of_streams(dump, one.starts, one.end)) == expected
    # One of them, as another worker would read it.
    start, end = by_index.starts[1:3]
    assert texts(pages_of_streams(dump, [start], end)) == expected[10:20]


def test_a_damaged_stream_is_reported_with_its_place_and_the_rest_is_read(
    dump: Path, index: Path, streams: Streams
) -> None:
    content = bytearray(dump.read_bytes())
    at = streams.starts[2]
    content[at + 40 : at + 60] = b"\0" * 20
    dump.write_bytes(content)
    named = read_index(index, dump)

    found = list(pages_of_streams(dump, named.starts, named.end, named.pages))

    [damage] = [one for one in found if isinstance(one, Damage)]
    assert (damage.offset, damage.pages_lost) == (at, 10)
    assert [one.page_id for one in found if isinstance(one, DumpPage)] == [
        *range(1, 11),
        *range(21, 26),
    ]


def test_a_dump_that_was_cut_short_is_reported(dump: Path, streams: Streams) -> None:
    end = streams.starts[3] + 50
    dump.write_bytes(dump.read_bytes()[:end])

    found = list(pages_of_streams(dump, streams.starts[2:4], end, (10, 5)))

    assert found[-1] == Damage(
        streams.starts[3], "the compressed data ends early", pages_lost=5
    )
    assert len(found) == 11


def test_a_dump_that_was_cut_short_between_pages_is_reported(
    dump: Path, streams: Streams, tmp_path: Path
) -> None:
    end = streams.starts[-1]  # only the stream that ends the document is missing
    dump.write_bytes(dump.read_bytes()[:end])
    xml = (HEAD + "".join(page.to_xml() for page in written(25))).encode()
    plain, single = tmp_path / "a.xml", tmp_path / "b.xml.bz2"
    plain.write_bytes(xml)
    single.write_bytes(bz2.compress(xml))

    of_streams = list(pages_of_streams(dump, streams.starts[:-1], end))
    *pages, damage = of_streams
    assert isinstance(damage, Damage)
    assert "cut short" in damage.reason
    assert all(isinstance(page, DumpPage) for page in pages)
    assert len(pages) == 25
    for in_order in (RawPages(plain, DumpForm.XML), RawPages(single, DumpForm.BZIP2)):
        assert len(list(in_order)) == 25
        assert "cut short" in str(in_order.reason)


def test_an_index_that_was_cut_short_is_refused(
    dump: Path, index: Path, tmp_path: Path
) -> None:
    lines = bz2.decompress(index.read_bytes()).splitlines(keepends=True)
    short = tmp_path / "short.txt"

    short.write_bytes(b"".join(lines[:10]))
    with pytest.raises(PermanentError, match=r"was cut short: .* download it again"):
        read_index(short, dump)
    short.write_bytes(b"".join(lines[:21]))
    assert len(read_index(short, dump).starts) == 3


def test_what_expands_to_too_much_is_stopped() -> None:
    bomb = bz2.compress(b"\0" * 20_000_000)  # some hundred bytes
    expanding = Expanding([bomb], most=5_000_000)

    assert max(len(piece) for piece in expanding) <= 1024**2
    assert expanding.reason == "it expands to more than 5,000,000 bytes"


def test_streams_that_are_cut_inside_pages_are_not_taken_apart(tmp_path: Path) -> None:
    xml = (HEAD + "".join(p.to_xml() for p in written(40)) + TAIL).encode()
    path = tmp_path / "parallel.xml.bz2"
    path.write_bytes(
        b"".join(bz2.compress(xml[at : at + 3001]) for at in range(0, len(xml), 3001))
    )

    assert stream_starts(path) is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"7z\xbc\xaf\x27\x1c...", "7-Zip"),
        (b"\x28\xb5\x2f\xfd....", "Zstandard"),
        (b"hello, world", "neither XML nor"),
        (b"", "is empty"),
        (b"<html><page></page></html>", "begins with <html>"),
        (b"<!DOCTYPE a [<!ENTITY b 'c'>]><mediawiki><page>", "declares a document"),
        (b"BZh9 but not really", "no readable beginning"),
    ],
)
def test_what_is_no_dump_is_refused_with_a_reason(
    tmp_path: Path, content: bytes, message: str
) -> None:
    path = tmp_path / "dump.xml"
    path.write_bytes(content)

    with pytest.raises(PermanentError, match=message):
        form_of_dump(path)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("600:1:A\n500:2:B\n", "goes back"),
        ("600:1:A\nnonsense\n", "line 2"),
        ("999999999:1:A\n", "beyond its end"),
        ("", "beyond its end"),
        ("0:1:A\n70:2:B\n99:3:C\n", "streams do not begin where it says"),
    ],
)
def test_an_index_of_something_else_is_refused(
    dump: Path, tmp_path: Path, lines: str, message: str
) -> None:
    index = tmp_path / "index.txt"
    index.write_text(lines, "utf-8")

    with pytest.raises(PermanentError, match=message):
        read_index(index, dump)
