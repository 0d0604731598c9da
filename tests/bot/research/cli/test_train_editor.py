"""`sidenote train editor`: from a real MediaWiki's history to figures."""

import json
from pathlib import Path

import pytest

from bot.app.cli.terminal import Exit
from tests.bot.app.cli.conftest import Sidenote
from tests.rig.fixtures import changes_port, wiki, wiki_proxy
from tests.rig.wiki.mediawiki import Wiki

__all__ = ["changes_port", "wiki", "wiki_proxy"]

_CLOCK = "Harbour Clock of Eastmere"
_DAYS = ("--since", "2024-05-02", "--until", "2024-06-01")
_GUIDE = """\
<!doctype html><html lang="en"><head><title>A guide to the quay</title></head><body>
<article><h1>The clock</h1><p>The harbour clock was built in 1874 by Ada Penrose, who
had learnt her trade in the north. A storm stopped it in 1911, and it was two years
before it went again.</p><p>I think it is the most amazing clock in the world!</p>
</article></body></html>
"""


@pytest.fixture(autouse=True)
def sources(tmp_path: Path) -> None:
    """A folder with the page that the clock's article cites."""
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "guide.html").write_text(_GUIDE, "utf-8")
    entry = {
        "url": "http://127.0.0.1:1/guide",
        "file": "guide.html",
        "captured": "2024-05-04",
    }
    (tmp_path / "pages" / "index.json").write_text(json.dumps([entry]), "utf-8")


@pytest.mark.mediawiki
def test_a_history_becomes_a_set_whose_edits_are_measured(
    sidenote: Sidenote, wiki: Wiki, tmp_path: Path
) -> None:
    result = sidenote(
        *("train", "editor", "collect", _CLOCK, "--wiki", wiki.host, *_DAYS),
        *("--sources", "pages", "--target", "paragraph", "-o", "set"),
    )

    assert result.code == Exit.FINE, result.err
    counts = json.loads(result.out)
    assert (counts["pages"], counts["examples"]) == (1, 1)
    sets = {one: (tmp_path / "set" / one) for one in ("train.jsonl", "test.jsonl")}
    [name] = [one for one, file in sets.items() if file.read_text("utf-8")]
    chat = sets[name].with_suffix(".chat.jsonl").read_text("utf-8")
    talk = json.loads(chat)["messages"]
    assert "The clock was built in 1847." in talk[1]["content"]
    assert talk[2]["content"] == (
        "The clock was built in 1874 by Ada Penrose. A storm stopped it in 1911."
    )

    result = sidenote("train", "editor", "measure", f"set/{name}", "--json", "out.json")

    assert result.code == Exit.FINE, result.err
    rows = json.loads((tmp_path / "out.json").read_text("utf-8"))["rows"]
    assert [one["editor"] for one in rows] == ["human", "source pasted whole"]
    assert rows[0]["key_facts"]["covered_percent"] == 100.0
    assert rows[1]["key_facts"]["covered_percent"] == 100.0
    assert rows[1]["token_change"] > rows[0]["token_change"]


@pytest.mark.mediawiki
def test_a_page_without_examples_is_reported_with_the_reasons(
    sidenote: Sidenote, wiki: Wiki
) -> None:
    result = sidenote(
        *("train", "editor", "collect", "Penrose Lane", "--wiki", wiki.host, *_DAYS),
        *("--sources", "pages", "-o", "set"),
    )

    assert result.code == Exit.CANNOT
    assert "no edit makes an example" in result.err


def test_a_judge_that_is_not_set_up_is_reported(
    sidenote: Sidenote, tmp_path: Path
) -> None:
    (tmp_path / "test.jsonl").touch()
    result = sidenote("train", "editor", "measure", "test.jsonl", "--judge", "model")

    assert result.code == Exit.CANNOT
    assert "SIDENOTE_LANGUAGE_MODEL_ADDRESS" in result.err
