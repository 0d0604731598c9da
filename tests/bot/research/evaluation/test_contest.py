"""An engine beside the lexical verifier and URL depth, its memory left out."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from bot.models.lexical import FittedOn, LexicalVerifier, shipped_lexical
from bot.research.evaluation import metrics
from bot.research.evaluation.citations import verification
from bot.research.evaluation.contest import Contest
from bot.research.evaluation.datasets import DataSet, read_rows
from bot.research.evaluation.page import render_page
from bot.research.evaluation.report import Progress
from bot.research.training.lexical import folds_of
from handlers.model import Engine, Probabilities
from handlers.ports import Verifier
from tests.bot.research.evaluation.rows import CLAIMS, PAGES, page_row, row, write
from tests.fakes import FAKE_ENGINE, Silent

_SURE = Probabilities(0.9, 0.05, 0.04, 0.01)
_UNSURE = Probabilities(0.1, 0.05, 0.8, 0.05)


class _Wrong:
    """Folds in which the engine gets every row wrong."""

    engine: Engine = FAKE_ENGINE

    def answers(self, data: DataSet, progress: Progress) -> Mapping[int, Probabilities]:
        assert progress is not None
        return {
            at: _UNSURE if one.label.value == "supported" else _SURE
            for at, one in enumerate(data.rows)
        }


def _wrong(_: Verifier) -> _Wrong:
    return _Wrong()


def test_figures_are_of_the_answers_out_of_fold(tmp_path: Path) -> None:
    data = write(tmp_path / "rows.jsonl", PAGES)
    contest = Contest(folds=_wrong)

    report = verification.evaluate_wice(data, LexicalVerifier(), Silent(), contest)

    assert report.metrics["auroc"] == 0  # in memory it is 1
    assert report.metrics["accuracy_supported_vs_rest"] == 0


def test_the_folds_answer_without_the_article_itself(tmp_path: Path) -> None:
    rows = [
        one | {"set": "wice", "group": f"{one['group']} {n}"}
        for n in range(5)
        for one in PAGES
    ]
    data = read_rows(write(tmp_path / "rows.jsonl", rows))
    seen = FittedOn(data.file, data.sha256, len(rows), "weights", {})
    verifier = LexicalVerifier(replace(shipped_lexical(), fitted_on=(seen,)))
    unknown = LexicalVerifier(replace(shipped_lexical(), fitted_on=()))

    folds = folds_of(verifier)
    assert folds is not None
    answers = folds.answers(data, Silent())
    none = folds_of(unknown)
    assert none is not None

    assert sorted(answers) == list(range(len(rows)))
    assert none.answers(data, Silent()) == {}
    assert answers == folds.answers(data, Silent())


class _Oracle:
    """A verifier that looks the label up."""

    engine = Engine("oracle", "1")

    def __init__(self, rows: DataSet) -> None:
        self._right = {one.claim: one.label.value == "supported" for one in rows.rows}
        self._other = LexicalVerifier()

    async def verify(self, title, claim, passages):  # type: ignore[no-untyped-def]  # as the port
        found = await self._other.verify(title, claim, passages)
        likely = _SURE if self._right[claim.text] else _UNSURE
        return replace(found, probabilities=likely, engine=self.engine)


def test_an_engine_is_compared_with_the_lexical_one_on_the_same_rows(
    tmp_path: Path,
) -> None:
    hard = [row(f"The lake bridge road number {n}", "supported") for n in range(9)]
    data = write(tmp_path / "rows.jsonl", [*CLAIMS, *hard])
    oracle = _Oracle(read_rows(data))

    report = verification.evaluate(
        data, oracle, Silent(), Contest(baseline=LexicalVerifier())
    )

    found = report.metrics["sets"]["bridges"]
    assert found["auroc"] == 1
    assert found["auroc_minus_lexical"] > 0
    low, high = found["auroc_minus_lexical_ci95"]
    assert 0 <= low <= high <= 1
    [curves] = report.plots
    assert [name for name, _ in curves.scores] == ["oracle", "lexical"]


def test_the_depth_of_the_address_is_measured_where_every_row_has_one(
    tmp_path: Path,
) -> None:
    depths = {"supported": "https://example.org/a/b", "refuted": "https://example.org"}
    rows = [
        one | {"meta": {"citation_links": [depths[one["label"]]]}} for one in CLAIMS[:5]
    ]
    data = write(tmp_path / "rows.jsonl", rows)

    found = verification.evaluate(data, LexicalVerifier(), Silent()).metrics
    without = verification.evaluate(
        write(tmp_path / "none.jsonl", CLAIMS), LexicalVerifier(), Silent()
    ).metrics

    assert found["sets"]["bridges"]["url_depth_auroc"] == 1
    other = without["sets"]["bridges"]
    assert other["url_depth_auroc"] is None
    assert "address" in other["notes"]["url_depth_auroc"]


def test_precision_at_the_worst_counts_what_truly_fails_and_ties_by_their_share() -> (
    None
):
    truth = np.array([False, True, True, False, True, True, True, True, True, True])
    scores = np.arange(10) / 10

    assert metrics.precision_at_worst(0.1)(truth, scores) == 1
    assert metrics.precision_at_worst(0.4)(truth, scores) == 0.5
    assert metrics.precision_at_worst(0.5)(truth[:3], np.zeros(3)) == 1 / 3


def test_a_page_shows_figures_with_intervals_and_plots_and_needs_nothing_else(
    tmp_path: Path,
) -> None:
    rows = [*PAGES, page_row("<script>alert(1)</script> opened", "supported", [[1]])]
    named = [one | {"set": "wi<c>e"} for one in rows]
    data = write(tmp_path / "rows.jsonl", named)
    report = verification.evaluate(data, LexicalVerifier(), Silent())

    page = render_page(report)

    assert page == render_page(report)
    assert "Precision over recall: wi&lt;c&gt;e" in page
    assert "<c>" not in page
    assert page.count('<figure class="plot">') == 2
    assert not re.search(r'(?:src|href)="(?!#)', page)
    assert page.count("<style") == 1
    assert "metadata" not in page
    assert re.search(r"\d\.\d{3} to \d\.\d{3}", page)
    assert "not every row carries the address" in page


def test_rows_of_one_label_have_tables_but_no_plots(
    tmp_path: Path,
) -> None:
    data = write(tmp_path / "rows.jsonl", CLAIMS[:3])

    report = verification.evaluate(data, LexicalVerifier(), Silent())

    page = render_page(report)
    assert "<figure" not in page
    assert "all rows have the same label" in page
    assert not report.plots
