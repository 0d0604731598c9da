"""`sidenote sweep` as it is typed; what it does is shown in tests/bot/research/sweep."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.app.cli.terminal import Exit
from bot.research.sweep.dump_layout import stream_starts
from tests.benchmarks.sweep_dump import write_multistream, write_plain
from tests.bot.app.cli.conftest import Sidenote
from tests.bot.research.sweep.rig import wiki_of, write_sources


def test_a_dump_becomes_tables_and_a_page_with_the_probabilities_of_rank(
    sidenote: Sidenote, tmp_path: Path
) -> None:
    dump = tmp_path / "multistream.xml.bz2"
    write_multistream(dump, wiki_of(4))
    write_sources(tmp_path / "sources")
    (tmp_path / "pages").mkdir()
    for page in wiki_of(4):
        path = tmp_path / "pages" / f"{page.title}.wikitext"
        path.write_text(page.text, "utf-8")

    result = sidenote(
        "sweep", str(dump), "-o", "out", "--workers", "0", "--sources", "sources"
    )
    again = sidenote(
        "sweep", str(dump), "-o", "out", "--workers", "0", "--sources", "sources"
    )

    assert result.code == Exit.NEEDS_ATTENTION
    assert "4 pages: 4 swept, 0 skipped, 0 failed" in result.out
    assert "Continuing: 1 parts were done before" in again.err
    assert again.out == result.out
    summary = json.loads((tmp_path / "out" / "summary.json").read_text("utf-8"))
    pages = [str(path) for path in (tmp_path / "pages").iterdir()]
    ranking = sidenote(
        "rank",
        *pages,
        "--sources",
        "sources",
        "--format",
        "json",
        "--wiki",
        "a.example",
    )
    ranked = json.loads(ranking.out)["ranked"]
    assert [round(line["fails"], 4) for line in summary["worst"]] == [
        round(row["fails"], 4) for row in ranked
    ]
    assert "Likeliest to fail" in (tmp_path / "out" / "summary.html").read_text("utf-8")


def _cut_between_streams(dump: Path) -> None:
    write_multistream(dump, wiki_of(20), per_stream=8)
    dump.write_bytes(dump.read_bytes()[: stream_starts(dump).starts[3]])


def _cut_within_a_stream(dump: Path) -> None:
    write_multistream(dump, wiki_of(20), per_stream=8)
    dump.write_bytes(dump.read_bytes()[: stream_starts(dump).starts[3] + 100])


def _cut_between_pages(dump: Path) -> None:
    write_plain(dump, wiki_of(20))
    whole = dump.read_bytes()
    dump.write_bytes(whole[: whole.index(b"<page>", len(whole) // 2)])


def _cut_within_a_page(dump: Path) -> None:
    write_plain(dump, wiki_of(20))
    whole = dump.read_bytes()
    dump.write_bytes(whole[: whole.index(b"<page>", len(whole) // 2) + 50])


@pytest.mark.parametrize(
    ("name", "cut"),
    [
        ("dump.xml.bz2", _cut_between_streams),
        ("dump.xml.bz2", _cut_within_a_stream),
        ("dump.xml", _cut_between_pages),
        ("dump.xml", _cut_within_a_page),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_dump_that_was_cut_short_is_swept_and_never_taken_for_whole(
    sidenote: Sidenote, tmp_path: Path, name: str, cut: Callable[[Path], None]
) -> None:
    cut(tmp_path / name)

    first = sidenote("sweep", name, "-o", "out", "--workers", "0")
    again = sidenote("sweep", name, "-o", "out", "--workers", "0")

    assert (first.code, again.code) == (Exit.CANNOT, Exit.CANNOT)
    assert again.out == first.out
    assert f"damaged: {name} at byte" in first.out
    summary = json.loads((tmp_path / "out" / "summary.json").read_text("utf-8"))
    assert summary["swept"] >= 8
    assert summary["claims"] == 3 * summary["swept"]
    assert (tmp_path / "out" / "summary.html").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "out"], "give a dump, a folder of wikitext, or --list FILE"),
        ([".", "-o", "out", "--namespaces", "x"], "give numbers separated by commas"),
        ([".", ".", "-o", "out", "--index", "a"], "is for one dump"),
        ([".", "-o", "out", "--index", "a"], "is for one dump"),
        (["-o", "out", "--list", "a"], "names no pages"),
        ([".", "-o", "out", "--workers", "0"], "has no wikitext files"),
        ([".", "-o", "out", "--scheduler", "tcp://127.0.0.1:1"], "has no"),
    ],
)
def test_what_cannot_be_meant_is_reported_with_what_to_do(
    sidenote: Sidenote, tmp_path: Path, arguments: list[str], message: str
) -> None:
    (tmp_path / "a").touch()

    left = sidenote("sweep", *arguments)

    assert left.code in {Exit.USAGE, Exit.CANNOT}
    assert message in left.err
