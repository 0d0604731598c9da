"""`sidenote evaluate wiki-live` and `sidenote benchmark`, on a benchmark of our own."""

import json
from pathlib import Path

import pytest

from bot.app.cli.terminal import Exit
from tests.bot.app.cli.conftest import Sidenote
from tests.bot.research.evaluation.review.folder import GOOD, TITLE, shared_form


def judgements(path: Path, *verdicts: str) -> None:
    """Write what another judge says of the first statements of the good system."""
    results = [
        {
            "statement_index": at,
            "statement": GOOD["statements"][at]["fact"],
            "citation_num": "1",
            "citation_url": "https://news.example/marstal",
            "verdict": verdict,
            "reason": "as it says",
        }
        for at, verdict in enumerate(verdicts)
    ]
    path.write_text(json.dumps({"title": TITLE, "results": results}), "utf-8")


def test_systems_are_measured_and_shown(sidenote: Sidenote, tmp_path: Path) -> None:
    folder = shared_form(tmp_path / "wlc")
    judgements(
        folder / "sample_citation_judgements.json", "support", "conflict", "support"
    )
    ask = ("evaluate", "wiki-live", "--benchmark", "wlc", "--workers", "1")

    result = sidenote(
        *ask, "--json", "out.json", "--report", "pages", "--results", "results",
    )  # fmt: skip
    assert (result.code, result.out) == (Exit.FINE, "")
    found = json.loads((tmp_path / "out.json").read_text("utf-8"))
    good, mute = (found["metrics"]["systems"][name] for name in ("good", "mute"))
    assert good["coverage"] == pytest.approx(1 / 3, abs=1e-4)
    assert (good["reference_accuracy"], good["reference_conflict"]) == (0.5, 0.5)
    assert good["reference_accuracy_with_error_pages"] == pytest.approx(1 / 3, abs=1e-4)
    assert good["leakage"] == 0.2
    assert good["skipped"] == {"no_citation": 1, "failed": 1, "little_text": 1}
    assert mute["reference_accuracy"] is None
    assert "without citations" in mute["notes"]["reference_accuracy"]
    agreement = found["metrics"]["judge_agreement"]
    assert (agreement["n"], agreement["text_missing_here"]) == (3, 1)
    assert agreement["accuracy"] == pytest.approx(2 / 3, abs=1e-4)
    assert agreement["both_saw_the_same"]["kappa"] == 1.0
    page = (tmp_path / "pages/wiki_live.html").read_text("utf-8")
    assert "Facts of Marstal Bridge that each system covers" in page
    assert "<svg" in page
    citation = tmp_path / "results/good/citation"
    assert json.loads((citation / "_summary.json").read_text())["total_articles"] == 1
    [own] = citation.glob("*_citation.json")
    assert json.loads(own.read_text())["support_ratio"] == pytest.approx(1 / 3)


def test_a_second_run_judges_nothing_again(sidenote: Sidenote, tmp_path: Path) -> None:
    shared_form(tmp_path / "wlc")
    ask = ("evaluate", "wiki-live", "--benchmark", "wlc", "--workers", "1")
    sidenote(*ask, "--json", "1.json", "--resume", "done", "--results", "own")
    [own] = (tmp_path / "own/good/citation").glob("*_citation.json")

    again = sidenote(
        *ask, "--json", "2.json", "--resume", "done", "--judgements", str(own)
    )

    assert again.code == Exit.FINE
    first, second = (
        json.loads((tmp_path / name).read_text("utf-8"))
        for name in ("1.json", "2.json")
    )
    assert second["engine"]["articles_judged_before"] == 2
    assert second["metrics"]["systems"] == first["metrics"]["systems"]
    # What was written in the benchmark's form is read, and a judge agrees with itself.
    assert second["metrics"]["judge_agreement"]["three_classes"]["kappa"] == 1.0


def test_a_title_that_stands_there_twice_counts_once(
    sidenote: Sidenote, tmp_path: Path
) -> None:
    folder = shared_form(tmp_path / "wlc")
    other = {**GOOD, "statements": [{"fact": "The bridge is blue.", "ref_idx": None}]}
    with (folder / "systems_dev" / "good.jsonl").open("a") as file:
        file.write(json.dumps(other) + "\n")

    result = sidenote(
        "evaluate", "wiki-live", "--benchmark", "wlc", "--workers", "1",
        "--system", "good", "--system", "good", "--json", "out.json",
    )  # fmt: skip

    assert result.code == Exit.FINE
    assert "is there twice" in result.err
    found = json.loads((tmp_path / "out.json").read_text("utf-8"))
    assert found["data"]["articles"] == 1
    assert found["metrics"]["systems"]["good"]["coverage"] > 0


def test_names_do_not_write_on_the_terminal(sidenote: Sidenote, tmp_path: Path) -> None:
    shared_form(tmp_path / "wlc")
    result = sidenote("benchmark", "register", "wlc", "x", "--name", "\x1b[31mRed\nOne")
    assert result.code == Exit.FINE

    listed = sidenote("benchmark", "list", "wlc").out

    assert "\x1b" not in listed
    assert len(listed.splitlines()) == 3


def test_an_article_is_prepared_and_measured(
    sidenote: Sidenote, tmp_path: Path
) -> None:
    shared_form(tmp_path / "wlc")
    assert (
        sidenote("benchmark", "export", "wlc", "b", "--system", "mute").code
        == Exit.FINE
    )
    result = sidenote("benchmark", "register", "b", "mine", "--name", "Mine")
    assert result.code == Exit.FINE
    data = tmp_path / "b/test_data/mine"
    (data / "md_data" / f"{TITLE}.md").write_text(
        "# Marstal Bridge\n\nIt has seven stone arches ([x](https://x.example/a)).\n"
    )

    result = sidenote("benchmark", "preprocess", "-i", f"{data}/md_data", "--in-place")
    assert "links in brackets; 1 references" in result.out
    result = sidenote(
        "benchmark", "generate", "-i", f"{data}/md_data", "-o", f"{data}/json_data",
        "--steps", "extract",
    )  # fmt: skip
    assert (result.code, "1 statements, 1 that cite" in result.err) == (Exit.FINE, True)
    assert (
        "mine\tMine\t1 articles\t1 statements" in sidenote("benchmark", "list", "b").out
    )
    result = sidenote("benchmark", "validate", "b")
    assert result.code == Exit.NEEDS_ATTENTION
    assert f"good: 0 articles\n  no article of 1 subjects: {TITLE}" in result.out
    assert "mine: 1 articles\nmute: 1 articles\n" in result.out


def test_a_judge_that_is_not_there_is_missed_at_once(
    sidenote: Sidenote, tmp_path: Path
) -> None:
    shared_form(tmp_path / "wlc")

    result = sidenote("evaluate", "wiki-live", "--benchmark", "wlc", "--model")

    assert result.code == Exit.CANNOT
    assert "SIDENOTE_LANGUAGE_MODEL_ADDRESS" in result.err
