"""The figures of Wiki Writing on small tables that can be reckoned by hand."""

from collections.abc import Sequence

import pytest
from scipy.stats import f_oneway

from bot.research.evaluation.review.pairwise import Annotation, Row, Winner, figures
from handlers.model import Category, Criterion

CRITERIA = {
    "n_1": Criterion("n_1", Category.NEUTRAL, "balance", "…", "WP:NPOV"),
    "ww_cc_1": Criterion("ww_cc_1", Category.WELL_WRITTEN, "clarity", "…", "WP:GACR"),
}


def row(
    title: str,
    score: float,
    criterion: str = "n_1",
    system: str = "mine",
    **other: bool,
) -> Row:
    winner = {1.0: Winner.GENERATED, 0.0: Winner.REFERENCE}.get(score, Winner.TIE)
    return Row(
        system, title, CRITERIA[criterion], score, winner, other.get("holds", True)
    )


def test_a_win_rate_is_the_mean_over_all_criteria_of_all_articles() -> None:
    rows = [row("A", 1.0), row("A", 0.5, "ww_cc_1", holds=False), row("B", 0.0)]
    found = figures(rows, topics={})["systems"]["mine"]

    assert found["win_rate"] == 0.5
    assert found["by_category"] == {"neutral": 0.5, "well_written": 0.5}
    assert found["by_criterion"] == {"n_1": 0.5, "ww_cc_1": 0.5}
    assert found["by_group"] == {"balance": 0.5, "clarity": 0.5}
    assert (found["articles"], found["criteria_judged"]) == (2, 3)
    assert [found[one] for one in ("generated_wins", "ties", "reference_wins")] == [
        1,
        1,
        1,
    ]
    assert found["same_in_both_orders"] == pytest.approx(2 / 3, abs=1e-4)


def test_topics_come_the_hardest_first() -> None:
    rows = [row("A", 1.0), row("B", 0.0), row("C", 0.5), row("D", 0.0, system="other")]
    topics = {"A": "nature", "B": "history", "C": "nature", "D": "history"}

    assert figures(rows, topics=topics)["difficulty"] == {
        "history": {"win_rate": 0.0, "articles": 2},
        "nature": {"win_rate": 0.75, "articles": 2},
    }


def test_the_analysis_of_variance_is_that_of_scipy_on_what_is_above_the_mean() -> None:
    scores = {"mine": [0.9, 0.7, 0.8, 0.1, 0.3, 0.2], "other": [0.5] * 6}
    topics = {f"{n}": "nature" if n < 3 else "history" for n in range(6)}
    rows = [
        row(str(n), score, system=system)
        for system, some in scores.items()
        for n, score in enumerate(some)
    ]
    found = figures(rows, topics=topics)["robustness"]["mine"]

    def above(some: Sequence[int]) -> list[float]:
        mean = sum(scores[s][n] for s in scores for n in some) / (2 * len(some))
        return [scores["mine"][n] - mean for n in some]

    expected = f_oneway(above(range(3)), above(range(3, 6)))
    assert found["f"] == pytest.approx(expected.statistic, abs=1e-4)
    assert found["p"] == pytest.approx(expected.pvalue, abs=1e-4)
    assert 0 < found["eta_squared"] < 1


def test_articles_that_differ_by_rounding_alone_do_not_differ() -> None:
    scores = (0.1 + 0.2, 0.3, 0.3, 0.7, 0.7, 0.7)
    rows = [row(str(n), score) for n, score in enumerate(scores)]
    topics = {f"{n}": "nature" if n < 3 else "history" for n in range(6)}

    found = figures(rows, topics=topics)["robustness"]["mine"]

    assert (found["f"], found["p"]) == (None, None)
    assert "do not differ" in found["notes"]["f"]


def test_too_few_topics_give_a_reason_and_no_number() -> None:
    found = figures([row("A", 1.0)], topics={"A": "nature"})["robustness"]["mine"]

    assert found["p"] is None
    assert "two topics" in found["notes"]["p"]


def test_agreement_counts_what_people_and_the_judge_both_said() -> None:
    rows = [row("A", 1.0), row("B", 0.0), row("C", 1.0)]
    people = [
        Annotation("mine", "A", "n_1", Winner.GENERATED),
        Annotation("mine", "B", "n_1", Winner.GENERATED),
        Annotation("mine", "Z", "n_1", Winner.GENERATED),
    ]
    found = figures(rows, topics={}, annotations=people)["human_agreement"]

    assert found["pairwise_agreement_rate"] == 0.5


def test_without_people_there_is_no_agreement() -> None:
    found = figures([row("A", 1.0)], topics={})["human_agreement"]

    assert found["pairwise_agreement_rate"] is None
