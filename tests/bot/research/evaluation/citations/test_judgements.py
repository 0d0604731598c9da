"""What people judged is reported as the papers did, traced to each line of its file."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.research.evaluation.citations import judgements
from bot.research.evaluation.citations.judgements import (
    agreement,
    fleiss_kappa,
    sign_test,
)
from bot.research.evaluation.metrics import UndefinedMetricError
from handlers.ports import PermanentError
from tests.bot.research.evaluation.rows import write

_PREFERENCE: dict[str, Any] = {
    "wiki": "en.wikipedia.org",
    "title": "Lighthouse",
    "identity": "a",
    "engine": {"name": "minilm", "version": "3"},
    "day": "2026-11-22",
    "reader": 1,
    "preferred": "recommended",
    "shown_first": "present",
    "present_probability": 0.1,
    "recommended_probability": 0.9,
}
_REVIEW: dict[str, Any] = {
    **{name: _PREFERENCE[name] for name in ("wiki", "title", "identity", "engine")},
    "day": "2026-11-22",
    "reader": 1,
    "outcome": "accept",
}


def _file(folder: Path, *rows: object) -> Path:
    return write(folder / "judged.jsonl", rows)


def _of(
    preferred: str, identity: str, reader: int | None, **more: object
) -> dict[str, Any]:
    own = {"preferred": preferred, "identity": identity, "reader": reader}
    return _PREFERENCE | own | more


def test_preferences_are_shared_out_and_decided_by_majority(tmp_path: Path) -> None:
    place = _file(
        tmp_path,
        *(_of("recommended", "a", reader) for reader in (1, 2)),
        _of("present", "a", 3),
        _of("present", "b", 1, present_probability=0.8, recommended_probability=0.7),
        _of("neither", "b", 2, present_probability=0.8, recommended_probability=0.7),
        _of("either", "c", 1, present_probability=None),
        _of("recommended", "d", 1, present_probability=0.3, shown_first="recommended"),
        _of("recommended", "e", 1, present_probability=0.3, shown_first=None),
    )

    report = judgements.evaluate_preferences(place).to_dict()

    assert report["data"]["file"] == "judged.jsonl"
    assert (report["data"]["rows"], report["data"]["unscored"]) == (8, 0)
    assert len(report["data"]["sha256"]) == 64
    assert report["engine"] == {"name": "minilm", "version": "3"}
    found = report["metrics"]
    shares = ("present", "recommended", "either", "neither")
    assert [found[each] for each in shares] == [0.25, 0.5, 0.125, 0.125]
    assert found["recommended_of_decided"] == round(4 / 6, 4)
    low, high = found["recommended_of_decided_ci95"]
    assert 0 <= low < 4 / 6 < high <= 1
    assert found["first_of_decided"] == 0.6  # a's and b's "present", and d
    assert (found["judgements"], found["things"], found["readers"]) == (8, 5, 3)
    assert found["judged_by_several"] == 2
    assert found["agreement"] == round((1 / 3 + 0) / 2, 4)
    majority = found["majority"]
    assert majority["recommended"] == 0.6
    assert majority["tied"] == majority["either"] == 0.2
    assert majority["recommended_of_decided"] == 1.0
    present, gap = found["by_present_probability"], found["by_gap"]
    assert present["present_0_to_20_percent"]["things"] == 1
    assert present["present_20_to_40_percent"]["recommended"] == 1.0
    assert present["without"] == gap["without"] == 1
    assert gap["gap_below_0"]["tied"] == 1.0
    assert gap["gap_60_to_80_percent"]["things"] == 2
    assert "by_engine" not in found


def test_each_of_several_engines_has_its_figures(tmp_path: Path) -> None:
    other = {"engine": {"name": "lexical", "version": "1"}}
    place = _file(tmp_path, _PREFERENCE, _of("present", "b", 1, **other))

    report = judgements.evaluate_preferences(place).to_dict()

    assert report["engine"] == {"names": "lexical 1, minilm 3"}
    assert report["metrics"]["by_engine"]["lexical 1"]["present"] == 1.0
    assert report["metrics"]["by_engine"]["minilm 3"]["present"] == 0.0


def test_a_share_of_things_judged_once_has_wilsons_interval(tmp_path: Path) -> None:
    answers = ["recommended"] * 8 + ["present"] * 2
    place = _file(tmp_path, *(_of(each, str(at), 1) for at, each in enumerate(answers)))

    found = judgements.evaluate_preferences(place).to_dict()["metrics"]

    assert found["recommended_ci95"] == pytest.approx([0.490, 0.943], abs=0.001)
    assert found["fleiss_kappa"] is None
    assert "two people" in found["notes"]["fleiss_kappa"]


def test_the_sign_test_gives_sides_figures() -> None:
    assert [round(chance, 4) for chance in sign_test(30, 45)] == [0.0178, 0.0357]
    assert sign_test(0, 0) == (1.0, 1.0)
    assert sign_test(1, 2) == (0.75, 1.0)
    assert sign_test(2_000, 2_000) == (0.0, 0.0)


def test_fleiss_kappa_is_that_of_his_own_example() -> None:
    table = "02642 00356 03920 22811 77000 32630 25322 65210 02237"
    rows = [[int(count) for count in row] for row in table.split()]
    counts = [[0, 0, 0, 0, 14], *rows]
    judged = [
        [at for at, count in enumerate(row) for _ in range(count)] for row in counts
    ]

    assert fleiss_kappa(judged) == pytest.approx(0.210, abs=0.0005)
    assert agreement(judged) == pytest.approx(0.378, abs=0.0005)
    assert agreement([["a", "a"], ["a", "a", "a"]]) == 1
    with pytest.raises(UndefinedMetricError, match="the same"):
        fleiss_kappa([["a", "a"]])


@given(st.lists(st.lists(st.sampled_from("abc"), min_size=2, max_size=6), min_size=1))
def test_kappa_is_at_most_the_agreement_seen(judged: list[list[str]]) -> None:
    if len({one for answer in judged for one in answer}) > 1:
        assert -1 <= fleiss_kappa(judged) <= agreement(judged) + 1e-9


def test_reviews_are_shared_out_with_their_errors(tmp_path: Path) -> None:
    outcomes_and_errors: tuple[tuple[str, list[str]], ...] = (
        ("accept", []),
        ("accept", []),
        ("accept with changes", ["badly worded", "belongs elsewhere"]),
        ("reject", ["not worth a reader's time"]),
    )
    rows = [
        {**_REVIEW, "identity": str(at), "outcome": outcome, "errors": errors}
        for at, (outcome, errors) in enumerate(outcomes_and_errors)
    ]

    found = judgements.evaluate_reviews(_file(tmp_path, *rows)).to_dict()["metrics"]

    outcomes = ("accept", "accept_with_changes", "reject")
    assert [found[each] for each in outcomes] == [0.5, 0.25, 0.25]
    assert found["accept_ci95"] == pytest.approx([0.150, 0.850], abs=0.001)
    errors = found["errors"]
    assert (errors["wording"], errors["trivial"], errors["none"]) == (0.25, 0.25, 0.5)
    rejected = found["errors_by_outcome"]["reject"]
    assert (rejected["judgements"], rejected["trivial"], rejected["wording"]) == (
        1,
        1,
        0,
    )


def test_a_line_that_cannot_be_used_is_reported_with_its_number(tmp_path: Path) -> None:
    place = _file(
        tmp_path,
        "{",
        "[1]",
        {**_PREFERENCE, "preferred": "both"},
        {**_PREFERENCE, "present_probability": 1.5},
        {**_PREFERENCE, "shown_first": "neither"},
        {**_PREFERENCE, "engine": {"name": "x" * 300, "version": ""}},
        _of("present", "a", 1),
        "",
        _of("recommended", "a", 1),
        _of("recommended", "a", None),
        _of("recommended", "a", None),
    )

    report = judgements.evaluate_preferences(place)

    reasons = [(one.line, one.reason) for one in report.unscored]
    assert [line for line, _ in reasons] == [1, 2, 3, 4, 5, 6, 7]
    messages = ("not JSON", "not a JSON object", "preferred: ", "present_probability: ")
    for (_, reason), expected in zip(reasons, messages, strict=False):
        assert reason.startswith(expected)
    assert reasons[4][1] == "shown_first is present or recommended"
    assert reasons[6][1] == "the same reader judges it again in line 9"
    assert report.to_dict()["metrics"]["judgements"] == 3
    assert report.to_dict()["metrics"]["recommended"] == 1.0


def test_a_file_of_which_nothing_can_be_used_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PermanentError, match=r"no usable row \(line 1: outcome: "):
        judgements.evaluate_reviews(_file(tmp_path, _PREFERENCE))
    with pytest.raises(PermanentError, match="is empty"):
        judgements.evaluate_reviews(_file(tmp_path))
    with pytest.raises(PermanentError, match="cannot be read"):
        judgements.evaluate_reviews(tmp_path / "none.jsonl")
