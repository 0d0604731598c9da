"""`sidenote evaluate wikigen`: figures, the page and the drafts delivered."""

import json
from pathlib import Path

from bot.app.cli.terminal import Exit
from tests.bot.app.cli.conftest import Sidenote
from tests.bot.research.evaluation.drafts.rows import NEWS, row
from tests.bot.research.evaluation.rows import write


def test_figures_page_and_drafts_go_to_files(
    sidenote: Sidenote, tmp_path: Path
) -> None:
    write(tmp_path / "events.jsonl.gz", [row(1, NEWS), row(2)])

    result = sidenote(
        *("evaluate", "wikigen", "--data", "events.jsonl.gz", "--words", "100"),
        *("--reranker", "tfidf", "--processes", "1", "--json", "out.json"),
        *("--report", "pages", "--drafts", "drafts.jsonl"),
    )

    assert (result.code, result.out) == (Exit.FINE, "")
    assert "line 2 is not scored: 2022 Marstal bridge fire" in result.err
    found = json.loads((tmp_path / "out.json").read_text("utf-8"))
    assert found["data"]["setup"] == "prr-tfidf-2000-mixed-100"
    assert found["engine"]["citations"].startswith("lexical")
    assert found["metrics"]["events"] == 1
    [draft] = (tmp_path / "drafts.jsonl").read_text("utf-8").splitlines()
    assert "two of the seven arches" in json.loads(draft)["text"]
    assert "Plan-Retrieve-Read" in (tmp_path / "pages/wikigen.html").read_text("utf-8")


def test_a_model_that_is_not_there_is_missed_at_once(
    sidenote: Sidenote, tmp_path: Path
) -> None:
    write(tmp_path / "events.jsonl.gz", [row(1, NEWS)])

    result = sidenote(
        *("evaluate", "wikigen", "--data", "events.jsonl.gz", "--writer", "model")
    )

    assert result.code == Exit.CANNOT
    assert "SIDENOTE_LANGUAGE_MODEL_ADDRESS" in result.err
