"""`sidenote train draft`: what is reported where a part is missing."""

import json
from pathlib import Path

import pytest

from bot.app.cli.terminal import Exit
from tests.bot.app.cli.conftest import Sidenote

_EVENT = {
    "id": 1,
    "article": {"key": "2024 Exampleton flood", "text": "The river rose."},
}


@pytest.fixture(autouse=True)
def events(tmp_path: Path) -> None:
    """A file with one event."""
    (tmp_path / "events.jsonl").write_text(json.dumps(_EVENT) + "\n", "utf-8")


def test_nothing_is_collected_without_a_language_model(sidenote: Sidenote) -> None:
    result = sidenote(
        "train", "draft", "collect", "--data", "events.jsonl", "-o", "set"
    )

    assert result.code == Exit.CANNOT
    assert "SIDENOTE_LANGUAGE_MODEL_ADDRESS" in result.err


def test_an_event_without_documents_is_reported_and_no_model_is_asked(
    sidenote: Sidenote, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SIDENOTE_LANGUAGE_MODEL_ADDRESS", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("SIDENOTE_LANGUAGE_MODEL_NAME", "m")
    result = sidenote(
        "train", "draft", "collect", "--data", "events.jsonl", "-o", "set"
    )

    assert result.code == Exit.CANNOT
    assert "its documents cannot be used (1)" in result.err


@pytest.mark.parametrize("content", ["{}\n", "no JSON\n", None])
def test_a_file_that_holds_no_examples_is_reported(
    sidenote: Sidenote, tmp_path: Path, content: str | None
) -> None:
    if content is not None:
        (tmp_path / "test.jsonl").write_text(content, "utf-8")
    result = sidenote("train", "draft", "measure", "test.jsonl")

    assert result.code == Exit.CANNOT
    assert "test.jsonl" in result.err
    assert "collect" in result.err
