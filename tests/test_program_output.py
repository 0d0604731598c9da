"""Where the output of the whole program goes, and what becomes of it if it cannot go there."""

import json

import pytest

from tests.bot.sources.server import Site
from tests.program import Program, cites, local, program, site

__all__ = ["program", "site"]


async def test_the_html_report_goes_where_it_is_wanted(
    program: Program, site: Site
) -> None:
    page = program.write("P.wikitext", cites("Built in 1874.", local(site, "/clock")))

    done = await program("check", "--file", page, "--format", "html", "-o", "r.html")

    assert done.out == ""
    assert (program.folder / "r.html").read_text("utf-8").startswith("<!doctype html>")
    assert str(program.folder / "r.html") in done.err


async def test_a_reader_who_has_seen_enough_costs_nothing(program: Program) -> None:
    program.write("P.wikitext", cites("Built in 1874.", "https://a.example/"))

    done = await program.in_new_process(
        "check",
        "--file",
        "P.wikitext",
        "--sources",
        ".",
        "--format",
        "html",
        then="| true",
    )

    assert done.code == 0
    assert "Broken" not in done.err
    assert (program.folder / "data" / "sidenote.sqlite").exists()


@pytest.mark.parametrize(
    ("redirected", "message"),
    [
        pytest.param(">/dev/full", "standard output (no space left", id="full disk"),
        pytest.param(">&-", "standard output (it is closed", id="closed"),
    ],
)
async def test_a_report_that_finds_no_place_is_one_line(
    program: Program, redirected: str, message: str
) -> None:
    program.write("P.wikitext", "The quay has no citation.\n")

    done = await program.in_new_process(
        "check", "--file", "P.wikitext", "--sources", ".", "--no-store", then=redirected
    )

    assert done.code == 3
    assert message in done.output


async def test_a_report_does_not_need_the_messages(program: Program) -> None:
    program.write("P.wikitext", cites("Built in 1874.", "https://a.example/"))

    done = await program.in_new_process(
        "check", "--file", "P.wikitext", "--sources", ".", then="2>&-"
    )

    assert done.code == 0
    assert "Built in 1874." in done.out


@pytest.mark.parametrize("form", ["text", "json", "html"])
async def test_a_terminal_without_our_letters_costs_no_report(
    program: Program, form: str
) -> None:
    program.settings["PYTHONIOENCODING"] = "ascii"
    program.write(
        "Café.wikitext", cites("Gebaut „1874“ in 東京.", "https://a.example/")
    )

    done = await program.in_new_process(
        "check", "--file", "Café.wikitext", "--sources", ".", "--format", form
    )

    assert done.code == 0
    assert ("東京" in done.out) == (form != "text")
    assert "1874" in done.out


async def test_trouble_with_the_database_does_not_cost_the_report(
    program: Program,
) -> None:
    program.settings["SIDENOTE_DATABASE"] = "sqlite:////proc/nowhere/db"
    page = program.write("P.wikitext", "The quay has no citation.\n")

    done = await program("check", "--file", page, "--sources", ".")

    assert done.code == 3
    assert "/proc/nowhere" in done.output
    assert "No citation was found" in done.out


async def test_a_checked_page_is_one_line_of_json_in_the_log(program: Program) -> None:
    program.settings["SIDENOTE_LOG_LEVEL"] = "info"
    page = program.write("Quay.wikitext", "The quay has no citation.\n")

    done = await program("check", "--file", page, "--sources", ".")

    [line] = [json.loads(line) for line in done.err.splitlines() if line[:1] == "{"]
    assert line["event"] == "page checked"
    assert line["title"] == "Quay"
    assert line["level"] == "info"
