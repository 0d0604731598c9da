"""`sidenote index` and `sidenote search` as a person runs them."""

import json
from pathlib import Path

import pytest

from bot.app.cli.terminal import Exit
from tests.bot.search.index.documents import CLOCK, FERRY, files, folder_of
from tests.program import Program


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path, {})


async def test_a_folder_is_indexed_searched_changed_and_indexed_again(
    program: Program,
) -> None:
    pages = folder_of(program.folder / "pages", clock=CLOCK, ferry=FERRY)
    (pages / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))

    first = await program("index", "pages")
    assert first.code == Exit.FINE
    assert first.out == "2 added, 0 updated, 0 removed, 0 unchanged, 1 unreadable\n"
    assert "picture.png was not indexed: not text" in first.err
    (pages / "ferry.txt").unlink()
    second = await program("index", "pages")
    assert second.out == "0 added, 0 updated, 1 removed, 2 unchanged, 0 unreadable\n"

    result = await program("search", "Who built the clock?", "--title", "Quay")
    assert result.out.startswith("1. ")
    assert CLOCK.split(".")[0] in " ".join(result.out.split())
    as_json = await program("search", "clock", "--format", "json", "--method", "dense")
    content = json.loads(as_json.out)
    assert content["claim"] == "clock"
    [only] = content["results"]
    assert (only["address"], only["search"]) == (
        (pages / "clock.txt").as_uri(),
        "folder",
    )
    assert files(program.folder / "data" / "index", "catalogue*")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("index",), Exit.USAGE, "either a FOLDER or --cache"),
        (("index", "a", "--cache"), Exit.USAGE, "either a FOLDER or --cache"),
        (("index", "none"), Exit.CANNOT, "no such folder"),
        (("index", "--cache"), Exit.CANNOT, "no source has been read"),
        (("index", ".", "--opensearch"), Exit.CANNOT, "SIDENOTE_OPENSEARCH_ADDRESS"),
        (("search", " "), Exit.USAGE, "CLAIM is empty"),
        (("search", "a"), Exit.CANNOT, "sidenote index FOLDER"),
        (("search", "a", "--limit", "0"), Exit.USAGE, "--limit"),
        (("search", "a", "--opensearch"), Exit.CANNOT, "SIDENOTE_OPENSEARCH_ADDRESS"),
        (
            ("train", "encoder", "--weights", "none"),
            Exit.CANNOT,
            "pip install -e .[training]",
        ),
        (("evaluate", "retrieval", "--data", "none"), Exit.CANNOT, "cannot be read"),
    ],
)
async def test_wrong_use_is_reported_in_one_line(
    program: Program, arguments: tuple[str, ...], code: Exit, message: str
) -> None:
    done = await program(*arguments)

    assert done.code == code
    assert message in done.err


async def test_a_hostile_document_cannot_act_on_the_terminal(program: Program) -> None:
    folder_of(
        program.folder / "pages", evil="The clock \x1b[2J\x1b]0;owned\x07 stopped."
    )

    await program("index", "pages", "--words-only")
    done = await program("search", "clock")

    assert "clock" in done.out
    assert "\x1b" not in done.out
    assert "\x07" not in done.out
