"""Edits that lose nothing, words that they change, and what a file cannot tell."""

import gzip
import html
import json
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from bot.models.lexical import LexicalVerifier
from bot.research.cli.evaluate import of_editing
from bot.research.evaluation.updates import edits
from bot.research.evaluation.updates.edits import joined, slotted
from bot.research.evaluation.updates.paragraphs import keeps_all, replaced
from handlers.model import (
    Claim,
    Engine,
    Passage,
    Probabilities,
    Verdict,
    Verification,
)
from handlers.ports import PermanentError
from tests.bot.research.evaluation.rows import write
from tests.fakes import Silent
from tests.shared_data import shared_data

_OLD = (
    "It was opened in 1932 & is 820 metres long.<ref>{{cite web|url=https://a.example"
    "|title=A}}</ref> It is [[red]]."
)
_NEW = _OLD.replace("820", "840").replace("red]].", "red]]. A toll was taken.")
_PAIR = {"title": "Bridge", "old_wikitext": html.escape(_OLD), "new_wikitext": _NEW}
_REVISION = {
    "page": "Bridge",
    "original": "It has 12 towers ( in 2024 ) .",
    "update_claim": "The bridge has 14 towers .",
    "target": "It has a total of 14 towers ( in 2024 ) .",
    "original_label": "refuted",
}


def _metrics(data: Path) -> dict[str, Any]:
    report = edits.evaluate(data, LexicalVerifier(), Silent())
    written = json.loads(report.to_json())
    assert written["benchmark"] == "editing"
    metrics = written["metrics"]
    assert isinstance(metrics, dict)
    return metrics


def test_each_edit_of_a_paragraph_keeps_its_references(tmp_path: Path) -> None:
    metrics = _metrics(write(tmp_path / "pairs.jsonl.gz", [_PAIR, {"title": "B"}]))

    editor = metrics["editor"]
    assert editor["references_kept"] == 1
    assert editor["embedded"]["edits"] == 4  # two sentences, outdated or before a fact
    assert editor["operations"]["edits"] == 2
    # The number, and four words with their full stop.
    assert editor["token_change"] == editor["token_change_human"] == 6
    assert metrics["outdated"]["f1"] is None
    assert "no old sentences" in metrics["outdated"]["notes"]["f1"]


def test_sentences_alone_say_nothing_of_references(tmp_path: Path) -> None:
    metrics = _metrics(write(tmp_path / "claims.jsonl", [_REVISION]))

    editor = metrics["editor"]
    assert editor["references_kept"] is None
    assert editor["notes"]["references_kept"]
    assert (editor["token_change"], editor["token_change_human"]) == (1, 4)
    assert "yardstick" in editor["notes"]["token_change"]
    assert metrics["outdated"]["outdated"] == 1


def test_editors_are_compared_with_people(tmp_path: Path) -> None:
    rows = [{**_REVISION, "id": "a"}, {**_REVISION, "id": "b"}]
    file = write(tmp_path / "edited.jsonl", [{"id": "a", "text": _REVISION["target"]}])

    report = edits.evaluate(
        write(tmp_path / "claims.jsonl", rows),
        LexicalVerifier(),
        Silent(),
        edits.read_edited(file),
    )

    figures = report.to_dict()["metrics"]["sentence_editors"]
    assert figures["rows"] == 2
    editors = figures["editors"]
    assert editors["nothing changed"]["brought"] == 0
    assert editors["nothing changed"]["kept"] == 1
    assert editors["the claim behind it"]["kept"] == 1
    assert 0 < editors["numbers into slots"]["brought"] < 1
    assert editors["numbers into slots"]["right"] == 1
    assert editors["edited"]["exact"] == editors["edited"]["brought"] == 0.5
    assert editors["edited"]["without_an_edit"] == 1


def test_all_files_of_a_folder_count_except_those_for_training(tmp_path: Path) -> None:
    write(tmp_path / "claims_train.jsonl.gz", [_REVISION, _REVISION])
    write(tmp_path / "claims_dev.jsonl.gz", [_REVISION])
    write(tmp_path / "pairs.jsonl.gz", [_PAIR])
    (tmp_path / "README.md").write_text("about")

    report = edits.evaluate(tmp_path, LexicalVerifier(), Silent())

    written = json.loads(report.to_json())
    assert written["data"]["rows"] == 4
    assert [one["file"] for one in written["data"]["files"]] == [
        "claims_dev.jsonl.gz",
        "claims_train.jsonl.gz",
        "pairs.jsonl.gz",
    ]
    assert written["metrics"]["outdated"]["file"] == "claims_dev.jsonl.gz"
    assert written["metrics"]["editor"]["references_kept"] == 1
    assert written["metrics"]["editor"]["slots"]["rows"] == 1


def test_files_that_cannot_be_used_are_reported(tmp_path: Path) -> None:
    with pytest.raises(PermanentError, match=r"no \.jsonl"):
        _metrics(tmp_path)
    with pytest.raises(PermanentError, match="cannot be read"):
        _metrics(tmp_path / "missing.jsonl")
    for rows in ([], [{"a": 1}], [3]):
        with pytest.raises(PermanentError, match="no usable row"):
            _metrics(write(tmp_path / "other.jsonl", rows))
    with pytest.raises(PermanentError, match="id and text"):
        edits.read_edited(write(tmp_path / "edited.jsonl", [{"id": "a"}]))


@pytest.mark.parametrize(
    ("after", "kept"),
    [
        (f"{_OLD}<ref>B</ref>", True),
        (f"{_OLD.replace('[[red]]', 'red')}<ref>B</ref>", False),
        (f"{_OLD.replace('<ref>', '').replace('</ref>', '')}<ref>B</ref>", False),
        (f"{_OLD.replace('1932', '1933')}<ref>B</ref>", True),
        (f"{_OLD}<ref>B</ref><ref>C</ref>", False),
        (f"{_OLD.replace('{{cite web', '{{cite news')}<ref>B</ref>", False),
        (_OLD, False),
    ],
)
def test_what_is_kept_is_reported_without_the_programs_own_reading(
    after: str, *, kept: bool
) -> None:
    assert keeps_all(_OLD, after, "<ref>B</ref>") is kept


@pytest.mark.parametrize(
    ("original", "claim", "slotted_in"),
    [
        ("It has 3 towers and 2 bells.", "It has 4 towers.", "It has 4 towers and 2"),
        ("It has 3 towers.", "Four towers.", None),
        ("It cost $5 in 1999.", "It cost $6 in 1999.", "It cost $6 in 1999."),
        ("It has 3 towers, 2 bells.", "It has 7 doors.", None),
    ],
)
def test_a_number_takes_the_slot_of_what_counts_the_same(
    original: str, claim: str, slotted_in: str | None
) -> None:
    found = slotted(original, claim)

    assert found is None if slotted_in is None else (found or "").startswith(slotted_in)


def test_words_that_an_operation_changes_are_counted_without_the_citation() -> None:
    assert joined("It 's old ( and 3 % red ) , too .") == "It's old (and 3% red), too."
    assert replaced("Bridge", "It has 3 towers.", "It has 4 towers.") == 1
    assert replaced("Bridge", "It has [[a|3 towers]].", "It has 4 towers.") is None


def test_the_command_writes_the_figures(tmp_path: Path) -> None:
    data = write(tmp_path / "pairs.jsonl", [_PAIR])
    output = tmp_path / "out.json"

    done = CliRunner().invoke(
        of_editing, ["--data", str(data), "--json", str(output)], obj=None
    )

    assert done.exception is None, done.output
    assert json.loads(output.read_text("utf-8"))["metrics"]["editor"]["references_kept"]


# --- outdated sentences ---


class ByNumber:
    """A verifier that is as sure of the contrary as the number in the evidence says."""

    engine = Engine("by number", "1")

    async def verify(
        self, title: str, claim: Claim, passages: Sequence[Passage]
    ) -> Verification:
        assert title
        assert claim.text
        [passage] = passages
        share = float(passage.text.split()[-1])
        likely = Probabilities(0.0, 0.0, 1 - share, share)
        return Verification(Verdict.CONTRADICTED, likely, (), (), self.engine)


def _row(page: str, share: float, label: str) -> dict[str, str]:
    return {
        "page": page,
        "original": f"It has a share of {share}",
        "update_claim": "It has another share",
        "original_label": label,
    }


def test_precision_and_recall_are_those_of_refuted_sentences(tmp_path: Path) -> None:
    rows = [
        _row("A", 0.99, "refuted"),
        _row("A", 0.98, "refuted"),
        _row("B", 0.97, "nei"),
        _row("B", 0.1, "refuted"),
        _row("C", 0.2, "nei"),
    ]
    read = edits.read_revisions(write(tmp_path / "rows.jsonl.gz", rows))
    found = edits.measure(read.rows, ByNumber(), Silent())
    assert (found["rows"], found["outdated"], found["articles"]) == (5, 3, 3)
    assert found["precision"] == found["recall"] == found["f1"] == pytest.approx(0.6667)
    assert found["f1_if_all"] == pytest.approx(0.75)
    assert found["auroc"] == pytest.approx(4 / 6, abs=1e-4)
    assert len(found["f1_ci95"]) == 2


def test_rows_that_cannot_be_used_are_counted_with_the_reason(tmp_path: Path) -> None:
    rows = [
        _row("A", 0.9, "refuted"),
        _row("A", 0.9, "supported"),
        {**_row("A", 0.9, "nei"), "original": ""},
        ["no object"],
    ]
    read = edits.read_revisions(write(tmp_path / "rows.jsonl.gz", rows))
    assert (len(read.rows), read.row_count) == (1, 4)
    reasons = [one.reason for one in read.unscored]
    assert [one.line for one in read.unscored] == [2, 3, 4]
    assert "none of refuted, nei" in reasons[0]
    assert "no text" in reasons[1]
    assert "not a JSON object" in reasons[2]


def test_nothing_called_outdated_has_no_precision(tmp_path: Path) -> None:
    rows = [_row("A", 0.1, "refuted"), _row("B", 0.2, "nei")]
    read = edits.read_revisions(write(tmp_path / "rows.jsonl.gz", rows))
    found = edits.measure(read.rows, ByNumber(), Silent())
    assert found["precision"] is None
    assert found["recall"] == 0
    assert found["notes"]["precision"]


@pytest.mark.shared_data
def test_every_edit_of_real_paragraphs_keeps_references_templates_and_links(
    tmp_path: Path,
) -> None:
    file = shared_data("editing/wikitext_revision_pairs.jsonl.gz")
    with gzip.open(file, "rt") as rows:
        pairs = [json.loads(line) for line in islice(rows, 0, None, 5)]

    editor = _metrics(write(tmp_path / "fifth.jsonl.gz", pairs))["editor"]

    assert editor["paragraphs"] == 50
    assert editor["embedded"]["edits"] > 300
    assert editor["operations"]["edits"] > 25
    assert editor["references_kept"] == 1
