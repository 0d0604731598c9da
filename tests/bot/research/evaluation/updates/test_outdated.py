"""How well outdated sentences are found, on revisions made up for the test."""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from bot.research.evaluation.updates.edits import measure, read_revisions
from handlers.model import (
    Claim,
    Engine,
    Passage,
    Probabilities,
    Verdict,
    Verification,
)
from handlers.ports import PermanentError
from tests.fakes import Silent


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


def _write(path: Path, rows: Sequence[object]) -> Path:
    lines = "\n".join(json.dumps(one) for one in rows)
    path.write_bytes(gzip.compress(lines.encode()))
    return path


def test_precision_and_recall_are_those_of_refuted_sentences(tmp_path: Path) -> None:
    rows = [
        _row("A", 0.99, "refuted"),
        _row("A", 0.98, "refuted"),
        _row("B", 0.97, "nei"),
        _row("B", 0.1, "refuted"),
        _row("C", 0.2, "nei"),
    ]
    read = read_revisions(_write(tmp_path / "rows.jsonl.gz", rows))
    found = measure(read.rows, ByNumber(), Silent())
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
    read = read_revisions(_write(tmp_path / "rows.jsonl.gz", rows))
    assert (len(read.rows), read.row_count) == (1, 4)
    reasons = [one.reason for one in read.unscored]
    assert [one.line for one in read.unscored] == [2, 3, 4]
    assert "none of refuted, nei" in reasons[0]
    assert "no text" in reasons[1]
    assert "not a JSON object" in reasons[2]


def test_nothing_called_outdated_has_no_precision(tmp_path: Path) -> None:
    rows = [_row("A", 0.1, "refuted"), _row("B", 0.2, "nei")]
    read = read_revisions(_write(tmp_path / "rows.jsonl.gz", rows))
    found = measure(read.rows, ByNumber(), Silent())
    assert found["precision"] is None
    assert found["recall"] == 0
    assert found["notes"]["precision"]


@pytest.mark.parametrize("content", [b"", b"not gzip"])
def test_a_file_that_cannot_be_used_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "rows.jsonl.gz"
    path.write_bytes(content)
    with pytest.raises(PermanentError):
        read_revisions(path)
