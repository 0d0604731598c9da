"""The figures of Wiki Writing: win rates, agreement with people, difficulty, robustness.

A criterion is won with 1, lost with 0, and halved by a tie or by a judge that changes
its mind with the order. The win rate is the mean of these over all criteria of all
articles (Wiki Live Challenge §3.2.1); the other figures follow its §5.2.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from sklearn.feature_selection import f_classif

from bot.research.evaluation.metrics import UndefinedMetricError
from bot.research.evaluation.report import Findings
from handlers.model import Criterion
from handlers.review.pairwise import Winner

_LEAST_TOPICS = 2
_DIGITS = 4
_DUST = 1e-12  # what is left of equal numbers after sums of fractions
K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Row:
    """What a judge said of one criterion of one article; `score` as in `Winner.score`.

    `holds` tells whether both orders agree, `None` where one of them is silent.
    """

    system: str
    title: str
    criterion: Criterion
    score: float
    winner: Winner
    holds: bool | None


@dataclass(frozen=True, slots=True)
class Annotation:
    """What a person said of one criterion of one article."""

    system: str
    title: str
    criterion: str
    winner: Winner


def figures(
    rows: Sequence[Row],
    *,
    topics: Mapping[str, str],
    annotations: Sequence[Annotation] = (),
) -> dict[str, Any]:
    """Return all figures of some rows.

    Args:
        rows: of any number of systems.
        topics: of articles, by title; those without one are left out of the figures
            that need it.
        annotations: people's, for the agreement of the judge with them.
    """
    systems = grouped(rows, lambda row: row.system)
    return {
        "systems": {name: _of_system(some) for name, some in systems.items()},
        "difficulty": _difficulty(rows, topics),
        "robustness": {
            name: _robustness(name, rows, topics).to_dict() for name in systems
        },
        "human_agreement": _agreement(rows, annotations).to_dict(),
    }


def grouped(rows: Iterable[Row], key: Callable[[Row], K]) -> dict[K, list[Row]]:
    """Return rows by `key`, in the order in which keys occur."""
    found: dict[K, list[Row]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return found


def win_rate(rows: Sequence[Row]) -> float:
    """Return the mean score.

    Raises:
        UndefinedMetricError: there is no row.
    """
    if not rows:
        raise UndefinedMetricError("no criterion was judged")
    return float(np.mean([row.score for row in rows]))


def _of_system(rows: Sequence[Row]) -> dict[str, Any]:
    found = Findings()
    found.add_measured(
        "win_rate",
        [row.title for row in rows],
        lambda at: win_rate([rows[one] for one in at]),
    )
    both = [row.holds for row in rows if row.holds is not None]
    found.add_share("same_in_both_orders", sum(both), len(both))
    counted = {
        f"{one.value}_wins" if one is not Winner.TIE else "ties": sum(
            row.winner is one for row in rows
        )
        for one in Winner
    }
    return {
        **found.to_dict(),
        "articles": len({row.title for row in rows}),
        "criteria_judged": len(rows),
        **counted,
        "by_category": {
            one.value: round(win_rate(some), _DIGITS)
            for one, some in grouped(rows, lambda row: row.criterion.category).items()
        },
        "by_group": _rates(rows, lambda row: row.criterion.group),
        "by_criterion": _rates(rows, lambda row: row.criterion.id),
    }


def _rates(rows: Sequence[Row], key: Callable[[Row], str]) -> dict[str, float]:
    return {
        name: round(win_rate(some), _DIGITS)
        for name, some in grouped(rows, key).items()
    }


def _share(said: Sequence[bool]) -> float:
    if not said:
        raise UndefinedMetricError("nothing was asked in both orders")
    return sum(said) / len(said)


def _difficulty(rows: Sequence[Row], topics: Mapping[str, str]) -> dict[str, Any]:
    """Return the mean win rate of all systems by topic, the hardest first (Table 10)."""
    known = [row for row in rows if row.title in topics]
    by_topic = grouped(known, lambda row: topics[row.title])
    return {
        topic: {
            "win_rate": round(win_rate(some), _DIGITS),
            "articles": len({row.title for row in some}),
        }
        for topic, some in sorted(by_topic.items(), key=lambda one: win_rate(one[1]))
    }


def _robustness(
    system: str, rows: Sequence[Row], topics: Mapping[str, str]
) -> Findings:
    """Return whether a system does better in some topics than in others (Table 11).

    An analysis of variance of what its articles score above the mean of their topic,
    over all systems: a high p and a low eta squared mean that it does not.
    """
    found = Findings()
    known = [row for row in rows if row.title in topics]
    means = {
        topic: win_rate(some)
        for topic, some in grouped(known, lambda row: topics[row.title]).items()
    }
    own = grouped((row for row in known if row.system == system), lambda row: row.title)
    above = [(topics[title], win_rate(some)) for title, some in own.items()]
    deviations = [score - means[topic] for topic, score in above]
    labels = [topic for topic, _ in above]
    try:
        f, p, eta_squared = _anova(labels, deviations)
    except UndefinedMetricError as error:
        for name in ("f", "p", "eta_squared"):
            found.omit(name, str(error))
        return found
    found.add("f", lambda: f, lambda: None)
    found.add("p", lambda: p, lambda: None)
    found.add("eta_squared", lambda: eta_squared, lambda: None)
    return found


def _anova(
    labels: Sequence[str], values: Sequence[float]
) -> tuple[float, float, float]:
    """Return F, p and eta squared of a one-way analysis of variance.

    Raises:
        UndefinedMetricError: there are too few topics or articles, or no variance.
    """
    names = sorted(set(labels))
    if len(names) < _LEAST_TOPICS or len(values) <= len(names):
        raise UndefinedMetricError(
            "it takes articles of two topics, and more articles than topics"
        )
    measured = np.array(values, dtype=np.float64)
    codes = np.array([names.index(label) for label in labels])
    total = float(np.sum((measured - measured.mean()) ** 2))
    means = np.array([measured[codes == one].mean() for one in range(len(names))])
    between = float(np.sum((means[codes] - measured.mean()) ** 2))
    if total - between <= _DUST * max(total, 1.0):
        raise UndefinedMetricError("the articles of a topic do not differ at all")
    f, p = f_classif(measured.reshape(-1, 1), codes)
    return float(f[0]), float(p[0]), between / total


def _agreement(rows: Sequence[Row], annotations: Sequence[Annotation]) -> Findings:
    """Return the pairwise agreement rate of the judge with people (Table 4)."""
    said = {(row.system, row.title, row.criterion.id): row.winner for row in rows}
    both = [
        said[key] is one.winner
        for one in annotations
        for key in [(one.system, one.title, one.criterion)]
        if key in said
    ]
    found = Findings()
    if not both:
        found.omit("pairwise_agreement_rate", "no annotation of a person is at hand")
        return found
    found.add_share("pairwise_agreement_rate", sum(both), len(both))
    return found
