"""What the whole program tells of wrong words, files and settings: a line, and a code."""

import pytest

from tests.bot.sources.server import Site
from tests.program import Program, cites, local, program, site

__all__ = ["program", "site"]


async def test_a_wiki_out_of_reach_is_one_line_and_worth_another_try(
    program: Program,
) -> None:
    done = await program("check", "Clock", "--wiki", "http://127.0.0.1:9")

    assert done.code == 4
    assert "127.0.0.1:9" in done.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param((), "TITLE", id="nothing to check"),
        pytest.param(("A", "--file", "b"), "TITLE", id="two things to check"),
        pytest.param(("A", "--revision", "0"), "revision", id="revision 0"),
        pytest.param(
            ("--file", "b", "--revision", "7"), "no revisions", id="of a file"
        ),
        pytest.param(("A", "--format", "pdf"), "pdf", id="unknown format"),
    ],
)
async def test_wrong_usage_is_explained(
    program: Program, arguments: tuple[str, ...], message: str
) -> None:
    done = await program("check", *arguments)

    assert done.code == 2
    assert message in done.err


@pytest.mark.parametrize(
    ("files", "message"),
    [
        pytest.param({}, "P.wikitext", id="no such file"),
        pytest.param({"P.wikitext": "a"}, "no such folder", id="no folder of sources"),
        pytest.param(
            {"P.wikitext": "a", "sources/index.json": "[{]"}, "index.json", id="broken"
        ),
    ],
)
async def test_wrong_files_are_named(
    program: Program, files: dict[str, str], message: str
) -> None:
    if any("/" in name for name in files):
        (program.folder / "sources").mkdir()
    for name, text in files.items():
        program.write(name, text)

    done = await program("check", "--file", "P.wikitext", "--sources", "sources")

    assert done.code == 3
    assert message in done.output


async def test_a_broken_setting_is_named_before_any_work(program: Program) -> None:
    program.settings["SIDENOTE_HOST_DELAY_S"] = "-3"

    done = await program("run")

    assert done.code == 2
    assert "SIDENOTE_HOST_DELAY_S" in done.output
    assert "-3" in done.output
    assert not (program.folder / "data").exists()


async def test_a_report_that_cannot_be_written_is_one_line(program: Program) -> None:
    done = await program("run", "--output", "no/such/folder/report.html")

    assert done.code == 3
    assert "no/such/folder/report.html" in done.output


async def test_a_place_for_the_report_is_looked_for_before_the_work(
    program: Program, site: Site
) -> None:
    page = program.write("P.wikitext", cites("Built in 1874.", local(site, "/clock")))

    done = await program("check", "--file", page, "-o", "no/such/folder/r.html")

    assert done.code == 3
    assert "no/such/folder" in done.output
    assert site.requests == []


async def test_help_teaches_by_example(program: Program) -> None:
    done = await program("--help")

    assert done.code == 0
    assert 'sidenote check "Golden Gate Bridge"' in done.out
    assert "Exit codes:" in done.out


async def test_the_password_of_a_database_is_never_shown(program: Program) -> None:
    program.settings["SIDENOTE_DATABASE"] = "mysql+pymysql://me:hunter2@db.example/side"

    done = await program("settings")

    assert done.code == 0
    assert "hunter2" not in done.out + done.err
    assert "me:***@db.example" in done.out
