"""The folder in which an evaluation keeps what it has done."""

import json
from pathlib import Path

import pytest

from bot.research.evaluation.drafts.judge import Checkpoints, Outcome
from bot.research.evaluation.events import read_events
from handlers.ports import PermanentError
from tests.bot.research.evaluation.drafts.rows import NEWS, row

DONE = Outcome(1.0, 2, failed="no sentence")


def test_half_a_result_is_as_good_as_none(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path)
    checkpoints.put_outcome("main", "1", DONE)
    assert checkpoints.outcome("main", "1") == DONE

    [file] = (tmp_path / "main").iterdir()
    file.write_bytes(file.read_bytes()[:-5])

    assert checkpoints.outcome("main", "1") is None


def test_a_folder_that_a_killed_run_began_to_claim_is_still_free(
    tmp_path: Path,
) -> None:
    (tmp_path / "made_with.new").write_text("these")
    checkpoints = Checkpoints(tmp_path)

    checkpoints.claim("these parts")
    checkpoints.claim("these parts")

    with pytest.raises(PermanentError, match="name another folder"):
        checkpoints.claim("other parts")


@pytest.mark.parametrize("event", ["1", "x" * 300])
def test_a_result_that_cannot_be_kept_is_told_in_a_line(
    tmp_path: Path, event: str
) -> None:
    if event == "1":
        (tmp_path / "main").write_text("a file in the way")

    with pytest.raises(PermanentError, match="cannot be written"):
        Checkpoints(tmp_path).put_outcome("main", event, DONE)


def test_of_two_events_with_one_id_the_first_is_measured(tmp_path: Path) -> None:
    data = tmp_path / "events.jsonl"
    rows = [row(1, NEWS), row(2, NEWS), row(1, f"{NEWS} More.")]
    data.write_text("".join(f"{json.dumps(one)}\n" for one in rows), "utf-8")

    read = read_events(data)

    assert [one.id for one in read.rows] == ["1", "2"]
    assert "More." not in read.rows[0].found[0].text
    [unscored] = read.unscored
    assert (unscored.line, unscored.reason) == (3, "another has the id 1")
