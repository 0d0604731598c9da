"""Puts the figures of Wiki Writing into the form that all evaluations share."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from bot.research.evaluation.report import Bars, EvaluationReport
from bot.research.evaluation.wiki_writing.figures import Annotation, Row, figures
from bot.research.evaluation.wiki_writing.kept import ArticleResult
from bot.research.evaluation.wiki_writing.reading import Paired
from bot.research.evaluation.wiki_writing.running import Panel
from handlers.model import Category

_ABOUT = (
    "Who meets each criterion better, the system or Wikipedia, as a language model judges"
    " (Wiki Live Challenge §3.2.1). It is asked in both orders: 1 for a criterion won in"
    " both, 0 for one lost in both, 0.5 for one on which it changes its mind or ties;"
    " where one order has no answer, the other counts alone."
)


def report_of(
    paired: Paired,
    panel: Panel,
    results: Mapping[str, Sequence[ArticleResult]],
    rows: Sequence[Row],
    *,
    topics: Mapping[str, str],
    annotations: Sequence[Annotation],
) -> EvaluationReport:
    """Return the report of a run.

    Args:
        paired: what was compared.
        panel: who judged.
        results: of each article, by system.
        rows: made of them.
        topics: of articles, by title.
        annotations: what people said of the same.
    """
    found = figures(rows, topics=topics, annotations=annotations)
    all_results = [one for some in results.values() for one in some]
    silent = [one.score is None for each in all_results for one in each.results]
    metrics: dict[str, Any] = {
        **found,
        "unanswered_share": round(sum(silent) / len(silent), 4) if silent else None,
        "unanswered_criteria": sum(silent),
        "cut_articles": sum(one.is_cut for one in all_results),
        "spent": {
            "calls": sum(one.calls for one in all_results),
            "tokens": sum(one.tokens for one in all_results),
            "cost": str(sum((Decimal(one.cost) for one in all_results), Decimal(0))),
        },
    }
    return EvaluationReport(
        benchmark="wiki writing",
        data=paired,
        engine={
            "name": panel.engine.name,
            "version": panel.engine.version,
            "criteria": len(panel.criteria),
            "ties_allowed": panel.allows_ties,
        },
        metrics=metrics,
        about_data={"about": _ABOUT, "topics": len(set(topics.values()))},
        bars=tuple(_bars(found["systems"])),
    )


def _bars(systems: Mapping[str, Any]) -> list[Bars]:
    if not systems:
        return []
    names = tuple(systems)
    return [
        Bars(
            "wiki writing",
            "Win rate against Wikipedia, by category",
            "Share of criteria won",
            names,
            tuple(
                (
                    one.value.replace("_", " "),
                    tuple(
                        systems[name]["by_category"].get(one.value, 0.0)
                        for name in names
                    ),
                )
                for one in Category
            ),
        )
    ]
