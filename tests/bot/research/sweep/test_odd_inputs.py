"""What a person may name by mistake or in another way, and how a sweep takes it."""

import base64
import bz2
import os
import random
from pathlib import Path

import pytest

from bot.research.sweep.dump_layout import stream_starts
from bot.research.sweep.portions import Input
from bot.research.sweep.run import SweepAsk, run_sweep
from handlers.ports import PermanentError
from tests.benchmarks.sweep_dump import HEAD, Written, write_multistream, write_plain
from tests.bot.research.sweep.rig import SETTINGS, Silent, swept, wiki_of


def test_a_folder_is_free_again_after_an_input_that_is_none(tmp_path: Path) -> None:
    wrong, right, out = tmp_path / "a.csv", tmp_path / "a.xml", tmp_path / "out"
    wrong.write_text("a,b\n")
    write_plain(right, wiki_of(2))
    mistaken = (
        (Input((wrong,)), "neither XML nor"),
        (Input((tmp_path,)), "no wikitext files"),
        (Input((), ("A page",), wiki="no wiki"), "is not a wiki's address"),
    )
    for given, message in mistaken:
        with pytest.raises(PermanentError, match=message):
            run_sweep(SETTINGS, SweepAsk(given, out), Silent())
    # Nor does it matter that its first note could not be written.
    (out / ".manifest.json.77.part").touch()

    assert swept(Input((right,)), out).swept == 2
    assert list(out.glob(".*.part")) == []


def test_a_sweep_continues_only_with_the_index_that_it_began_with(
    tmp_path: Path,
) -> None:
    dump, away = tmp_path / "multistream.xml.bz2", tmp_path / "away"
    index = write_multistream(dump, [])
    index.rename(away)
    ask = SweepAsk(Input((dump,)), tmp_path / "out")

    summary = run_sweep(SETTINGS, ask, Silent())
    away.rename(index)  # its parts would be others

    assert (summary.pages, summary.is_whole) == (0, True)
    with pytest.raises(
        PermanentError, match="was started with indexes = none, and now"
    ):
        run_sweep(SETTINGS, ask, Silent())
    with dump.open("ab") as more:
        more.write(b"\n")
    with pytest.raises(PermanentError, match=r"= multistream.xml.bz2, and that has"):
        run_sweep(SETTINGS, ask, Silent())


def test_names_of_files_that_are_no_text_are_swept_and_reported(tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    for name, content in ((b"\xff.txt", b"\xff"), (b"\xfe.txt", b"A.<ref>b</ref>")):
        (folder / os.fsdecode(name)).write_bytes(content)

    summary = swept(Input((folder,)), tmp_path / "out")

    assert (summary.swept, summary.failed) == (1, {"its XML or file is broken": 1})


@pytest.mark.parametrize("wiki", ["de.wikipedia.org", "https://de.wikipedia.org/wiki/"])
def test_the_wiki_may_be_given_as_an_address(tmp_path: Path, wiki: str) -> None:
    path = tmp_path / "a.xml"
    write_plain(path, wiki_of(1))

    summary = swept(Input((path,), wiki=wiki), tmp_path / "out")

    assert str(summary.at_sight[0].link).startswith("https://de.wikipedia.org/w/")


def test_a_dump_cut_inside_pages_is_known_where_blocks_can_hardly_be_packed(
    tmp_path: Path,
) -> None:
    dice = random.Random(8)
    text = base64.b85encode(dice.randbytes(1_500_000)).decode("ascii")
    page = Written("Noise", 1, text).to_xml().encode()
    parts = (page[at : at + 600_000] for at in range(0, len(page), 600_000))
    path = tmp_path / "parallel.xml.bz2"
    path.write_bytes(b"".join(bz2.compress(part) for part in (HEAD.encode(), *parts)))

    assert stream_starts(path) is None
