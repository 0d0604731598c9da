"""The figures of Wiki Fact for each system, with their intervals over articles.

As in the benchmark's summaries, a figure is the mean over articles of the article's
share. With F the facts of the Good Article and S the statements of the system:

- `coverage` = facts supported by the ten likest statements that do not leak / F (3)
- `wiki_support`, `wiki_conflict` = statements supported by, in conflict with, the ten
  likest facts / S
- `reference_accuracy` (4), `reference_conflict` = statements supported by, in conflict
  with, the pages they cite / statements with a page that could be read. One that cites
  several pages is judged by all of them together.
- `reference_accuracy_with_error_pages`: the same with the statements whose page is an
  error message or nearly empty counted as not supported, as a judge does that is shown
  whatever was fetched (the authors').
- `leakage` = statements that cite the article itself or a mirror of it / S

How far the judge here agrees with the authors' judge is told statement by statement. The
benchmark publishes one article's citation judgements, by Gemini 2.5 Flash; nobody checked
them. Their pages stand in the system's own file. Some judgements rest on an error message
that was fetched in the page's place, and then say `not_support`; so do we of those
(`of_judged_page`). Of others the text in the shared data was cut before it began: their
judge saw more than we do, and they cannot be compared. They count in the figures that
lead, as not supported, and left out of `both_saw_the_same`.

Cohen's kappa: (p - e) / (1 - e), with p the share of equal words and e that which the
shares of each judge's words bring by chance.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from types import MappingProxyType
from typing import Any

import numpy as np

from bot.research.evaluation.metrics import (
    Classes,
    UndefinedMetricError,
    accuracy,
    over,
)
from bot.research.evaluation.report import Findings
from bot.research.evaluation.review.articles import (
    Generated,
    JudgementForm,
    JudgementsForm,
    shown,
)
from bot.research.evaluation.review.examination import (
    SHOWN_TO_A_JUDGE,
    ArticleResult,
    Examiner,
    Library,
    StatementResult,
    Unread,
    of_judged_page,
)
from bot.research.evaluation.review.judge import Said, Word
from handlers.model import ModelUse

# Shares of systems by the paper, by metric, to be put beside the figures. The text of the
# paper that is at hand lacks its tables; these are the figures and the statements in its
# prose (§5.1.2, §5.2.1, §5.2.4), of 100 articles, facts and
# judgements by Gemini 2.5 Flash. Rates there are not ours: another judge, half of the
# articles.
PAPER: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "gemini_2.5_pro": {"coverage": 0.3076},
        "langchain_w_gpt4.1": {"wiki_conflict": 0.2469, "reference_conflict": 0.0294},
        "qwen": {"reference_conflict": 0.0687},
    }
)
Values = Mapping[str, float]  # of one metric, by system


@dataclass(frozen=True, slots=True)
class Remark:
    """Something the paper says of one system beside the others, by one metric."""

    text: str
    system: str
    metric: str
    holds: Callable[[Values, str], bool]


def _highest(values: Values, system: str) -> bool:
    return values[system] == max(values.values())


def _lowest(values: Values, system: str) -> bool:
    return values[system] == min(values.values())


def _low(values: Values, system: str) -> bool:
    return values[system] <= median(values.values())


def _high(values: Values, system: str) -> bool:
    return values[system] >= median(values.values())


REMARKS = (
    Remark("the best coverage", "gemini_2.5_pro", "coverage", _highest),
    Remark(
        "coverage lags behind proprietary systems", "langchain_w_gpt5", "coverage", _low
    ),
    Remark(
        "the highest conflict with Wikipedia",
        "langchain_w_gpt4.1",
        "wiki_conflict",
        _highest,
    ),
    Remark(
        "the lowest conflict with references",
        "langchain_w_gpt4.1",
        "reference_conflict",
        _lowest,
    ),
    Remark("a low conflict with Wikipedia", "langchain_w_gpt5", "wiki_conflict", _low),
    Remark(
        "a low conflict with references", "langchain_w_gpt5", "reference_conflict", _low
    ),
    Remark("a high conflict with references", "qwen", "reference_conflict", _high),
    Remark("a lower reference accuracy", "perplexity", "reference_accuracy", _low),
    Remark(
        "a low reference accuracy", "langchain_w_gpt4.1", "reference_accuracy", _low
    ),
    Remark("a high leakage", "perplexity", "leakage", _high),
    Remark("an extremely low leakage", "langchain_w_gpt5", "leakage", _low),
)


@dataclass(frozen=True, slots=True)
class Checked:
    """A remark with what was measured; `holds` is `None` where it cannot be said."""

    remark: Remark
    holds: bool | None
    rank: int | None  # of the system by that metric, 1 the highest
    of: int  # systems with that metric


def checked(metrics: Mapping[str, Mapping[str, object]]) -> tuple[Checked, ...]:
    """Look at each remark about a system that was evaluated beside others."""
    return tuple(_checked(one, metrics) for one in REMARKS if one.system in metrics)


def _checked(remark: Remark, metrics: Mapping[str, Mapping[str, object]]) -> Checked:
    values: dict[str, float] = {}
    for name, of_system in metrics.items():
        value = of_system.get(remark.metric)
        if isinstance(value, float):
            values[name] = value
    if remark.system not in values or len(values) < 2:  # noqa: PLR2004 - others beside
        return Checked(remark, None, None, len(values))
    rank = _rank(list(values.values()), values[remark.system])
    return Checked(remark, remark.holds(values, remark.system), rank, len(values))


def _rank(values: Sequence[float], value: float) -> int:
    return 1 + sum(other > value for other in values)


# A share of an article; `None` where it has nothing of the kind.
Share = Callable[[ArticleResult], float | None]


def coverage(result: ArticleResult) -> float | None:
    return _share([one.said for one in result.facts], Word.SUPPORT)


def wiki_support(result: ArticleResult) -> float | None:
    return _share([one.by_wiki for one in result.statements], Word.SUPPORT)


def wiki_conflict(result: ArticleResult) -> float | None:
    return _share([one.by_wiki for one in result.statements], Word.CONFLICT)


def reference_accuracy(result: ArticleResult) -> float | None:
    return _share(_by_pages(result), Word.SUPPORT)


def reference_conflict(result: ArticleResult) -> float | None:
    return _share(_by_pages(result), Word.CONFLICT)


def with_error_pages(result: ArticleResult) -> float | None:
    """Return reference accuracy where error pages count against it."""
    said = _by_pages(result)
    errors = sum(one.unread in SHOWN_TO_A_JUDGE for one in result.statements)
    if not said and not errors:
        return None
    supported = sum(one.word is Word.SUPPORT for one in said)
    return supported / (len(said) + errors)


def leakage(result: ArticleResult) -> float | None:
    return _mean_of(result.statements, lambda one: one.is_leaked)


def _wikipedia(result: ArticleResult) -> float | None:
    return _mean_of(result.statements, lambda one: one.cites_wikipedia)


def _by_pages(result: ArticleResult) -> list[Said]:
    return [one.by_pages for one in result.statements if one.by_pages is not None]


def _share(said: Sequence[Said], word: Word) -> float | None:
    return sum(one.word is word for one in said) / len(said) if said else None


def _mean_of(
    statements: Sequence[StatementResult], is_so: Callable[[StatementResult], bool]
) -> float | None:
    return sum(map(is_so, statements)) / len(statements) if statements else None


SHARES: Mapping[str, Share] = {
    "coverage": coverage,
    "wiki_support": wiki_support,
    "wiki_conflict": wiki_conflict,
    "reference_accuracy": reference_accuracy,
    "reference_conflict": reference_conflict,
    "reference_accuracy_with_error_pages": with_error_pages,
    "leakage": leakage,
    "cites_wikipedia": _wikipedia,
}
OF_CITATIONS = frozenset(name for name in SHARES if name.startswith("reference"))


def figures_of(
    results: Sequence[ArticleResult], *, has_citations: bool = True
) -> dict[str, Any]:
    statements = [one for result in results for one in result.statements]
    findings = Findings()
    for name, share in SHARES.items():
        if name in OF_CITATIONS and not has_citations:
            findings.omit(name, "the system is registered as one without citations")
        else:
            _add(findings, name, results, share)
    return {
        "n": len(results),
        "facts": sum(len(one.facts) for one in results),
        "statements": len(statements),
        "statements_that_cite": sum(
            one.unread is not Unread.NO_CITATION for one in statements
        ),
        "statements_with_a_page": sum(one.unread is None for one in statements),
        "leaked_statements": sum(one.is_leaked for one in statements),
        **findings.to_dict(),
        "skipped": _skipped(statements),
        "paper": dict(PAPER.get(results[0].system, {})) if results else {},
    }


def against_paper(metrics: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return what the paper says of the systems, and whether it is so here."""
    return [
        {
            "system": one.remark.system,
            "paper_says": one.remark.text,
            "metric": one.remark.metric,
            "holds": one.holds,
            "rank": one.rank,
            "of_systems": one.of,
        }
        for one in checked(metrics)
    ]


def rows_of(results: Sequence[ArticleResult]) -> list[dict[str, Any]]:
    return [
        {
            "system": one.system,
            "title": one.title,
            "facts": len(one.facts),
            "statements": len(one.statements),
            "citations": one.citations,
            "pages": one.pages,
            **{name: _rounded(share(one)) for name, share in SHARES.items()},
            "took_s": one.took_s,
        }
        for one in results
    ]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def spent(results: Sequence[ArticleResult]) -> dict[str, Any]:
    use = sum((one.use for one in results), ModelUse())
    return {
        "judging_s": round(sum(one.took_s for one in results), 1),
        "judging_cpu_s": round(sum(one.cpu_s for one in results), 1),
        "model_calls": use.calls,
        "model_answers_remembered": use.remembered,
        "model_input_tokens": use.input_tokens,
        "model_output_tokens": use.output_tokens,
        "model_cost": str(use.cost),
        "left_to_the_embedded_judge": sum(one.unanswered for one in results),
    }


def _skipped(statements: Sequence[StatementResult]) -> dict[str, int]:
    """Return how many statements no page was read for, by the reason."""
    counted = Counter(one.unread for one in statements)
    return {one.name.lower(): counted[one] for one in Unread if counted[one]}


def _add(
    findings: Findings, name: str, results: Sequence[ArticleResult], share: Share
) -> None:
    shares = [(one.title, share(one)) for one in results]
    known = [(title, value) for title, value in shares if value is not None]
    findings.add_mean(
        name,
        [title for title, _ in known],
        [value for _, value in known],
        "no article has anything of the kind",
    )


_WORDS = tuple(one.value for one in Word)


@dataclass(frozen=True, slots=True)
class Compared:
    """A statement that two judges judged; `unread` is what kept ours from reading."""

    index: int
    statement: str
    page: str
    theirs: Word
    ours: Word
    supported: float
    because: str
    reason: str  # theirs
    unread: Unread | None

    @property
    def can_be_compared(self) -> bool:
        """Whether both saw the same."""
        return self.unread is None or self.unread in SHOWN_TO_A_JUDGE


@dataclass(frozen=True, slots=True)
class Comparison:
    """All statements that could be paired, and why the others could not."""

    title: str
    compared: tuple[Compared, ...]
    unpaired: tuple[str, ...]


def fits(judged: JudgementsForm, article: Generated) -> bool:
    """Tell whether judgements are about an article: its statements are theirs."""
    texts = [one.text for one in article.statements]
    return judged.title == article.title and all(
        one.statement_index < len(texts)
        and texts[one.statement_index] == one.statement.strip()
        for one in judged.results[:3]
    )


async def compare(
    judged: JudgementsForm, article: Generated, examiner: Examiner
) -> Comparison:
    """Judge the same statements again, by the pages as they were fetched."""
    library = Library(article)
    said = await examiner.by_pages(shown(article.title), article.statements, library)
    compared, unpaired = [], []
    for one in judged.results:
        why = _unpaired(one, article)
        if why:
            unpaired.append(f"statement {one.statement_index}: {why}")
            continue
        word, unread = said[one.statement_index]
        compared.append(
            Compared(
                index=one.statement_index,
                statement=one.statement,
                page=one.citation_url,
                theirs=Word(one.verdict),
                ours=of_judged_page(word, unread),
                supported=word.supported if word else 0.0,
                because=word.because if word else "",
                reason=one.reason,
                unread=unread,
            )
        )
    return Comparison(judged.title, tuple(compared), tuple(unpaired))


def _unpaired(judged: JudgementForm, article: Generated) -> str:
    if judged.verdict not in _WORDS:
        return f"verdict {judged.verdict!r} is none of {', '.join(_WORDS)}"
    at = judged.statement_index
    if at >= len(article.statements) or (
        article.statements[at].text != judged.statement.strip()
    ):
        return "the article has another statement in its place"
    return ""


def agreement_of(comparison: Comparison) -> dict[str, Any]:
    """Return accuracy and kappa, of two words and of three, with what was left out."""
    rows = comparison.compared
    comparable = [one for one in rows if one.can_be_compared]
    read = [one for one in rows if one.unread is None]
    return {
        "n": len(rows),
        "article": shown(comparison.title),
        "classes": "support, or not",
        "error_pages": len(comparable) - len(read),
        "text_missing_here": len(rows) - len(comparable),
        "unpaired": len(comparison.unpaired),
        **_figures(rows, two=True),
        "three_classes": {"n": len(rows), **_figures(rows, two=False)},
        "both_saw_the_same": {
            "n": len(comparable),
            **_figures(comparable, two=True),
            "three_classes": {
                "n": len(comparable),
                **_figures(comparable, two=False),
                "confusion": _confusion(comparable),
            },
        },
        "pages_that_were_read": {"n": len(read), **_figures(read, two=True)},
    }


def _figures(rows: Sequence[Compared], *, two: bool) -> dict[str, Any]:
    theirs = np.array([_class(one.theirs, two=two) for one in rows], dtype=np.int64)
    ours = np.array([_class(one.ours, two=two) for one in rows], dtype=np.int64)
    findings = Findings()
    pages = [one.page for one in rows]
    findings.add_measured("accuracy", pages, over(accuracy, theirs, ours))
    findings.add_measured("kappa", pages, over(kappa, theirs, ours))
    return findings.to_dict()


def kappa(theirs: Classes, ours: Classes) -> float:
    """Return Cohen's kappa of two judges' classes."""
    seen = accuracy(theirs, ours)
    most = int(max(theirs.max(), ours.max())) + 1
    shares = [np.bincount(one, minlength=most) / len(one) for one in (theirs, ours)]
    by_chance = float(shares[0] @ shares[1])
    if by_chance >= 1:
        raise UndefinedMetricError("all judgements are the same")
    return (seen - by_chance) / (1 - by_chance)


def _class(word: Word, *, two: bool) -> int:
    return int(word is Word.SUPPORT) if two else _WORDS.index(word.value)


def _confusion(rows: Sequence[Compared]) -> dict[str, dict[str, int]]:
    """Return how often each of our words stood for each of theirs."""
    counted = Counter((one.theirs.value, one.ours.value) for one in rows)
    return {
        f"theirs_{theirs}": {f"ours_{ours}": counted[theirs, ours] for ours in _WORDS}
        for theirs in _WORDS
    }
