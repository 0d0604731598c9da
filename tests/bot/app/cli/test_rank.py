"""`sidenote rank`: many pages, one order, in four forms."""

import csv
import json
from io import StringIO
from pathlib import Path

import jsonschema
import pytest

from bot.app.cli.terminal import Exit
from tests.bot.app.cli.conftest import Sidenote
from tests.schemas import read_schema

CLOCK = "https://museum.example/collections/clock"
FRONT = "https://fish.example/"
CLOCK_TEXT = (
    "The clock on the customs quay was built in 1874 by Ada Penrose. It was stopped by a"
    " storm in 1911 and repaired two years later at the cost of the town. Visitors may"
    " climb the tower on the first Sunday of each month from May until September."
)
FISH_TEXT = (
    "The auction of herring begins at five in the morning and is open to all who hold a"
    " licence. Buyers are asked to bring their own boxes, and dogs are not let in. The"
    " hall was painted last spring and the roof will be mended when there is money."
)
TRUE = "The clock was built in 1874 by Ada Penrose."
FALSE = "The ferry Odin sank near Esbjerg with all hands in March 1921."


def cites(claim: str, url: str) -> str:
    return f"{claim}<ref>{{{{cite web |url={url} |title=A page}}}}</ref>\n\n"


@pytest.fixture(autouse=True)
def pages(tmp_path: Path) -> Path:
    """A folder of two pages, and the sources that they cite."""
    sources, pages = tmp_path / "sources", tmp_path / "pages"
    sources.mkdir()
    pages.mkdir()
    entries = []
    for name, url, text in (("clock", CLOCK, CLOCK_TEXT), ("fish", FRONT, FISH_TEXT)):
        (sources / f"{name}.txt").write_text(text, "utf-8")
        entry = {"url": url, "file": f"{name}.txt", "captured": "2026-10-02"}
        entries.append(entry)
    (sources / "index.json").write_text(json.dumps(entries), "utf-8")
    (pages / "Clock.wikitext").write_text(
        cites(TRUE, CLOCK) + cites("It is green.", "https://gone.example/x"), "utf-8"
    )
    (pages / "Ferry.wikitext").write_text(cites(FALSE, FRONT), "utf-8")
    (pages / "notes.md").write_text("not a page", "utf-8")
    return pages


def ranked(sidenote: Sidenote, *arguments: str) -> dict[str, object]:
    result = sidenote("rank", *arguments, "--sources", "sources", "--format", "json")
    content: dict[str, object] = json.loads(result.out)
    jsonschema.validate(content, read_schema("rankings_schema.json"))
    return content


def test_a_folder_is_ranked_by_how_likely_its_claims_fail(sidenote: Sidenote) -> None:
    result = sidenote("rank", "pages", "--sources", "sources")

    assert result.code == Exit.NEEDS_ATTENTION
    head, _, rest = result.out.partition("\n")
    assert head.startswith(
        "2 claims of 2 pages by how likely they are to fail; 1 of those shown flagged;"
        " engine lexical "
    )
    assert rest.index("ferry Odin") < rest.index("Ada Penrose")
    assert "FLAGGED: not supported" in rest
    assert f"{FRONT}  (URL depth 0)" in rest
    assert "1 claim could not be checked, which says nothing against them:" in rest
    assert "Ferry: 1 flagged, 0 doubtful, 1 checked" in result.err


def test_the_json_form_follows_its_schema(sidenote: Sidenote) -> None:
    content = ranked(sidenote, "pages")

    first, second = content["ranked"]  # type: ignore[misc]  # a list of two
    assert (first["page"], first["rank"], first["url_depth"]) == ("Ferry", 1, 0)
    assert first["flag"]["kind"] == "not supported"
    assert 0 < first["flag"]["expected_precision"]["1 in 10"] < 1
    assert first["flag"]["measured_on"]["rows"] > 0
    assert (second["verdict"], second["flag"]) == ("supported", None)
    assert first["fails"] > second["fails"]
    [apart] = content["could_not_check"]  # type: ignore[misc]
    assert apart["outcome"] == "not read"
    assert content["pages_not_read"] == []


def test_the_csv_form_has_a_line_for_each_claim_and_runs_no_formula(
    sidenote: Sidenote, pages: Path
) -> None:
    (pages / "=1+1.wikitext").write_text(cites(f"=HYPERLINK {FALSE}", FRONT), "utf-8")

    result = sidenote("rank", "pages", "--sources", "sources", "--format", "csv")

    rows = list(csv.DictReader(StringIO(result.out)))
    assert [row["rank"] for row in rows] == ["1", "2", "3", ""]
    assert rows[-1]["standing"] == "could not check"
    assert not [cell for row in rows for cell in row.values() if cell[:1] == "="]
    assert "'=1+1" in {row["page"] for row in rows}


def test_the_html_form_shows_hostile_words_as_words(
    sidenote: Sidenote, pages: Path, tmp_path: Path
) -> None:
    claim = f"&lt;script>alert(1)&lt;/script> {FALSE}"
    (pages / "Ferry.wikitext").write_text(cites(claim, FRONT), "utf-8")
    output = tmp_path / "out.html"

    result = sidenote(
        *("rank", "pages", "--sources", "sources"),
        *("--format", "html", "-o", "out.html"),
    )

    page = output.read_text("utf-8")
    assert result.out == ""
    assert f"Wrote the ranking to {output}" in result.err
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_only_the_top_is_shown_and_the_rest_counted(sidenote: Sidenote) -> None:
    content = ranked(sidenote, "pages", "--top", "1")

    [only] = content["ranked"]  # type: ignore[misc]
    assert only["page"] == "Ferry"
    assert content["left_out"] == 1


def test_pages_come_from_arguments_and_lists_each_once(
    sidenote: Sidenote, tmp_path: Path
) -> None:
    listed = "\ufeff# pages to watch\n\npages/Clock.wikitext\npages/Ferry.wikitext\n"
    (tmp_path / "list.txt").write_text(listed, "utf-8")

    content = ranked(sidenote, "pages/Ferry.wikitext", "--list", "list.txt")

    assert content["pages"] == 2


def test_nothing_flagged_is_fine(sidenote: Sidenote, pages: Path) -> None:
    (pages / "Ferry.wikitext").unlink()

    result = sidenote("rank", "pages", "--sources", "sources")

    assert result.code == Exit.FINE
    assert "0 of those shown flagged" in result.out


def test_a_page_that_cannot_be_read_does_not_stop_the_others(
    sidenote: Sidenote, pages: Path
) -> None:
    (pages / "Broken.wikitext").write_bytes(b"\xff\xfe\xff")
    (pages / "Ferry.wikitext").unlink()

    missing = ("pages/None.wikitext", "pagse/")
    result = sidenote("rank", "pages", *missing, "--sources", "sources")

    assert result.code == Exit.CANNOT
    assert "3 pages could not be read:" in result.out
    assert "there is no file pagse; check its path" in result.out
    assert "there is no file pages/None.wikitext" in result.out
    assert "1 claim of 1 page" in result.out


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ((), Exit.USAGE, "give a page, a file or a folder, or --list FILE"),
        (("pages", "--top", "0"), Exit.USAGE, "--top"),
        (("pages", "--format", "xml"), Exit.USAGE, "--format"),
        (("pages", "-o", "nowhere/out"), Exit.CANNOT, "there is no folder nowhere"),
        (("pages", "--sources", "none"), Exit.CANNOT, "no such folder of sources"),
        (("sources/empty",), Exit.CANNOT, "has no wikitext files"),
        (("--list", "none.txt"), Exit.CANNOT, "none.txt cannot be read"),
        (("--list", "latin.txt"), Exit.CANNOT, "is not in UTF-8"),
    ],
)
def test_bad_input_is_reported_in_one_line(
    sidenote: Sidenote,
    tmp_path: Path,
    arguments: tuple[str, ...],
    code: Exit,
    message: str,
) -> None:
    (tmp_path / "sources" / "empty").mkdir()
    (tmp_path / "latin.txt").write_bytes("Zürich".encode("latin-1"))

    result = sidenote("rank", *arguments)

    assert result.code == code
    assert message in result.err
    assert result.out == ""
