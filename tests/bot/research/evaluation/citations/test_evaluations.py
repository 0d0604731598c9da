"""Both benchmarks on small files of our own, and claims beside another row's evidence."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.models.lexical import FittedOn, LexicalVerifier, shipped_lexical
from bot.research.evaluation.citations import verification
from bot.research.evaluation.citations.verification import with_others_evidence
from bot.research.evaluation.datasets import DataSet, Row, case, read_rows
from handlers.citations.passages import cut
from handlers.citations.verification import verdict
from handlers.model import Claim, Passage, Probabilities, SourceText, Verification
from handlers.ports import PermanentError, Verifier
from tests.bot.research.evaluation.rows import CLAIMS, PAGE, PAGES, page_row, row, write
from tests.bot.search.index.documents import Counting
from tests.fakes import Silent


def _pairs(tmp_path: Path, *articles: str) -> DataSet:
    """Return two pairs of claims about each article; a pair has a page to itself."""
    rows = [
        row(
            f"{article}, {pair}, {side}",
            side,
            group=article,
            evidence=f"page {pair} on {article}",
            meta={"pair": f"{article} {pair}", "supporting_sentences": [[0]]},
        )
        for article in articles
        for pair in (1, 2)
        for side in ("supported", "refuted")
    ]
    return read_rows(write(tmp_path / "rows.jsonl", rows))


def _swapped(tmp_path: Path, *rows: dict[str, Any]) -> tuple[Row, ...]:
    data = read_rows(write(tmp_path / "rows.jsonl", rows))
    return with_others_evidence(data).rows


def test_each_row_gets_the_evidence_of_another_article(tmp_path: Path) -> None:
    data = _pairs(tmp_path, "a", "b", "c")

    swapped = with_others_evidence(data)

    for name in ("claim", "label"):
        assert [getattr(one, name) for one in swapped.rows] == [
            getattr(one, name) for one in data.rows
        ]
    article_of = {one.evidence: one.group for one in data.rows}
    assert {one.evidence for one in swapped.rows} == set(article_of)
    assert all(article_of[one.evidence] != one.group for one in swapped.rows)
    assert not any(one.supporting for one in swapped.rows)
    assert with_others_evidence(data) == swapped
    pairs = zip(swapped.rows[::2], swapped.rows[1::2], strict=True)
    assert all(wrong.evidence == mended.evidence for wrong, mended in pairs)


def test_in_a_set_of_one_article_the_page_is_another(tmp_path: Path) -> None:
    data = _pairs(tmp_path, "a")

    swapped = with_others_evidence(data)

    pairs = zip(data.rows, swapped.rows, strict=True)
    assert all(own.evidence != other.evidence for own, other in pairs)


def test_a_pair_with_different_texts_still_gets_another_pairs(tmp_path: Path) -> None:
    sides = [
        row(f"{pair} {side}", side, group="a", evidence=f"{pair} {side}",
            meta={"pair": pair})
        for pair in ("one", "two")
        for side in ("supported", "refuted")
    ]  # fmt: skip

    assert all(one.pair not in one.evidence[0] for one in _swapped(tmp_path, *sides))


def test_evidence_stays_within_its_set_or_cannot_be_swapped(tmp_path: Path) -> None:
    rows = [
        row(f"{name} {n}", "nei", set=name, evidence=f"{name} {n}")
        for n in range(2)
        for name in ("ships", "trains")
    ]

    swapped = _swapped(tmp_path, *rows)

    assert all(one.evidence[0].startswith(one.set) for one in swapped)
    with pytest.raises(PermanentError, match="bridges"):
        _swapped(tmp_path, row("x", "nei"), row("y", "nei"))


def _verified(
    tmp_path: Path, *rows: Any, verifier: Verifier | None = None
) -> dict[str, Any]:
    """Return the figures of the bridges."""
    data = write(tmp_path / "rows.jsonl", rows)
    report = verification.evaluate(data, verifier or LexicalVerifier(), Silent())
    found: dict[str, Any] = json.loads(report.to_json())["metrics"]["sets"]["bridges"]
    return found


def test_verification_is_reported_set_by_set_in_the_shared_form(
    tmp_path: Path,
) -> None:
    data = write(tmp_path / "rows.jsonl", [*CLAIMS, "broken", row("x", "?")])
    progress = Counting()

    report = verification.evaluate(data, LexicalVerifier(), progress)

    written = json.loads(report.to_json())
    assert list(written) == ["benchmark", "data", "engine", "metrics"]
    assert written["benchmark"] == "verification"
    sha256 = read_rows(data).sha256
    known = {"file": "rows.jsonl", "sha256": sha256, "rows": 9, "unscored": 2}
    assert written["data"] == known
    assert written["engine"]["fitted_on_this_data"] is False
    assert set(written["metrics"]["sets"]) == {"bridges", "unknown"}
    assert (progress.total, progress.done) == (7, 7)


_OF_SETS = ("auroc", "average_precision", "balanced_accuracy", "best_f1")
_OF_PAGES = (
    "accuracy_supported_vs_rest",
    "balanced_accuracy_supported_vs_rest",
    "balanced_accuracy_three_way",
    "evidence_recall_at_5",
)


def test_each_figure_has_its_interval(tmp_path: Path) -> None:
    found = _verified(tmp_path, *CLAIMS, row("x", "?"))
    data = write(tmp_path / "rows.jsonl.gz", PAGES)
    report = verification.evaluate_wice(data, LexicalVerifier(), Silent())
    pages = json.loads(report.to_json())["metrics"]

    assert (found["rows"], found["unscored"]) == (8, 1)
    own = (*_OF_SETS, "calibration_error", "accuracy_three_way")
    for figures, names in ((found, own), (pages, (*_OF_SETS[:2], *_OF_PAGES))):
        for name in names:
            low, high = figures[f"{name}_ci95"]
            assert 0 <= low <= high <= 1
            assert isinstance(figures[name], float)
        assert figures["auroc"] == 1
    assert pages["evidence_recall_at_5"] == 1  # the two rows without any are left out


def test_what_the_labels_do_not_allow_is_left_out_with_a_reason(tmp_path: Path) -> None:
    one = _verified(tmp_path, *CLAIMS[:3])
    two = _verified(
        tmp_path, CLAIMS[0], CLAIMS[5], row("A ferry sank", "not_supported")
    )

    assert one["auroc"] is one["auroc_ci95"] is None
    assert one["notes"]["auroc"] == "all rows have the same label"
    assert "accuracy_three_way" not in one
    assert two["accuracy_three_way"] is None
    assert "same verdict" in two["notes"]["accuracy_three_way"]


class _Says:
    """A verifier that was told what to say of each claim."""

    engine = LexicalVerifier().engine

    def __init__(self, likely: Mapping[str, Probabilities]) -> None:
        self._likely = likely

    async def verify(
        self,
        title: str,  # noqa: ARG002 - as the port
        claim: Claim,
        passages: Sequence[Passage],  # noqa: ARG002 - as the port
    ) -> Verification:
        likely = self._likely[claim.text]
        return Verification(verdict(likely), likely, (), (), self.engine)


_YES = Probabilities(0.97, 0.01, 0.01, 0.01)
_PARTLY = Probabilities(0.3, 0.5, 0.1, 0.1)
_NO = Probabilities(0.01, 0.01, 0.97, 0.01)
_WRONG = Probabilities(0.01, 0.01, 0.01, 0.97)


def test_wice_reports_flags_and_contradictions(tmp_path: Path) -> None:
    cases = {
        "supported, flagged": ("supported", _NO, False),
        "supported": ("supported", _YES, False),
        "absent, flagged": ("not_supported", _NO, False),
        "absent, doubted": ("not_supported", _PARTLY, False),
        "absent, contradicted": ("not_supported", _WRONG, False),
        "contradicted": ("not_supported", _WRONG, True),
        "contradicted, missed": ("not_supported", _NO, True),
    }
    rows = []
    for claim, (label, _, contradicted) in cases.items():
        one = page_row(claim, label, [])
        one["meta"]["contradicted"] = contradicted
        rows.append(one)
    verifier = _Says({claim: likely for claim, (_, likely, _) in cases.items()})

    found = verification.evaluate_wice(
        write(tmp_path / "rows.jsonl", rows), verifier, Silent()
    ).metrics

    assert found["flags"]["count"] == 5
    assert found["flags"]["precision"] == pytest.approx(4 / 5)
    assert found["flags"]["share_of_supported_flagged"] == pytest.approx(1 / 2)
    assert found["contradicted"]["precision"] == pytest.approx(1 / 2)
    assert found["contradicted"]["recall"] == pytest.approx(1 / 2)
    assert found["flags"]["precision_ci95"]
    assert 0 < found["calibration_error"] < 1


def test_verification_reports_each_verdict_and_what_is_refuted(
    tmp_path: Path,
) -> None:
    cases = {
        "a": ("supported", _YES),
        "b": ("supported", _WRONG),
        "c": ("refuted", _WRONG),
        "d": ("refuted", _WRONG),
        "e": ("refuted", _NO),
        "f": ("nei", _YES),
    }
    rows = [row(claim, label) for claim, (label, _) in cases.items()]
    verifier = _Says({claim: likely for claim, (_, likely) in cases.items()})

    found = _verified(tmp_path, *rows, verifier=verifier)
    # Where nothing is refuted, a contradiction is a lack of support.
    without = _verified(
        tmp_path, row("a", "supported"), row("c", "nei"), verifier=verifier
    )

    mean = (1 / 2 + 2 / 3 + 0) / 3
    assert found["balanced_accuracy_all_classes"] == pytest.approx(mean, abs=1e-4)
    assert found["recall_refuted"] == pytest.approx(2 / 3, abs=1e-4)
    assert found["precision_refuted"] == pytest.approx(2 / 3, abs=1e-4)
    assert without["balanced_accuracy_all_classes"] == 1
    assert without["recall_refuted"] is None


def test_with_the_evidence_of_another_page_figures_fall(tmp_path: Path) -> None:
    ferries = ["The ferry Odin sank.", "Nobody was hurt.", "It was raised in 1990."]
    rows = CLAIMS[1:]
    rows += [
        row(f"{text} {n}", label, evidence=" ".join(ferries), group=f"{label} {n}")
        for n in range(3)
        for text, label in (("The ferry sank", "supported"), ("It flew", "refuted"))
    ]
    data = write(tmp_path / "rows.jsonl", rows)
    given = verification.evaluate(data, LexicalVerifier(), Silent())

    swapped = verification.evaluate(
        data, LexicalVerifier(), Silent(), swap_evidence=True
    )

    assert given.to_dict()["data"].get("evidence") is None
    assert swapped.to_dict()["data"]["evidence"] == "of another row"
    own, others = (one.metrics["sets"]["bridges"]["auroc"] for one in (given, swapped))
    assert others < own > 0.9


def test_without_supporting_sentences_there_is_no_recall(tmp_path: Path) -> None:
    data = write(tmp_path / "rows.jsonl", [PAGES[-1], PAGES[-2]])

    found = verification.evaluate_wice(data, LexicalVerifier(), Silent()).metrics

    assert found["evidence_recall_at_5"] is None
    assert "no row names" in found["notes"]["evidence_recall_at_5"]
    assert found["quotes"]["rows"] == 0
    assert found["quotes"]["top_decides"] is None


@pytest.mark.parametrize(
    ("supporting", "top_decides", "covers"),
    [
        pytest.param([[1]], 1.0, 1.0, id="the sentence that says it"),
        pytest.param([[60]], 0.0, 0.0, id="another sentence"),
        pytest.param([[1, 60]], 1.0, 0.0, id="half of what it takes"),
        pytest.param([[60], [1]], 1.0, 1.0, id="the better of two sets"),
    ],
)
def test_quotes_of_supported_claims_are_compared_with_the_sentences_named(
    tmp_path: Path, supporting: list[list[int]], top_decides: float, covers: float
) -> None:
    rows = [
        page_row(PAGE[1], "supported", supporting),
        page_row(PAGE[1], "not_supported", supporting),
    ]

    found = verification.evaluate_wice(
        write(tmp_path / "r.jsonl", rows), LexicalVerifier(), Silent()
    ).metrics["quotes"]

    assert found["rows"] == 1
    assert found["top_decides"] == top_decides
    assert found["covers"] == covers


@pytest.mark.parametrize(
    ("supporting", "cut_off", "expected"),
    [
        pytest.param([[1]], False, 1.0, id="found"),
        pytest.param([[60]], False, 0.0, id="missed"),
        pytest.param([[1, 60]], False, 0.5, id="half of it"),
        pytest.param([[60], [0, 1]], False, 1.0, id="the better of two sets"),
        pytest.param([[1]], True, 0.0, id="cut by the end of a passage"),
    ],
)
def test_evidence_recall_is_the_share_of_gold_sentences_held_whole(
    tmp_path: Path, supporting: list[list[int]], cut_off: bool, expected: float
) -> None:
    [only] = read_rows(
        write(tmp_path / "r.jsonl", [page_row("It opened", "supported", supporting)])
    ).rows
    first, *_ = cut(SourceText("\n".join(PAGE)), "evidence")
    if cut_off:
        first = replace(first, span=replace(first.span, end=len(PAGE[0]) + 10))

    assert verification.evidence_recall(case(only), [first]) == expected


def test_a_report_on_data_the_model_was_fitted_on_says_so(tmp_path: Path) -> None:
    data = write(tmp_path / "rows.jsonl", PAGES)
    seen = FittedOn("rows.jsonl", read_rows(data).sha256, 6, "weights", {"auroc": 0.7})
    verifier = LexicalVerifier(replace(shipped_lexical(), fitted_on=(seen,)))

    engine = verification.evaluate_wice(data, verifier, Silent()).engine

    assert engine["fitted_on_this_data"] is True
    assert engine["cross_validated_on_this_data"] == {"use": "weights", "auroc": 0.7}


def test_marked_words_are_compared_in_the_words_of_the_data(tmp_path: Path) -> None:
    one = page_row("Anna Berg designed the ferry Odin", "partially_supported", [[1]])
    one["meta"] |= {
        "claim_tokens": ["Anna", "Berg", "designed", "the", "ferry", "Odin"],
        "non_supported_spans": [False, False, False, True, True, True],
    }
    data = write(tmp_path / "rows.jsonl", [one])

    found = verification.evaluate_words(data, LexicalVerifier(), Silent()).metrics

    # we mark "ferry Odin": 2 hits of 2, annotators marked 3; marking all: 3 of 6
    assert found["token_f1"] == pytest.approx(2 * 2 / 5)
    assert found["token_f1_of_marking_all"] == pytest.approx(2 * 3 / 9, abs=1e-4)
    with pytest.raises(PermanentError, match="marks no words"):
        verification.evaluate_words(
            write(tmp_path / "rows.jsonl", CLAIMS), LexicalVerifier(), Silent()
        )
