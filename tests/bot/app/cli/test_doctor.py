"""`sidenote doctor` as a person and as a script call it."""

import json
from pathlib import Path

import pytest

from bot.app.cli.terminal import Exit
from bot.app.wiring.serving import gadget_pages
from tests.bot.app.cli.conftest import Sidenote

_HERE = ("--only", "data", "--only", "settings", "--only", "program", "--offline")


def test_it_tells_what_is_wrong_and_ends_with_one(
    sidenote: Sidenote, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")

    text = sidenote("doctor", *_HERE)
    result = json.loads(sidenote("doctor", *_HERE, "--format", "json").out)

    assert text.code == Exit.NEEDS_ATTENTION
    assert "  WRONG contact: not set\n        -> Set SIDENOTE_CONTACT" in text.out
    assert max(map(len, text.out.splitlines())) <= 100
    assert result["standing"] == "broken"
    assert {one["group"] for one in result["examinations"]} == {
        "data",
        "settings",
        "program",
    }


def test_it_ends_with_nothing_where_all_is_well(
    sidenote: Sidenote, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIDENOTE_CONTACT", "me@example.org")

    result = sidenote("doctor", *_HERE, "--for", "intake")

    assert result.code == Exit.FINE, result.out
    assert "tested for the part “intake”" in result.out


def test_settings_that_cannot_be_read_are_one_more_thing_to_mend(
    sidenote: Sidenote, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "sidenote.toml"
    file.write_text('brave_key = "a-secret-key"\n')
    monkeypatch.setenv("SIDENOTE_WORKERS", "many")

    in_file = sidenote("--settings", str(file), "doctor")
    in_environment = sidenote("doctor")

    assert in_file.code == in_environment.code == Exit.NEEDS_ATTENTION
    assert "set SIDENOTE_BRAVE_KEY in the environment" in " ".join(in_file.out.split())
    assert "a-secret-key" not in in_file.out
    assert "SIDENOTE_WORKERS = 'many'" in in_environment.out
    assert "ok    Python" in in_environment.out
    assert sidenote("doctor", "--for", "nobody").code == Exit.USAGE


def test_the_pages_of_the_gadget_are_those_that_are_deployed() -> None:
    pages = gadget_pages("https://panel.example", "ExampleBot")

    assert "https://panel.example" in pages["MediaWiki:Gadget-sidenote.js"]
    assert "sidenote" in pages["MediaWiki:Gadgets-definition"]
    assert "User:ExampleBot/watch" in pages
