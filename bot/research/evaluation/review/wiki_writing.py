"""Wiki Writing: articles of systems against those of Wikipedia, one pair after the other.

`<folder>/<system>/writing/<Article>_writing.json` holds one article, in the benchmark's
own places and forms, and `_summary.json` beside them sums up all of them. A run that
was stopped continues from these files; one with a different fingerprint (other texts,
criteria or judge) is asked for again.
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from bot.research.evaluation.checkpoints import write
from bot.research.evaluation.datasets import Data, Unscored, content_of, first_fault
from bot.research.evaluation.report import Bars, EvaluationReport, Progress
from bot.research.evaluation.review.articles import (
    Place,
    articles_of,
    references,
    shown,
)
from bot.research.evaluation.review.pairwise import (
    Annotation,
    PairwiseJudge,
    Row,
    Verdict,
    Winner,
    figures,
)
from handlers.model import Category, Criterion, Engine, ModelUse
from handlers.ports import PermanentError

_AT_ONCE = 8  # articles; the model decides how many questions are sent at once


@dataclass(frozen=True, slots=True)
class Pair:
    """Two articles about one subject, without footnotes."""

    title: str
    generated: str
    reference: str


@dataclass(frozen=True, slots=True)
class Panel:
    """Who judges, and by which criteria."""

    judge: PairwiseJudge
    engine: Engine
    criteria: tuple[Criterion, ...]
    allows_ties: bool = False

    def fingerprint(self, pair: Pair) -> str:
        """Identify the questions about a pair by texts, criteria and who is asked."""
        parts = [self.engine.name, self.engine.version, str(self.allows_ties)]
        parts += [pair.title, pair.generated, pair.reference]
        parts += [f"{one.id} {one.text}" for one in self.criteria]
        return sha256("\x1f".join(parts).encode("utf-8", "replace")).hexdigest()


class ArticleResult(BaseModel):
    """One article. `troubles` are lines for a person, each about one question."""

    model_config = ConfigDict(frozen=True)

    title: str
    fingerprint: str
    engine: str
    is_cut: bool
    calls: int
    tokens: int
    cost: str  # in the currency of the budget
    troubles: tuple[str, ...]
    results: tuple[Verdict, ...]


async def compare_all(
    pairs: Sequence[Pair], panel: Panel, folder: Path, progress: Progress
) -> list[ArticleResult]:
    """Return the result of each pair, in order.

    Results in `folder` are not asked for again, unless some questions had no answer.
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


def _fuller(saved: ArticleResult | None, new: ArticleResult) -> ArticleResult:
    """Return the result with more answers, or the newer one if equal.

    So a model that has run out of budget does not discard answers already paid for.
    """
    if saved is None:
        return new
    before, now = (
        sum(one.score is not None for one in some.results) for some in (saved, new)
    )
    return saved if before > now else new


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
        troubles=tuple(
            f"{each.category.value}: {why.value}" + (f" ({detail})" if detail else "")
            for each in found
            for why, detail in each.failures
        ),
        results=tuple(one for each in found for one in each.verdicts),
    )


def rows_of(
    system: str,
    results: Sequence[ArticleResult],
    criteria: Mapping[str, Criterion],
) -> list[Row]:
    """Return the rows that figures are made of; unanswered questions have none."""
    return [
        Row(
            system,
            article.title,
            criteria[one.criterion_id],
            one.score,
            one.winner,
            one.holds_in_both_orders,
        )
        for article in results
        for one in article.results
        if one.criterion_id in criteria
        and one.score is not None
        and one.winner is not None
    ]


_ABOUT = (
    "Who meets each criterion better, the system or Wikipedia, as a language model judges"
    " (Wiki Live Challenge §3.2.1). It is asked in both orders: 1 for a criterion won in"
    " both, 0 for one lost in both, 0.5 for one on which it changes its mind or ties;"
    " where one order has no answer, the other counts alone."
)


@dataclass(frozen=True, slots=True)
class Paired:
    """The pairs of some systems, and what a report says of them; a row is an article."""

    data: Data  # all articles of the systems, including those without a reference
    pairs: Mapping[str, tuple[Pair, ...]]  # by system


def report_of(
    paired: Paired,
    panel: Panel,
    results: Mapping[str, Sequence[ArticleResult]],
    rows: Sequence[Row],
    *,
    topics: Mapping[str, str],
    annotations: Sequence[Annotation],
) -> EvaluationReport:
    found = figures(rows, topics=topics, annotations=annotations)
    all_results = [one for some in results.values() for one in some]
    unanswered = [one.score is None for each in all_results for one in each.results]
    metrics: dict[str, Any] = {
        **found,
        "unanswered_share": round(sum(unanswered) / len(unanswered), 4)
        if unanswered
        else None,
        "unanswered_criteria": sum(unanswered),
        "cut_articles": sum(one.is_cut for one in all_results),
        "spent": {
            "calls": sum(one.calls for one in all_results),
            "tokens": sum(one.tokens for one in all_results),
            "cost": str(sum((Decimal(one.cost) for one in all_results), Decimal(0))),
        },
    }
    return EvaluationReport(
        benchmark="wiki writing",
        data=paired.data,
        engine={
            "name": panel.engine.name,
            "version": panel.engine.version,
            "criteria": len(panel.criteria),
            "ties_allowed": panel.allows_ties,
        },
        metrics=metrics,
        about_data={"about": _ABOUT, "topics": len(set(topics.values()))},
        plots=_bars(found["systems"]),
    )


def _bars(systems: Mapping[str, Any]) -> tuple[Bars, ...]:
    if not systems:
        return ()
    series = tuple(
        (
            one.value.replace("_", " "),
            tuple(of["by_category"].get(one.value, 0.0) for of in systems.values()),
        )
        for one in Category
    )
    title = "Win rate against Wikipedia, by category"
    across = "Share of criteria won"
    return (Bars("wiki writing", title, across, tuple(systems), series),)


_MAX_BYTES = 20_000_000


def paired(
    place: Place,
    systems: Sequence[str],
    *,
    titles: frozenset[str] = frozenset(),
    limit: int | None = None,
) -> Paired:
    """Return each article of some systems with the Good Article."""
    good = {
        one.title: one.markdown for one in references(place) if one.markdown.strip()
    }
    pairs: dict[str, tuple[Pair, ...]] = {}
    unscored: list[Unscored] = []
    digest = sha256()
    for system in systems:
        found: list[Pair] = []
        for line, one in enumerate(articles_of(place, system, titles or None), 1):
            if limit is not None and len(found) == limit:
                break
            digest.update(one.sha256.encode())
            title, why = shown(one.title), ""
            if any(pair.title == title for pair in found):
                why = "is there twice"
            elif not one.text.strip():
                why = "has no text"
            elif one.title not in good:
                why = "has no Good Article"
            else:
                found.append(Pair(title, one.text, good[one.title]))
            if why:
                unscored.append(Unscored(line, system, f"{system}: {title} {why}"))
        pairs[system] = tuple(found)
    if not any(pairs.values()):
        raise PermanentError(
            f"none of {', '.join(systems)} has an article on a subject of {place.root}"
        )
    count = sum(map(len, pairs.values())) + len(unscored)
    return Paired(Data(place.name, digest.hexdigest(), count, tuple(unscored)), pairs)


def read_topics(path: Path) -> dict[str, str]:
    """Return the topic of articles, from lines of title, tab and topic."""
    found = {}
    for number, line in enumerate(_text(path).splitlines(), 1):
        title, tab, topic = line.partition("\t")
        if not line.strip():
            continue
        if not tab or not title.strip() or not topic.strip():
            raise PermanentError(
                f"{path}, line {number}: write the title, a tab, and the topic"
            )
        found[shown(title.strip())] = topic.strip()
    return found


_NAMES = {Winner.GENERATED: "Gen", Winner.REFERENCE: "Wiki", Winner.TIE: "Tie"}


def _winner(name: object) -> Winner:
    """Return the winner that the benchmark calls `name`, in any case."""
    for winner, known in _NAMES.items():
        if str(name).strip().casefold() == known.casefold():
            return winner
    raise ValueError(f"{name!r} is none of {', '.join(_NAMES.values())}")


class _Annotated(BaseModel):
    model_config = ConfigDict(extra="forbid")

    system: str
    title: str
    criterion: str
    winner: Annotated[Winner, BeforeValidator(_winner)]


def read_annotations(path: Path) -> list[Annotation]:
    """Return what people said: JSON lines of system, title, criterion and winner.

    `winner` is Gen, Wiki or Tie.
    """
    found = []
    # JSON may hold characters that `splitlines` takes for the end of a line.
    for number, line in enumerate(_text(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = _Annotated.model_validate_json(line)
        except ValidationError as error:
            raise PermanentError(
                f"{path}, line {number}: {first_fault(error)}"
            ) from error
        found.append(
            Annotation(row.system, shown(row.title), row.criterion, row.winner)
        )
    return found


def _text(path: Path) -> str:
    return content_of(path, most=_MAX_BYTES).decode("utf-8", "replace")


_LONGEST_NAME = 180  # bytes; file systems allow 255


def load(folder: Path, title: str, expected: str) -> ArticleResult | None:
    """Return the saved result of an article; `None` if it has another fingerprint."""
    try:
        saved = ArticleResult.model_validate_json(_place(folder, title).read_bytes())
    except (OSError, ValidationError):
        return None
    return saved if saved.fingerprint == expected else None


def save(folder: Path, result: ArticleResult) -> None:
    value = result.model_dump(mode="json")
    for written, one in zip(value["results"], result.results, strict=True):
        written["winner"] = _NAMES[one.winner] if one.winner else ""
        written["score"] = one.score
    _write(_place(folder, result.title), value)


def save_summary(folder: Path, results: Sequence[ArticleResult]) -> Mapping[str, Any]:
    """Write and return the benchmark's summary of a system."""
    verdicts = [one for article in results for one in article.results]
    won = [one.winner for one in verdicts]
    scores = [one.score for one in verdicts if one.score is not None]
    summary = {
        "total_articles": len(results),
        "total_gen_wins": won.count(Winner.GENERATED),
        "total_gt_wins": won.count(Winner.REFERENCE),
        "total_ties": won.count(Winner.TIE),
        "gen_win_rate": round(sum(scores) / len(scores), 4) if scores else None,
    }
    _write(folder / "_summary.json", summary)
    return summary


def _place(folder: Path, title: str) -> Path:
    safe = "".join("_" if sign in '/\\:*?"<>|\0 ' else sign for sign in title)
    raw = safe.encode("utf-8", "replace")
    if len(raw) > _LONGEST_NAME or safe.startswith("."):
        digest = sha256(raw).hexdigest()[:12]
        safe = f"{raw[:_LONGEST_NAME].decode('utf-8', 'ignore').lstrip('.')}-{digest}"
    return folder / f"{safe}_writing.json"


def _write(path: Path, value: object) -> None:
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    write(path, f"{text}\n")
