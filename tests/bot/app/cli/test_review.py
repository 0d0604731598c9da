"""`sidenote review`: the writing of one article or draft, from a file."""

import json
from pathlib import Path

import jsonschema
import pytest

from bot.app.cli.terminal import Exit
from tests.bot.app.cli.conftest import Sidenote
from tests.schemas import read_schema

_TAKEN = (
    "the inspectors found deep cracks in two of the main cables and closed every lane"
    " to heavy lorries for eleven months"
)
_ARTICLE = f"""\
'''Harbour Bridge''' is a bridge in Port Example.

== History ==
It is a legendary bridge. In May {_TAKEN}.<ref>{{{{cite web|url=https://news.example/1|title=N}}}}</ref>
"""


@pytest.fixture(autouse=True)
def town(tmp_path: Path) -> None:
    """An article, a draft and a folder with the page that the article cites."""
    (tmp_path / "Harbour Bridge.wikitext").write_text(_ARTICLE, "utf-8")
    (tmp_path / "draft.md").write_text(
        "# Harbour Bridge\n\n**Harbour Bridge** is a bridge of the town.\n", "utf-8"
    )
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "one.txt").write_text(f"On Monday {_TAKEN}, it says.", "utf-8")
    (folder / "index.json").write_text(
        json.dumps(
            [
                {
                    "url": "https://news.example/1",
                    "file": "one.txt",
                    "captured": "2026-10-04",
                }
            ]
        ),
        "utf-8",
    )


def test_findings_come_with_their_place_and_an_exit_code_of_their_own(
    sidenote: Sidenote,
) -> None:
    result = sidenote("review", "--file", "Harbour Bridge.wikitext", "--format", "json")

    assert result.code == Exit.NEEDS_ATTENTION
    document = json.loads(result.out)
    jsonschema.validate(document, read_schema("reviews_schema.json"))
    assert [one["kind"] for one in document["findings"]] == ["puffery"]
    assert document["page"]["title"] == "Harbour Bridge"
    assert "ww_cc_2" in {one["id"] for one in document["not_judged"]}


def test_words_taken_from_a_source_of_a_folder_are_found(sidenote: Sidenote) -> None:
    file = ("--file", "Harbour Bridge.wikitext", "--sources", "pages")
    result = sidenote("review", *file, "-o", "review.html", "--format", "html")

    assert result.code == Exit.NEEDS_ATTENTION
    assert "are the same in the cited source" in Path("review.html").read_text("utf-8")


def test_a_draft_in_markdown_without_faults_ends_well(sidenote: Sidenote) -> None:
    result = sidenote("review", "--file", "draft.md")

    assert result.code == Exit.FINE
    assert result.out.startswith("Harbour Bridge: 0 findings")
    assert "has no footnotes" in result.out


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("A", "--file", "draft.md"),
        ("--file", "draft.md", "--revision", "3"),
        ("A", "--title", "B"),
        ("A", "--web", "--sources", "pages"),
    ],
)
def test_what_makes_no_sense_is_refused(
    sidenote: Sidenote, arguments: tuple[str, ...]
) -> None:
    assert sidenote("review", *arguments).code == Exit.USAGE


def test_a_redirect_cannot_be_reviewed(sidenote: Sidenote, tmp_path: Path) -> None:
    (tmp_path / "r.wikitext").write_text("#REDIRECT [[Bridge]]", "utf-8")
    result = sidenote("review", "--file", "r.wikitext")

    assert result.code == Exit.CANNOT
    assert "review “Bridge” instead" in result.err
