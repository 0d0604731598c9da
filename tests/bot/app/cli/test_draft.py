"""`sidenote draft`: a dossier out of a folder of documents, in all its forms."""

import json
from pathlib import Path

import jsonschema
import pytest

from bot.app.cli.terminal import Exit
from tests.bot.app.cli.conftest import CommandResult, Sidenote
from tests.bot.report.test_html import Outline
from tests.schemas import read_schema

_TOPIC = "2024 Port Example flood"
_BURST = (
    "The river Example burst its banks in Port Example on 3 May 2024 after two days of"
    " heavy rain."
)
_DEAD = "Twelve people died in the flood in Port Example, the mayor said on Saturday."
_LATE = (
    "The inquiry said that the flood warnings of 2 May 2024 had reached the town hall"
    " of Port Example four hours too late."
)
_MORE_DEAD = (
    "Fourteen people died in the flood in Port Example, a public inquiry has found."
)
_GERMAN = (
    "Das Hochwasser von Port Example begann am 3. Mai 2024 mit starkem Regen. Die"
    " Behörden meldeten, dass zwölf Menschen in der Stadt gestorben sind. Die Schulen"
    " wurden für eine Woche geschlossen."
)


def _page(title: str, *lines: str) -> str:
    rest = ["You can read all of the news of the day in our paper."] * 40
    paragraphs = "".join(f"<p>{one}</p>" for one in (*lines, *rest))
    return (
        f'<!doctype html><html lang="en"><head><title>{title}</title></head>'
        f"<body><article><h1>{title}</h1>{paragraphs}</article></body></html>"
    )


@pytest.fixture(autouse=True)
def press(tmp_path: Path) -> None:
    """Two reports of one flood, and one in another language."""
    folder = tmp_path / "press"
    folder.mkdir()
    pages = {
        "https://news.example/flood?utm_source=x": ("news.html", _BURST, _DEAD),
        "https://watch.example/inquiry": ("inquiry.html", _LATE, _MORE_DEAD),
    }
    listed = []
    for url, (file, *paragraphs) in pages.items():
        (folder / file).write_text(_page("Flood in Port Example", *paragraphs), "utf-8")
        listed.append({"url": url, "file": file, "captured": "2024-06-01"})
    rest = (
        "\nDie Zeitung bringt jeden Tag die Nachrichten, die für die Leser wichtig sind."
        * 40
    )
    (folder / "de.txt").write_text(_GERMAN + rest, "utf-8")
    german = {"url": "https://zeitung.example/", "file": "de.txt"}
    listed.append(german | {"captured": "2024-06-01"})
    (folder / "index.json").write_text(json.dumps(listed), "utf-8")
    (tmp_path / "empty").mkdir()


def _drafted(sidenote: Sidenote, *arguments: str) -> CommandResult:
    return sidenote("draft", _TOPIC, "--documents", "press", *arguments)


def test_each_sentence_is_quoted_with_its_source_and_the_rest_is_reported(
    sidenote: Sidenote,
) -> None:
    result = _drafted(sidenote, "--format", "json")

    assert result.code == Exit.FINE
    document = json.loads(result.out)
    jsonschema.validate(document, read_schema("drafts_schema.json"))
    sentences = [
        one
        for section in document["sections"]
        for paragraph in section["paragraphs"]
        for one in paragraph
    ]
    addresses = {one["number"]: one["address"] for one in document["sources"]}
    quoted_from = {
        one["text"]: addresses[one["cites"][0]["source"]] for one in sentences
    }
    news, inquiry = "https://news.example/flood", "https://watch.example/inquiry"
    bearing_out = {_BURST: news, _DEAD: news, _LATE: inquiry, _MORE_DEAD: inquiry}
    assert quoted_from.items() <= bearing_out.items()
    assert set(quoted_from.values()) == {news, inquiry}
    assert all(one["quote"] and one["cites"][0]["href"] for one in sentences)
    [german] = document["left_out"]
    assert german["what"] == "https://zeitung.example/"
    assert german["why"] == "other_language"


def test_a_folder_is_searched_and_its_files_are_known_by_their_names(
    sidenote: Sidenote, tmp_path: Path
) -> None:
    (tmp_path / "press" / "index.json").unlink()

    result = sidenote("draft", _TOPIC, "--search", "press", "--policy", "wording")

    assert result.code == Exit.FINE
    assert "“Fourteen people died in the flood in Port Example" in result.out
    assert "    de.txt: it is in another language" in result.out


@pytest.mark.parametrize("form", ["html", "wikitext"])
def test_a_dossier_goes_into_a_file(
    sidenote: Sidenote, tmp_path: Path, form: str
) -> None:
    result = _drafted(sidenote, "--format", form, "-o", f"dossier.{form}")

    assert result.out == ""
    assert "Wrote the dossier to" in result.err
    written = (tmp_path / f"dossier.{form}").read_text("utf-8")
    if form == "html":
        assert f"“{_MORE_DEAD}”" in Outline(written).text
    else:
        assert f'* “{_MORE_DEAD}”<ref name="watch-example-' in written
        assert "__NOINDEX__" in written


def test_a_draft_in_another_language_takes_the_other_documents(
    sidenote: Sidenote,
) -> None:
    result = _drafted(sidenote, "--language", "de")

    assert result.code == Exit.FINE
    assert "“Das Hochwasser von Port Example begann am 3. Mai 2024" in result.out
    assert "https://news.example/flood: it is in another language" in result.out


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        (("--documents", "empty"), "put texts, HTML pages or PDFs into it"),
        (("--documents", "none"), "there is no such folder of documents"),
        (("--search", "empty"), "were found by index; use the name that sources use"),
        (("--search", "brave"), "brave cannot be searched yet; set SIDENOTE_BRAVE_KEY"),
        (("--search", f"brave, {'x' * 300}"), "there is no search"),
        (("--documents", "press", "--method", "tuned"), "SIDENOTE_DRAFT_MODEL"),
    ],
)
def test_what_cannot_be_drafted_ends_in_a_clear_answer(
    sidenote: Sidenote, arguments: tuple[str, ...], remedy: str
) -> None:
    result = sidenote("draft", _TOPIC, *arguments)

    assert result.code == Exit.CANNOT
    assert remedy in result.err
    assert result.out == ""


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        ((" ",), "TOPIC is empty"),
        (("x" * 300,), "move the rest to --hint"),
        (("Flood \udcff", "--documents", "press"), "TOPIC and --hint must be UTF-8"),
        ((_TOPIC, "--documents", "press", "--search", "gdelt"), "not both"),
        ((_TOPIC, "--words", "5"), "50<=x<=20000"),
        ((_TOPIC, "--reranker", "best"), "'best' is not one of"),
    ],
)
def test_what_makes_no_sense_is_refused_with_the_remedy(
    sidenote: Sidenote, arguments: tuple[str, ...], remedy: str
) -> None:
    result = sidenote("draft", *arguments)

    assert result.code == Exit.USAGE
    assert remedy in result.err
