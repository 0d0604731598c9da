"""Has a judge compare the articles of systems with those of Wikipedia; resumable."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.research.evaluation.report import Progress
from bot.research.evaluation.wiki_writing.figures import Row
from bot.research.evaluation.wiki_writing.kept import (
    ArticleResult,
    CriterionResult,
    OrderRuling,
    fingerprint,
    load,
    save,
    winner_name,
    winner_named,
)
from handlers.model import Category, Criterion, Engine, ModelUse
from handlers.review.pairwise import (
    Comparison,
    PairwiseJudge,
    Ruling,
    Verdict,
    Winner,
)

_AT_ONCE = 8  # articles; how many questions go out at once is the model's decision


@dataclass(frozen=True, slots=True)
class Pair:
    """Two articles about one subject, without footnotes."""

    title: str
    generated: str
    reference: str


@dataclass(frozen=True, slots=True)
class Panel:
    """Who judges, and by what."""

    judge: PairwiseJudge
    engine: Engine
    criteria: tuple[Criterion, ...]
    allows_ties: bool = False

    def fingerprint(self, pair: Pair) -> str:
        """Return what names the questions about a pair."""
        texts = (pair.title, pair.generated, pair.reference)
        return fingerprint(self.engine, texts, self.criteria, ties=self.allows_ties)


async def compare_all(
    pairs: Sequence[Pair], panel: Panel, folder: Path, progress: Progress
) -> list[ArticleResult]:
    """Return what is said of each pair, in their order.

    What is kept in `folder` is not asked for again, unless some of it had no answer.

    Raises:
        PermanentError: the folder cannot be written to.
        TemporaryError: the disk is full.
    """
    turn = asyncio.Semaphore(_AT_ONCE)

    async def one(pair: Pair) -> ArticleResult:
        async with turn:
            result = load(folder, pair.title, panel.fingerprint(pair))
            if result is None or result.troubles:
                result = _fuller(result, await _compared(pair, panel))
                await asyncio.to_thread(save, folder, result)
            progress.advance()
            return result

    return list(await asyncio.gather(*map(one, pairs)))


def _fuller(kept: ArticleResult | None, asked: ArticleResult) -> ArticleResult:
    """Return the one with more answers, the newer of equals.

    A model that is over its budget by now takes nothing away from what was paid for.
    """
    if kept is None:
        return asked
    before, now = (
        sum(one.score is not None for one in some.results) for some in (kept, asked)
    )
    return kept if before > now else asked


async def _compared(pair: Pair, panel: Panel) -> ArticleResult:
    found = [
        await panel.judge.compare(pair.title, pair.generated, pair.reference, some)
        for category in Category
        if (some := [one for one in panel.criteria if one.category is category])
    ]
    use = sum((one.use for one in found), ModelUse())
    return ArticleResult(
        title=pair.title,
        fingerprint=panel.fingerprint(pair),
        engine=f"{panel.engine.name} {panel.engine.version}",
        is_cut=any(one.is_cut for one in found),
        calls=use.calls,
        tokens=use.input_tokens + use.output_tokens,
        cost=str(use.cost),
        troubles=tuple(_troubles(found)),
        results=tuple(_result(one) for each in found for one in each.verdicts),
    )


def _troubles(found: Sequence[Comparison]) -> list[str]:
    return [
        f"{each.category.value}: {why.value}" + (f" ({detail})" if detail else "")
        for each in found
        for why, detail in each.setbacks
    ]


def _result(verdict: Verdict) -> CriterionResult:
    return CriterionResult(
        criterion_id=verdict.criterion,
        winner=winner_name(verdict.winner),
        score=verdict.score,
        first=_ruling(verdict.first),
        second=_ruling(verdict.second),
    )


def _ruling(said: Ruling | None) -> OrderRuling | None:
    return OrderRuling(winner=said.winner, reason=said.reason) if said else None


def rows_of(
    system: str,
    results: Sequence[ArticleResult],
    criteria: Mapping[str, Criterion],
) -> list[Row]:
    """Return the rows that figures are made of; what had no answer gives none."""
    return [
        Row(system, article.title, criteria[one.criterion_id], *told)
        for article in results
        for one in article.results
        if one.criterion_id in criteria
        for told in _told(one)
    ]


def _told(one: CriterionResult) -> list[tuple[float, Winner, bool | None]]:
    if one.score is None:
        return []
    holds = None
    if one.first is not None and one.second is not None:
        holds = one.first.winner is one.second.winner
    return [(one.score, winner_named(one.winner), holds)]
