"""The whole program as a person runs it: a process, its output, its exit code."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import jsonschema
import pytest

from bot.cli.exits import Exit
from bot.report import load_schema
from tests.bot.sources.server import Site, answer, endless, hang, serving
from tests.rig.fixtures import changes_port, wiki, wiki_proxy
from tests.rig.wiki.mediawiki import Wiki

__all__ = ["changes_port", "wiki", "wiki_proxy"]

ROOT = Path(__file__).parents[1]
PAGE_SAYS = (
    "<html><head><title>The Harbour Clock</title></head><body><article><h1>The"
    " Harbour Clock</h1><p>The clock on the customs quay was built in 1874 by Ada"
    " Penrose, who had learned the trade from her father in the north.</p><p>It was"
    " stopped by a storm in 1911 and repaired two years later at the town's own"
    " cost. Visitors may climb the tower on the first Sunday of each month from May"
    " until September, when the keeper is there to show the works.</p></article>"
    "</body></html>"
)


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str

    @property
    def told(self) -> str:
        """The one line that a failure is allowed."""
        lines = [
            line for line in self.err.splitlines() if line.startswith("sidenote: ")
        ]
        assert len(lines) == 1, self.err
        return lines[0]


@dataclass
class Program:
    """Runs `python -m bot` in a folder of its own, with settings of its own."""

    folder: Path
    settings: dict[str, str]

    async def __call__(self, *arguments: str, then: str = "") -> Done:
        """Run it; `then` is what a shell is to do with it, such as `2>&-`."""
        process = await asyncio.create_subprocess_exec(
            "/bin/bash",
            "-c",
            f'"$@" {then}; exit ${{PIPESTATUS[0]}}',
            "bash",
            sys.executable,
            "-m",
            "bot",
            *arguments,
            cwd=self.folder,
            env=self._environment(),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        out, err = await process.communicate()
        assert process.returncode is not None
        assert b"Traceback" not in err, err.decode()
        assert process.returncode != Exit.FAULT, err.decode()
        return Done(process.returncode, out.decode(), err.decode())

    async def start(self, *arguments: str) -> asyncio.subprocess.Process:
        """Start it, to be spoken to while it runs."""
        return await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "bot",
            *arguments,
            cwd=self.folder,
            env=self._environment(),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )

    def _environment(self) -> dict[str, str]:
        kept = {"PATH", "HOME", "LANG", "PYTHONDONTWRITEBYTECODE"}
        return {
            **{name: value for name, value in os.environ.items() if name in kept},
            "PYTHONPATH": str(ROOT),
            "SIDENOTE_DATA_DIR": str(self.folder / "data"),
            "SIDENOTE_HOST_DELAY_S": "0",
            **self.settings,
        }

    def write(self, name: str, text: str) -> str:
        (self.folder / name).write_text(text, "utf-8")
        return name


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path, {})


@pytest.fixture
async def site(program: Program) -> AsyncIterator[Site]:
    """A site on loopback that the program may read."""
    async with serving(Site({"/clock": html(PAGE_SAYS)})) as served:
        program.settings["SIDENOTE_INTERNAL_ADDRESSES"] = json.dumps(
            [f"127.0.0.1:{served.port}"]
        )
        program.settings["SIDENOTE_ARCHIVE_SERVICE"] = local(served, "/available")
        served.pages["/available"] = answer(
            '{"archived_snapshots": {}}', content_type="application/json"
        )
        yield served


def html(text: str) -> bytes:
    return answer(text, content_type="text/html; charset=utf-8")


def local(site: Site, path: str) -> str:
    return site.url(path, host="127.0.0.1")


def cites(claim: str, url: str) -> str:
    return f"{claim}<ref>{{{{cite web |url={url} |title=A page}}}}</ref>\n\n"


def only_report(done: Done) -> dict[str, object]:
    content = json.loads(done.out)
    jsonschema.validate(content, load_schema())
    [page] = content["reports"]
    assert isinstance(page, dict)
    return page


async def test_a_page_from_disk_is_checked_against_the_live_web(
    program: Program, site: Site
) -> None:
    page = program.write(
        "Clock.wikitext",
        cites("The clock was built in 1874 by Ada Penrose.", local(site, "/clock"))
        + cites("It was painted green in 1950.", local(site, "/nowhere")),
    )

    done = await program("check", "--file", page, "--format", "json")

    [built, painted] = only_report(done)["claims"]  # type: ignore[misc]  # checked by the schema
    assert built["verdict"] == "supported"
    assert "built in 1874 by Ada Penrose" in built["evidence"][0]["quote"]
    assert painted["verdict"] is None
    assert painted["readings"][0]["outcome"] == "gone"
    assert done.code == 0


async def test_a_claim_that_its_source_does_not_make_needs_attention(
    program: Program, site: Site
) -> None:
    page = program.write(
        "Clock.wikitext",
        cites("Parrots of Eastmere migrate to Peru.", local(site, "/clock")),
    )

    done = await program("check", "--file", page)

    assert done.code == 1
    assert "not supported" in done.out.lower()


async def test_the_html_report_goes_where_it_is_wanted(
    program: Program, site: Site
) -> None:
    page = program.write("P.wikitext", cites("Built in 1874.", local(site, "/clock")))

    done = await program("check", "--file", page, "--format", "html", "-o", "r.html")

    assert done.out == ""
    assert (program.folder / "r.html").read_text("utf-8").startswith("<!doctype html>")
    assert str(program.folder / "r.html") in done.err


@pytest.mark.parametrize(
    ("path", "outcome"),
    [
        pytest.param("/hang", "unreachable", id="hangs"),
        pytest.param("/zeros", "too large", id="10 GB of zeros"),
        pytest.param("/picture", "not text", id="a picture"),
        pytest.param("/refused", "refused", id="403"),
        pytest.param("/shell", "empty shell", id="needs scripts"),
    ],
)
async def test_a_hostile_source_is_named_and_the_rest_is_still_checked(
    program: Program, site: Site, path: str, outcome: str
) -> None:
    program.settings["SIDENOTE_SOURCE_TIMEOUT_S"] = "3"
    program.settings["SIDENOTE_SOURCE_MAX_BYTES"] = "2000000"
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 10737418240\r\n\r\n"
    site.pages |= {
        "/hang": hang,
        "/zeros": endless(head, b"\0" * 65536),
        "/picture": answer(b"\x89PNG\r\n\x1a\n" + b"\0" * 99, content_type="image/png"),
        "/refused": answer("no", "403 Forbidden"),
        "/shell": html("<html><body><div id=root></div><script src=a.js></script>"),
    }
    page = program.write(
        "P.wikitext",
        cites("The bell was cast in 1850.", local(site, path))
        + cites("The clock was built in 1874 by Ada Penrose.", local(site, "/clock")),
    )

    done = await program("check", "--file", page, "--format", "json")

    [bell, clock] = only_report(done)["claims"]  # type: ignore[misc]  # checked by the schema
    assert bell["verdict"] is None
    assert bell["readings"][0]["outcome"] == outcome
    assert clock["verdict"] == "supported"


async def test_internal_addresses_are_refused_unless_the_settings_name_them(
    program: Program, site: Site
) -> None:
    program.settings["SIDENOTE_INTERNAL_ADDRESSES"] = "[]"
    page = program.write("P.wikitext", cites("Built in 1874.", local(site, "/clock")))

    done = await program("check", "--file", page, "--format", "json")

    [claim] = only_report(done)["claims"]  # type: ignore[misc]  # checked by the schema
    assert claim["readings"][0]["outcome"] == "forbidden address"
    assert site.requests == []


@pytest.mark.parametrize(
    "unit",
    [
        pytest.param("{{a|" * 10_000, id="templates never closed"),
        pytest.param("{{a|" * 10_000 + "}}" * 10_000, id="templates nested"),
        pytest.param("[[a|" * 10_000 + "]]" * 10_000, id="links nested"),
        pytest.param("<ref>" * 10_000, id="references never closed"),
        pytest.param('<ref name="' * 10_000, id="names never closed"),
        pytest.param("{|\n|\n" * 10_000 + "|}\n" * 10_000, id="tables nested"),
        pytest.param("<div>" * 10_000, id="tags nested"),
        pytest.param("<ref>{{cite web|title=" + "{{b|" * 10_000, id="in a template"),
    ],
)
async def test_a_parser_bomb_on_a_page_leaves_its_other_claims_checked(
    program: Program, site: Site, unit: str
) -> None:
    clock = cites("The clock was built in 1874 by Ada Penrose.", local(site, "/clock"))
    page = program.write("P.wikitext", f"{clock}\n== Bomb ==\n{unit}\n")

    done = await program("check", "--file", page, "--format", "json")

    assert done.code in {0, 1}
    claims = only_report(done)["claims"]
    assert claims[0]["verdict"] == "supported"  # type: ignore[index]  # checked by the schema


@pytest.mark.mediawiki
async def test_a_page_of_a_real_wiki_is_checked(program: Program, wiki: Wiki) -> None:
    done = await program(
        "check", "Harbour Clock of Eastmere", "--wiki", wiki.host, "--format", "json"
    )

    page = only_report(done)
    claims = page["claims"]
    assert [claim["readings"][0]["outcome"] for claim in claims] == [  # type: ignore[attr-defined]  # checked by the schema
        "forbidden address",
        "forbidden address",
        "offline",
    ]
    assert page["page"]["revision_id"] is not None  # type: ignore[index]  # checked by the schema
    assert done.code == 0


@pytest.mark.mediawiki
@pytest.mark.parametrize(
    ("title", "told"),
    [
        pytest.param("Eastmere Clock", "Harbour Clock of Eastmere", id="a redirect"),
        pytest.param("Eastmere", "disambiguation page", id="a disambiguation page"),
        pytest.param("Penrose Lane", "No citation was found", id="no citations"),
    ],
)
async def test_a_page_with_nothing_to_check_says_what_it_is(
    program: Program, wiki: Wiki, title: str, told: str
) -> None:
    done = await program("check", title, "--wiki", wiki.host)

    assert done.code == 0
    assert told in " ".join(done.out.split())


@pytest.mark.mediawiki
async def test_a_title_that_does_not_exist_is_one_line(
    program: Program, wiki: Wiki
) -> None:
    done = await program("check", "Harbour Cloc", "--wiki", wiki.host)

    assert done.code == 3
    assert "Harbour Cloc" in done.told


async def test_a_wiki_out_of_reach_is_one_line_and_worth_another_try(
    program: Program,
) -> None:
    done = await program("check", "Clock", "--wiki", "http://127.0.0.1:9")

    assert done.code == 4
    assert "127.0.0.1:9" in done.told


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        pytest.param((), "TITLE", id="nothing to check"),
        pytest.param(("A", "--file", "b"), "TITLE", id="two things to check"),
        pytest.param(("A", "--revision", "0"), "revision", id="revision 0"),
        pytest.param(("--file", "b", "--revision", "7"), "one text", id="of a file"),
        pytest.param(("A", "--format", "pdf"), "pdf", id="unknown format"),
    ],
)
async def test_wrong_usage_is_explained(
    program: Program, arguments: tuple[str, ...], told: str
) -> None:
    done = await program("check", *arguments)

    assert done.code == 2
    assert told in done.err


@pytest.mark.parametrize(
    ("files", "told"),
    [
        pytest.param({}, "P.wikitext", id="no such file"),
        pytest.param({"P.wikitext": "a"}, "no such folder", id="no folder of sources"),
        pytest.param(
            {"P.wikitext": "a", "sources/index.json": "[{]"}, "index.json", id="broken"
        ),
    ],
)
async def test_wrong_files_are_named(
    program: Program, files: dict[str, str], told: str
) -> None:
    if any("/" in name for name in files):
        (program.folder / "sources").mkdir()
    for name, text in files.items():
        program.write(name, text)

    done = await program("check", "--file", "P.wikitext", "--sources", "sources")

    assert done.code == 3
    assert told in done.told


async def test_a_broken_setting_is_named_before_any_work(program: Program) -> None:
    program.settings["SIDENOTE_HOST_DELAY_S"] = "-3"

    done = await program("run")

    assert done.code == 2
    assert "SIDENOTE_HOST_DELAY_S" in done.told
    assert "-3" in done.told
    assert not (program.folder / "data").exists()


async def test_a_report_that_cannot_be_written_is_one_line(program: Program) -> None:
    done = await program("run", "--output", "no/such/folder/report.html")

    assert done.code == 3
    assert "no/such/folder/report.html" in done.told


async def test_a_place_for_the_report_is_looked_for_before_the_work(
    program: Program, site: Site
) -> None:
    page = program.write("P.wikitext", cites("Built in 1874.", local(site, "/clock")))

    done = await program("check", "--file", page, "-o", "no/such/folder/r.html")

    assert done.code == 3
    assert "no/such/folder" in done.told
    assert site.requests == []


async def test_a_reader_who_has_seen_enough_costs_nothing(program: Program) -> None:
    program.write("P.wikitext", cites("Built in 1874.", "https://a.example/"))

    done = await program(
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
    ("redirected", "told"),
    [
        pytest.param(">/dev/full", "standard output (no space left", id="full disk"),
        pytest.param(">&-", "standard output (it is closed", id="closed"),
    ],
)
async def test_a_report_that_finds_no_place_is_one_line(
    program: Program, redirected: str, told: str
) -> None:
    program.write("P.wikitext", "The quay has no citation.\n")

    done = await program(
        "check", "--file", "P.wikitext", "--sources", ".", "--no-store", then=redirected
    )

    assert done.code == 3
    assert told in done.told


async def test_a_report_does_not_need_the_messages(program: Program) -> None:
    program.write("P.wikitext", cites("Built in 1874.", "https://a.example/"))

    done = await program("check", "--file", "P.wikitext", "--sources", ".", then="2>&-")

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

    done = await program(
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
    assert "/proc/nowhere" in done.told
    assert "No citation was found" in done.out


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


async def test_a_checked_page_is_one_line_of_json_in_the_log(program: Program) -> None:
    program.settings["SIDENOTE_LOG_LEVEL"] = "info"
    page = program.write("Quay.wikitext", "The quay has no citation.\n")

    done = await program("check", "--file", page, "--sources", ".")

    [line] = [json.loads(line) for line in done.err.splitlines() if line[:1] == "{"]
    assert line["event"] == "page checked"
    assert line["title"] == "Quay"
    assert line["level"] == "info"
