"""Does a review distinguish a Good Article from a generated one? `sidenote evaluate review`.

Both articles of a pair are reviewed as in `sidenote review`, but without footnotes,
which the files lack. The `weight` of a text is the sum of severity times certainty of
its findings, per thousand words. Wikipedia's reviewers passed the Good Article, so the
generated one should weigh more: `told_apart` is the share of pairs in which it does,
counting ties as half. That says nothing about a single finding; whether those are right
is for people to judge (`sidenote judgements reviews`).

The report counts who found what: findings of the program and of the language model,
which of the categories the model judged, and how often it gave no usable answer.
Nothing judges in its place then.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.daemon.check import Reviewer
from bot.research.evaluation.datasets import WIKI
from bot.research.evaluation.report import EvaluationReport, Findings, Progress
from bot.research.evaluation.review.wiki_writing import Pair, Paired
from handlers.model import Category, Engine, IssueKind, ModelUse, PageId, Review
from handlers.review.markdown import wikitext_of
from handlers.review.review import severity_of, without_duplicates

_PER_WORDS = 1_000
_TIE = 0.5


@dataclass(frozen=True, slots=True)
class Reviewed:
    system: str
    pair: Pair
    generated: Review
    reference: Review


async def review_all(
    found: Paired, reviewer: Reviewer, progress: Progress
) -> tuple[Reviewed, ...]:
    """Review both articles of each pair, but each Good Article only once."""

    async def reviewed(pair: Pair, markdown: str) -> Review:
        page = PageId(WIKI, pair.title)
        return await reviewer.review(wikitext_of(markdown), page, footnotes_lost=True)

    known: dict[str, Review] = {}
    made = []
    for system, pairs in found.pairs.items():
        for pair in pairs:
            if pair.title not in known:
                known[pair.title] = await reviewed(pair, pair.reference)
            generated = await reviewed(pair, pair.generated)
            made.append(Reviewed(system, pair, generated, known[pair.title]))
            progress.advance()
    return tuple(made)


def report_of(
    found: Paired, reviewed: Sequence[Reviewed], model: Engine | None
) -> EvaluationReport:
    reviews = {("reference", one.pair.title): one.reference for one in reviewed}
    reviews |= {(one.system, one.pair.title): one.generated for one in reviewed}
    return EvaluationReport(
        "review",
        found.data,
        {
            "name": "review",
            "version": "1",
            "model": f"{model.name} {model.version}" if model else "none",
            **_played(list(reviews.values()), with_model=model is not None),
        },
        {
            **_figures(reviewed),
            "systems": {
                system: _figures([one for one in reviewed if one.system == system])
                for system in found.pairs
            },
        },
    )


def _figures(reviewed: Sequence[Reviewed]) -> dict[str, Any]:
    findings = Findings()
    groups = [one.pair.title for one in reviewed]
    generated = [_weight(one.generated, one.pair.generated) for one in reviewed]
    reference = [_weight(one.reference, one.pair.reference) for one in reviewed]
    apart = [
        _TIE if mine == its else float(mine > its)
        for mine, its in zip(generated, reference, strict=True)
    ]
    findings.add_mean("told_apart", groups, apart)
    findings.add_mean("weight_generated", groups, generated)
    findings.add_mean("weight_good", groups, reference)
    return {"pairs": len(reviewed), **findings.to_dict()}


def _weight(review: Review, text: str) -> float:
    total = sum(
        severity_of(one) * one.confidence for one in without_duplicates(review.findings)
    )
    return total * _PER_WORDS / max(len(text.split()), 1)


def _played(reviews: Sequence[Review], *, with_model: bool) -> Mapping[str, Any]:
    """Return who found how much, and how often a model gave no usable answer."""
    by = Counter(
        "model" if one.kind is IssueKind.MODEL else "program"
        for review in reviews
        for one in review.findings
    )
    unanswered = sum(
        one.startswith("The model did not judge")
        for review in reviews
        for one in review.troubles
    )
    questions = len(reviews) * len(Category) if with_model else 0
    use = sum((one.use for one in reviews), ModelUse())
    return {
        "findings": dict(by),
        "turns": {"reviewer": {"played": questions - unanswered, "failed": unanswered}},
        "calls": use.calls,
        "cost": str(use.cost),
    }
